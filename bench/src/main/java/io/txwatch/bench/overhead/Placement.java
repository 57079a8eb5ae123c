package io.txwatch.bench.overhead;

import io.txwatch.bench.UnusableOptionException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Which of this machine's processors the application runs on, and which the server.
 *
 * <p>A server that happens to run on its client's processor answers a simple statement in 40
 * microseconds, one on another in 110, since a processor must be woken at either side. Left alone,
 * the scheduler chooses by chance which client is lucky, and keeps to it for long: what is measured
 * then is its choice, and not what watching costs.
 */
enum Placement {
  /** Each has one half of the processors: what hosts of their own would be, but for the network. */
  APART,
  /** As the scheduler has it. */
  SHARED;

  private static final Path STATUS = Path.of("/proc/self/status");

  /** Those that this process had when it began. */
  private static final List<Integer> ALL = processors();

  /**
   * This one, if it can be had here.
   *
   * @throws UnusableOptionException if there are not two processors, or not known
   */
  Placement usable() {
    if (this == APART) {
      half(ALL, 0);
    }
    return this;
  }

  /** A sentence for reports. */
  String describe() {
    return switch (this) {
      case APART ->
          "The clients run on one half of the processors, and the server, if the benchmark started"
              + " it, on the other.";
      case SHARED -> "Clients and server share the processors.";
    };
  }

  /** What the command line of a process of the application begins with. */
  List<String> ofApplication() {
    return this == SHARED ? List.of() : List.of("taskset", "-c", half(ALL, 0));
  }

  /**
   * Gives the servers their processors, and so all processes and threads that they start: all that
   * this process has started so far.
   */
  void placeServers() throws IOException {
    if (this == SHARED) {
      return;
    }
    for (ProcessHandle server : ProcessHandle.current().descendants().toList()) {
      place(server, half(ALL, 1));
    }
  }

  /** Makes this process one of the application's. */
  void placeThisProcess() throws IOException {
    if (this == APART) {
      place(ProcessHandle.current(), half(ALL, 0));
    }
  }

  private static void place(ProcessHandle process, String processors) throws IOException {
    String pid = Long.toString(process.pid());
    Process taskset =
        new ProcessBuilder("taskset", "-a", "-p", "-c", processors, pid)
            .redirectErrorStream(true)
            .start();
    String said = new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (exit(taskset) != 0 && process.isAlive()) {
      throw new IOException("cannot place process " + pid + ": " + said.strip());
    }
  }

  private static int exit(Process process) throws IOException {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** The processors that this process may run on. */
  private static List<Integer> processors() {
    try (var lines = Files.lines(STATUS)) {
      return lines
          .filter(line -> line.startsWith("Cpus_allowed_list:"))
          .findFirst()
          .map(line -> parse(line.substring(line.indexOf(':') + 1).strip()))
          .orElse(List.of());
    } catch (IOException e) {
      return List.of(); // not Linux
    }
  }

  /** Of a list as Linux writes it: {@code 0-3,8}. */
  static List<Integer> parse(String list) {
    List<Integer> processors = new ArrayList<>();
    for (String range : list.split(",", -1)) {
      String[] ends = range.split("-", -1);
      int last = Integer.parseInt(ends[ends.length - 1]);
      for (int i = Integer.parseInt(ends[0]); i <= last; i++) {
        processors.add(i);
      }
    }
    return processors;
  }

  /**
   * The first or the second half of them, as Linux writes it; of an odd number the second has more.
   *
   * @throws UnusableOptionException if there are not two
   */
  static String half(List<Integer> processors, int which) {
    if (processors.size() < 2) {
      throw new UnusableOptionException(
          "application and server cannot have processors of their own here: --processors shared");
    }
    int middle = processors.size() / 2;
    return (which == 0
            ? processors.subList(0, middle)
            : processors.subList(middle, processors.size()))
        .stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
