package io.txwatch.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Describes the machine; every report includes it. */
public final class Machine {

  private Machine() {}

  /** A line of Markdown: date, processors, memory, load, JVM, operating system. */
  public static String describe() {
    return String.format(
        Locale.ROOT,
        "%s UTC · %d × %s · %s · load average %s · %s %s · %s %s",
        DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm")
            .withZone(ZoneOffset.UTC)
            .format(Instant.now()),
        Runtime.getRuntime().availableProcessors(),
        first("/proc/cpuinfo", "model name", "processor"),
        memory(),
        load(),
        System.getProperty("java.vm.name"),
        System.getProperty("java.vm.version"),
        System.getProperty("os.name"),
        System.getProperty("os.version"));
  }

  /** The load average of the last minute. */
  public static String load() {
    return String.format(
        Locale.ROOT, "%.2f", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  private static String memory() {
    String kilobytes = first("/proc/meminfo", "MemTotal", "").replaceAll("[^0-9]", "");
    return kilobytes.isEmpty() ? "memory unknown" : Long.parseLong(kilobytes) / 1_048_576 + " GiB";
  }

  /** The first value of a key in a file of "key : value" lines. */
  private static String first(String file, String key, String otherwise) {
    try (var lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(otherwise);
    } catch (IOException e) {
      return otherwise;
    }
  }
}
