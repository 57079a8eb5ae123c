package io.txwatch.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A line of progress on standard error: what is done, the rate, the time left. It replaces itself,
 * and disappears in the end. Where standard error is no terminal there is none.
 */
final class Progress implements AutoCloseable {

  private static final long INTERVAL_MILLIS = 250;

  /** Removes the line on which the cursor is. */
  static final String CLEAR = "\r\u001b[K";

  private static final Progress NONE = new Progress();

  private final @Nullable ScheduledExecutorService clock;
  private final @Nullable PrintWriter out;

  private Progress() {
    this.clock = null;
    this.out = null;
  }

  private Progress(PrintWriter out, Supplier<String> line) {
    this.out = out;
    this.clock =
        Executors.newSingleThreadScheduledExecutor(
            body -> {
              Thread thread = new Thread(body, "progress");
              thread.setDaemon(true);
              return thread;
            });
    clock.scheduleAtFixedRate(
        () -> {
          out.print(CLEAR + line.get());
          out.flush();
        },
        INTERVAL_MILLIS,
        INTERVAL_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  /**
   * Shows the progress of something of known size.
   *
   * @param what what is done: {@code shop.history}
   * @param total how much there is, in bytes
   * @param done how much of it is done; called by another thread
   */
  static Progress ofBytes(Console console, String what, long total, LongSupplier done) {
    long start = System.nanoTime();
    return of(
        console, () -> line(what, done.getAsLong(), total, (System.nanoTime() - start) / 1e9));
  }

  /** Shows how long something has taken, and the rest of its estimated time. */
  static Progress ofEstimate(Console console, String what, double estimatedSeconds) {
    long start = System.nanoTime();
    return of(console, () -> estimate(what, (System.nanoTime() - start) / 1e9, estimatedSeconds));
  }

  /** {@code changing 12 tables: 4 s, about 8 s left}. */
  static String estimate(String what, double seconds, double estimatedSeconds) {
    double left = estimatedSeconds - seconds;
    return String.format(
        Locale.ROOT,
        "%s: %.0f s%s",
        what,
        seconds,
        left < 1 ? "" : String.format(Locale.ROOT, ", about %.0f s left", left));
  }

  /** Shows a line that is made again each time; by another thread. */
  static Progress of(Console console, Supplier<String> line) {
    return Terminal.showsProgress() ? new Progress(console.err(), line) : NONE;
  }

  /** {@code shop.history: 42 %, 12.3 MB a second, 8 s left}. */
  static String line(String what, long done, long total, double seconds) {
    double rate = seconds <= 0 ? 0 : done / seconds;
    String left =
        rate <= 0 ? "" : String.format(Locale.ROOT, ", %.0f s left", (total - done) / rate);
    return String.format(
        Locale.ROOT,
        "%s: %d %%, %.1f MB a second%s",
        Console.printable(what),
        total == 0 ? 100 : 100 * done / total,
        rate / 1e6,
        left);
  }

  @Override
  public void close() {
    if (clock != null && out != null) {
      clock.shutdownNow();
      try {
        clock.awaitTermination(1, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      out.print(CLEAR);
      out.flush();
    }
  }
}
