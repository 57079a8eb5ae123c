package io.txwatch.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The resident memory of processes in bytes, from Linux's {@code /proc}. */
public final class ProcessMemory {

  private ProcessMemory() {}

  /** The resident set; 0 if the process has ended or the system does not report it. */
  public static long residentBytes(long process) {
    return bytes(process, "VmRSS:");
  }

  /** The peak of the resident set; 0 if the process has ended or the system does not report it. */
  public static long peakBytes(long process) {
    return bytes(process, "VmHWM:");
  }

  private static long bytes(long process, String key) {
    try {
      return Files.readAllLines(Path.of("/proc/" + process + "/status")).stream()
          .filter(line -> line.startsWith(key))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }
}
