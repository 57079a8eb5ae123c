package io.txwatch.schedule;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * How much of the processor's time a step of a case takes at most, where the DBMS runs in this
 * process: much more while its code is new to the JVM than later. For the steps of one executor.
 */
final class CpuTimeBudget {

  /** More than a statement computes while classes are loaded and code is compiled. */
  private static final long MAX_COLD_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  /** A hundred times what a statement computes afterwards. */
  private static final long MAX_WARM_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** After so many steps it is afterwards, unless classes are loaded again. */
  private static final long COLD_STEPS = 2_000;

  private static final ClassLoadingMXBean CLASSES = ManagementFactory.getClassLoadingMXBean();

  /** True if statements are parsed by who watches, too, which can take long. */
  private final boolean watched;

  private long steps;
  private long classes;

  CpuTimeBudget(boolean watched) {
    this.watched = watched;
  }

  /** A step is about to be submitted. */
  void begin() {
    classes = CLASSES.getTotalLoadedClassCount();
  }

  /** Steps have completed. */
  void count(int more) {
    steps += more;
  }

  /** What goes on for longer than that, since it began, does not come to an end. */
  long maxNanos() {
    boolean isCold = watched || steps < COLD_STEPS || CLASSES.getTotalLoadedClassCount() != classes;
    return isCold ? MAX_COLD_NANOS : MAX_WARM_NANOS;
  }
}
