package io.txwatch.bench.overhead;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processor time that processes have used, from Linux's {@code /proc}. On a machine that others use
 * too it says more than the clock.
 */
final class ProcessorTime {

  /** Linux counts in hundredths of a second, whatever its own clock does. */
  private static final double TICKS_PER_SECOND = 100;

  private ProcessorTime() {}

  /** Seconds used by all processes that this one started, and by those that they started. */
  static double ofDescendants() {
    return ProcessHandle.current().descendants().mapToDouble(p -> of(p.pid())).sum();
  }

  /** Seconds used by a process; 0 if nothing is known of it. */
  static double of(long process) {
    try {
      String stat =
          Files.readString(Path.of("/proc/" + process + "/stat"), StandardCharsets.ISO_8859_1);
      // The second field is a name in parentheses, with whatever characters.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    } catch (IOException e) {
      return 0;
    }
  }
}
