package io.txwatch.schedule;

import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * The most CPU time that a step of a case takes if the DBMS runs in this process: more while its
 * code is new to the JVM than later. For the steps of one executor.
 */
final class CpuTimeBudget {

  /** More than a statement needs while classes are loaded and code is compiled. */
  private static final long MAX_COLD_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  /** A hundred times what a statement needs in warm code. */
  private static final long MAX_WARM_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The number of steps after which code counts as warm, unless classes are loaded. */
  private static final long COLD_STEPS = 2_000;

  private static final ClassLoadingMXBean CLASSES = ManagementFactory.getClassLoadingMXBean();

  /** True if the driver parses statements as well, which can take long. */
  private final boolean watched;

  private long steps;
  private long classes;

  CpuTimeBudget(boolean watched) {
    this.watched = watched;
  }

  /** Records that a step is about to be submitted. */
  void begin() {
    classes = CLASSES.getTotalLoadedClassCount();
  }

  /** Adds completed steps. */
  void count(int more) {
    steps += more;
  }

  /** The CPU time after which a running step counts as endless. */
  long maxNanos() {
    boolean isCold = watched || steps < COLD_STEPS || CLASSES.getTotalLoadedClassCount() != classes;
    return isCold ? MAX_COLD_NANOS : MAX_WARM_NANOS;
  }
}
