package io.txwatch.bench.overhead;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The CPU time of processes, from Linux's {@code /proc}. On a shared machine it is more accurate
 * than the wall clock. It is that of the threads that have not ended.
 */
public final class ProcessorTime {

  private ProcessorTime() {}

  /** The CPU seconds of all descendants of this process. */
  static double ofDescendants() {
    return ProcessHandle.current().descendants().mapToDouble(p -> of(p.pid())).sum();
  }

  /** The CPU seconds of a process; 0 if unknown. */
  static double of(long process) {
    return ofThreads(process, thread -> true);
  }

  /** The CPU seconds of a JVM's compiler threads. */
  static double ofCompilers(long process) {
    return ofThreads(
        process,
        thread -> {
          String name = name(thread);
          return name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler");
        });
  }

  /** The CPU seconds of the threads that txwatch has in a JVM: of the analyzer, of the log. */
  public static double ofWatchers(long process) {
    return ofThreads(process, thread -> name(thread).startsWith("txwatch"));
  }

  /** The CPU seconds of those threads that read the DBMS's record of changes. */
  static double ofLogReaders(long process) {
    return ofThreads(
        process,
        thread -> {
          String name = name(thread);
          return name.startsWith("txwatch-binary-") || name.startsWith("txwatch-changes");
        });
  }

  private static double ofThreads(long process, Predicate<Path> which) {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process + "/task"))) {
      return threads.filter(which).mapToDouble(ProcessorTime::ofThread).sum();
    } catch (IOException e) {
      return 0;
    }
  }

  /** The name of a thread, cut to 15 characters; empty if it has ended. */
  private static String name(Path thread) {
    return read(thread.resolve("comm"));
  }

  private static double ofThread(Path thread) {
    String nanos = read(thread.resolve("schedstat")); // the first of three numbers
    return nanos.isEmpty() ? 0 : Long.parseLong(nanos.substring(0, nanos.indexOf(' '))) / 1e9;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // the thread has ended
    }
  }
}
