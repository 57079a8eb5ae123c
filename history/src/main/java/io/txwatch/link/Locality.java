package io.txwatch.link;

import io.txwatch.history.Database;
import io.txwatch.history.Event;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Makes the places of databases unique across machines and processes. {@code
 * jdbc:postgresql://localhost/shop} is a different database on each machine, {@code
 * jdbc:h2:mem:shop} in each process. If they were treated as one database, unrelated rows would be
 * compared and false anomalies reported. So a place that names no machine is qualified with this
 * machine or process.
 *
 * @param service the display name of this process
 * @param machine a unique id of this machine
 * @param process a unique id of this process
 */
record Locality(String service, String machine, String process) {

  private static final Pattern IN_MEMORY =
      Pattern.compile("jdbc:(h2:mem:|sqlite:.*(:memory:|mode=memory)).*", Pattern.DOTALL);
  private static final Pattern REMOTE = Pattern.compile("[^/]*//([^/]+)(/.*)?", Pattern.DOTALL);
  private static final Pattern LOOPBACK =
      Pattern.compile(
          "(?:.*[,=(@])?(localhost|ip6-localhost|127\\.[0-9.]+|0\\.0\\.0\\.0|\\[?::1?]?)"
              + "(?:[:,)].*)?",
          Pattern.CASE_INSENSITIVE);

  /**
   * This process.
   *
   * @param service the configured name; empty for its main class or jar with its process id
   * @param client its client number
   */
  static Locality here(String service, long client) {
    return new Locality(
        service.isEmpty() ? program() + " " + ProcessHandle.current().pid() : service,
        machineName(),
        Long.toUnsignedString(client, 36));
  }

  /** Returns the event with its database's place qualified. */
  Event qualify(Event event) {
    if (event instanceof Event.SessionOpened opened) {
      Database database = opened.database();
      return new Event.SessionOpened(
          opened.session(), service + "/" + opened.name(), database.at(qualify(database.place())));
    }
    return event;
  }

  /** Returns the place, unique across machines and processes. */
  String qualify(String place) {
    if (IN_MEMORY.matcher(place).matches()) {
      return place + " in " + process;
    }
    var remote = REMOTE.matcher(place);
    return remote.matches() && !LOOPBACK.matcher(remote.group(1)).matches()
        ? place
        : place + " on " + machine;
  }

  private static String program() {
    String command = System.getProperty("sun.java.command", "java").strip().split("\\s", 2)[0];
    String file =
        command.substring(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1);
    return file.endsWith(".jar") ? file : file.substring(file.lastIndexOf('.') + 1);
  }

  /** The host name and the kernel's boot id, since host names are not unique. */
  private static String machineName() {
    String name = firstLine("/proc/sys/kernel/hostname");
    if (name.isEmpty()) {
      try {
        name = InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException e) {
        name = "an unnamed machine";
      }
    }
    String boot = firstLine("/proc/sys/kernel/random/boot_id");
    return boot.isEmpty() ? name : name + " " + boot.substring(0, Math.min(8, boot.length()));
  }

  private static String firstLine(String file) {
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException | RuntimeException e) {
      return "";
    }
  }
}
