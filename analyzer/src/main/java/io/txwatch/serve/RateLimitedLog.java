package io.txwatch.serve;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Lets so many lines through that people can read them, at most {@value #MAX_LINES} in {@value
 * #INTERVAL_SECONDS} seconds, and counts the others: a port that is knocked at must not fill a log.
 * What came from outside is made fit for a terminal. Safe for many threads.
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

  /** Tells how many lines there were not, if it is time to. */
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

  /** On one line, of printable ASCII, and not longer than people read. */
  static String printable(String text) {
    String line = text.replaceAll("[^ -~]+", "?");
    return line.length() <= 300 ? line : line.substring(0, 300) + "...";
  }
}
