package io.txwatch.bench.scale;

import io.txwatch.analyzer.InProcessResults;
import io.txwatch.coverage.Coverage;
import io.txwatch.history.AnalysisQueues;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;

/** What is common to the benchmarks of applications that are watched without any setting. */
final class WatchedByDefault {

  private static final Duration MAX_ANALYSIS = Duration.ofMinutes(1);

  /** Longer than a row that is read by value may wait for the DBMS's record of changes. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final long POLL_MILLIS = 50;

  private WatchedByDefault() {}

  /** The watched URL of a real one. */
  static String url(String real) {
    return "jdbc:txwatch:" + real.substring("jdbc:".length());
  }

  /** What all analyzers of this process have observed until now. */
  static Coverage coverage() {
    return InProcessResults.all().stream()
        .map(InProcessResults::coverage)
        .reduce(Coverage.NONE, Coverage::plus);
  }

  /** The rows read whose version is known: one version, or a run of versions with equal values. */
  static long known(Coverage coverage) {
    return coverage.rowsRead();
  }

  /**
   * Waits until so many rows are known, or nothing has changed for {@link #QUIET_NANOS}.
   *
   * @return the number of rows that are known
   */
  static long awaitKnown(long rows) throws InterruptedException {
    AnalysisQueues.awaitDelivered(MAX_ANALYSIS);
    Coverage last = coverage();
    long since = System.nanoTime();
    while (known(last) < rows && System.nanoTime() - since < QUIET_NANOS) {
      Thread.sleep(POLL_MILLIS);
      Coverage now = coverage();
      if (!now.equals(last)) {
        last = now;
        since = System.nanoTime();
      }
    }
    return known(last);
  }

  /** The command line, as a block of Markdown. */
  static String commandLine(CommandSpec command) {
    return "    bench/run"
        + String.join(
            "",
            command.commandLine().getParseResult().originalArgs().stream()
                .filter(argument -> !argument.startsWith("--out"))
                .map(argument -> " " + argument)
                .toList())
        + "\n\n";
  }

  static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  static String percent(long part, long whole) {
    return text("%.1f %%", 100.0 * part / Math.max(1, whole));
  }
}
