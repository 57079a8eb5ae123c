package io.txwatch.analyzer;

import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.EventSinkProvider;
import io.txwatch.report.ApplicationLog;
import io.txwatch.report.ConsoleReporter;
import io.txwatch.report.LogTarget;
import io.txwatch.report.ReportFile;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.Flushable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The analyzer inside the watched application: {@code txwatch.analyzer=inprocess}. Anomalies are
 * written to the file of {@code txwatch.report}, one line of JSON each, and for people to standard
 * error or the application's log, as {@code txwatch.log} selects.
 */
public final class InProcessAnalyzer implements EventSinkProvider {

  private final PrintStream people;

  /** For {@link java.util.ServiceLoader}. */
  public InProcessAnalyzer() {
    this(System.err);
  }

  InProcessAnalyzer(PrintStream people) {
    this.people = people;
  }

  @Override
  public String name() {
    return "inprocess";
  }

  @Override
  public EventSink open(Settings settings) throws IOException {
    return open(settings, Thread.currentThread().getContextClassLoader());
  }

  @Override
  public EventSink open(Settings settings, @Nullable ClassLoader application) throws IOException {
    Judge judge = Judge.named(settings.get(Setting.JUDGE_BY));
    String file = settings.get(Setting.REPORT);
    ReportFile report =
        file.isEmpty() ? null : ReportFile.append(file, line -> people.println("txwatch: " + line));
    String where = settings.get(Setting.LOG);
    ConsoleReporter log =
        where.equals("none")
            ? null
            : new ConsoleReporter(
                where.equals("slf4j")
                    ? ApplicationLog.of(application, people)
                    : LogTarget.of(people),
                System::nanoTime);
    Analyzer analyzer =
        new Analyzer(
            judge,
            anomaly -> {
              if (report != null) {
                report.write(anomaly);
              }
              if (log != null) {
                log.report(anomaly);
              }
            });
    analyzer.onWithdrawn(
        anomaly -> {
          if (report != null) {
            report.withdraw(anomaly);
          }
          if (log != null) {
            log.withdraw(anomaly);
          }
        });
    return new ReportingSink(
        new FaultTolerantAnalyzer(analyzer, line -> people.println("txwatch: " + line)),
        report,
        log);
  }

  /** The analyzer with its reporters. */
  private static final class ReportingSink implements EventSink, Flushable {

    private static final long SUSPECT_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The number of events between two reads of the clock. */
    private static final int EVENTS_PER_FLUSH = 1024;

    private final FaultTolerantAnalyzer analyzer;
    private final @Nullable ReportFile report;
    private final @Nullable ConsoleReporter log;
    private long suspected = System.nanoTime();
    private int events;

    ReportingSink(
        FaultTolerantAnalyzer analyzer,
        @Nullable ReportFile report,
        @Nullable ConsoleReporter log) {
      this.analyzer = analyzer;
      this.report = report;
      this.log = log;
    }

    @Override
    public void accept(Event event) {
      analyzer.accept(event);
      if (++events % EVENTS_PER_FLUSH == 0) {
        flush();
      }
      if (log != null) {
        log.tick();
      }
    }

    /** Also called while no events arrive. */
    @Override
    public void flush() {
      long now = System.nanoTime();
      if (now - suspected > SUSPECT_INTERVAL_NANOS) {
        suspected = now;
        analyzer.suspect();
      }
    }

    @Override
    public void close() {
      analyzer.close();
      if (log != null) {
        log.close(analyzer.coverage());
      }
      if (report != null) {
        report.close();
      }
    }
  }
}
