package io.txwatch.interleave.run;

import java.util.Arrays;
import java.util.Optional;

/** What a thread waits for in this process, by its stack. */
final class ProcessWait {

  private ProcessWait() {}

  /** The wait in words, with a blank in front. */
  static String of(Thread thread) {
    StackTraceElement[] stack = thread.getStackTrace();
    Optional<StackTraceElement> pool =
        Arrays.stream(stack)
            .filter(frame -> frame.getMethodName().equals("getConnection"))
            .filter(frame -> !frame.getClassName().startsWith("java.sql."))
            .findFirst();
    if (pool.isPresent()) {
      return " for a connection of a pool that is too small, at " + pool.get();
    }
    return Arrays.stream(stack)
        .filter(frame -> !frame.getClassName().startsWith("java."))
        .filter(frame -> !frame.getClassName().startsWith("jdk."))
        .findFirst()
        .map(frame -> " in this process at " + frame)
        .orElse(" in this process");
  }
}
