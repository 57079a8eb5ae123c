package io.txwatch.catalog;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Logs why tables could not be looked up: each cause at most once in {@value #INTERVAL_SECONDS}
 * seconds, with the number of lines that were left out. Thread-safe.
 */
final class LookupLog {

  static final int INTERVAL_SECONDS = 60;

  /** More causes than this in an interval are not logged. */
  private static final int MAX_CAUSES = 50;

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(INTERVAL_SECONDS);

  private static final class Logged {
    private long atNanos;
    private long leftOut;
  }

  private final LongSupplier nanos;
  private final Map<String, Logged> causes = new HashMap<>();

  LookupLog(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Logs a line.
   *
   * @param cause what it is counted by
   * @param line contains the cause, and an example
   */
  void log(String cause, String line, Consumer<String> out) {
    String text = line;
    synchronized (this) {
      long now = nanos.getAsLong();
      Logged before = causes.get(cause);
      if (before == null) {
        if (causes.size() >= MAX_CAUSES) {
          causes.values().removeIf(logged -> now - logged.atNanos >= INTERVAL_NANOS);
        }
        if (causes.size() >= MAX_CAUSES) {
          return;
        }
        before = new Logged();
        causes.put(cause, before);
      } else if (now - before.atNanos < INTERVAL_NANOS) {
        before.leftOut++;
        return;
      }
      if (before.leftOut > 0) {
        text += " (and " + before.leftOut + " more since the last such line)";
      }
      before.atNanos = now;
      before.leftOut = 0;
    }
    out.accept(text);
  }
}
