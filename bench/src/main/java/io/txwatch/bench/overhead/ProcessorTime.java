package io.txwatch.bench.overhead;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

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
    return inFile(Path.of("/proc/" + process + "/stat"));
  }

  /** Seconds used by the compilers of a JVM, as long as none of their threads has ended. */
  static double ofCompilers(long process) {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process + "/task"))) {
      return threads
          .filter(ProcessorTime::isCompiler)
          .mapToDouble(thread -> inFile(thread.resolve("stat")))
          .sum();
    } catch (IOException e) {
      return 0;
    }
  }

  private static boolean isCompiler(Path thread) {
    try {
      String name = Files.readString(thread.resolve("comm"), StandardCharsets.ISO_8859_1);
      return name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler");
    } catch (IOException e) {
      return false; // it has ended
    }
  }

  private static double inFile(Path file) {
    try {
      String stat = Files.readString(file, StandardCharsets.ISO_8859_1);
      // The second field is a name in parentheses, with whatever characters.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    } catch (IOException e) {
      return 0;
    }
  }
}
