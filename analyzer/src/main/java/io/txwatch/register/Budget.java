package io.txwatch.register;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/**
 * A limit on the processor time of the thread that created it, so that a verdict does not depend on
 * what else the machine does. Where the JVM measures no processor time, elapsed time counts.
 */
final class Budget {

  private static final int CALLS_PER_MEASUREMENT = 1024;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final boolean usesProcessorTime = threads.isCurrentThreadCpuTimeSupported();
  private final Duration limit;
  private final long startNanos;
  private int calls;
  private boolean exhausted;

  Budget(Duration limit) {
    this.limit = limit;
    this.startNanos = now();
  }

  /** Whether the time is used up; cheap enough for inner loops. */
  boolean isExhausted() {
    if (!exhausted && ++calls % CALLS_PER_MEASUREMENT == 0) {
      exhausted = now() - startNanos > limit.toNanos();
    }
    return exhausted;
  }

  Duration limit() {
    return limit;
  }

  private long now() {
    return usesProcessorTime ? threads.getCurrentThreadCpuTime() : System.nanoTime();
  }
}
