package io.txwatch.bench.overhead;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The CPU time of processes, from Linux's {@code /proc}. On a shared machine it is more accurate
 * than the wall clock.
 */
final class ProcessorTime {

  /** Linux reports hundredths of a second, whatever its clock rate. */
  private static final double TICKS_PER_SECOND = 100;

  private ProcessorTime() {}

  /** The CPU seconds of all descendants of this process. */
  static double ofDescendants() {
    return ProcessHandle.current().descendants().mapToDouble(p -> of(p.pid())).sum();
  }

  /** The CPU seconds of a process; 0 if unknown. */
  static double of(long process) {
    return inFile(Path.of("/proc/" + process + "/stat"));
  }

  /** The CPU seconds of a JVM's compiler threads, as long as none of them has ended. */
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
      // The second field is a name in parentheses, with arbitrary characters.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
    } catch (IOException e) {
      return 0;
    }
  }
}
