package io.txwatch.serve;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Logs at most {@value #MAX_LINES} lines in {@value #INTERVAL_SECONDS} seconds and counts the
 * others, so that a port scan cannot fill a log. Text from outside is made printable. Thread-safe.
 */
final class RateLimitedLog {

  static final int MAX_LINES = 20;
  static final int INTERVAL_SECONDS = 60;

  private final Consumer<String> out;
  private long since = System.nanoTime();
  private int reported;
  private long suppressed;

  RateLimitedLog(Consumer<String> out) {
    this.out = out;
  }

  synchronized void log(String line) {
    tick();
    if (reported < MAX_LINES) {
      reported++;
      out.accept(printable(line));
    } else {
      suppressed++;
    }
  }

  /** Logs the number of suppressed lines when the interval is over. */
  synchronized void tick() {
    if (System.nanoTime() - since > TimeUnit.SECONDS.toNanos(INTERVAL_SECONDS)) {
      if (suppressed > 0) {
        out.accept(suppressed + " more lines like these were left out");
      }
      since = System.nanoTime();
      reported = 0;
      suppressed = 0;
    }
  }

  /** The text on one line, in printable ASCII, shortened. */
  static String printable(String text) {
    String line = text.replaceAll("[^ -~]+", "?");
    return line.length() <= 300 ? line : line.substring(0, 300) + "...";
  }
}
