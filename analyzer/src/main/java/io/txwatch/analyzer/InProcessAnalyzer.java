package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.baseline.Baseline;
import io.txwatch.baseline.BaselineException;
import io.txwatch.baseline.BaselineFile;
import io.txwatch.dependency.Granularity;
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
import io.txwatch.stale.Across;
import java.io.Flushable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The analyzer inside the watched application: {@code txwatch.analyzer=inprocess}. Anomalies are
 * written to the file of {@code txwatch.report}, one line of JSON each, and as text to standard
 * error or the application's log, as {@code txwatch.log} selects.
 */
public final class InProcessAnalyzer implements EventSinkProvider {

  private final PrintStream console;

  /** For {@link java.util.ServiceLoader}. */
  public InProcessAnalyzer() {
    this(System.err);
  }

  InProcessAnalyzer(PrintStream console) {
    this.console = console;
  }

  @Override
  public String name() {
    return "inprocess";
  }

  @Override
  public EventSink open(Settings settings) throws IOException {
    return open(settings, () -> null);
  }

  @Override
  public EventSink open(Settings settings, Supplier<@Nullable ClassLoader> application)
      throws IOException {
    Judge judge = Judge.named(settings.get(Setting.JUDGE_BY));
    Granularity granularity =
        Granularity.parse(settings.get(Setting.GRANULARITY)).orElse(Granularity.DEFAULT);
    Across across = Across.parse(settings.get(Setting.ACROSS)).orElse(Across.OFF);
    String where = settings.get(Setting.LOG);
    ApplicationLog ofApplication =
        where.equals("slf4j") ? new ApplicationLog(application, console) : null;
    LogTarget target = ofApplication == null ? LogTarget.of(console) : ofApplication;
    Baseline baseline = baseline(settings.get(Setting.BASELINE));
    ConsoleReporter log =
        where.equals("none") ? null : new ConsoleReporter(target, System::nanoTime, baseline);
    Function<Consumer<Anomaly>, Analyzer> newAnalyzer =
        onAnomaly -> {
          Analyzer analyzer = new Analyzer(judge, onAnomaly, granularity);
          analyzer.across(across);
          return analyzer;
        };
    return new ReportingSink(
        newAnalyzer,
        settings.get(Setting.REPORT),
        settings.get(Setting.HTTP),
        settings.get(Setting.JMX).equals("on"),
        baseline,
        log,
        ofApplication,
        this::warn);
  }

  /** The application is watched without a baseline that cannot be read. */
  private Baseline baseline(String file) {
    try {
      return BaselineFile.inUse(file).map(BaselineFile::baseline).orElse(Baseline.NONE);
    } catch (BaselineException e) {
      warn(e.getMessage() + "; nothing is accepted");
    } catch (IOException e) {
      warn("the baseline cannot be read: " + e + "; nothing is accepted");
    }
    return Baseline.NONE;
  }

  private void warn(String line) {
    console.println("txwatch: " + line);
  }

  /** The analyzer with its reporters. */
  private static final class ReportingSink implements EventSink, Flushable {

    private static final long SUSPECT_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The number of events between two reads of the clock. */
    private static final int EVENTS_PER_FLUSH = 1024;

    private final FaultTolerantAnalyzer analyzer;
    private final InProcessResults results;
    private final String reportName;
    private final Consumer<String> complaints;
    private final @Nullable ConsoleReporter log;
    private final @Nullable ApplicationLog ofApplication;
    private final String pageAddress;
    private final boolean hasBean;
    private @Nullable ReportFile report;
    private @Nullable Runnable closePage;
    private @Nullable Runnable closeBean;
    private long suspected = System.nanoTime();
    private int events;
    private boolean isCoverageStale;
    private long openSessions;

    ReportingSink(
        Function<Consumer<Anomaly>, Analyzer> newAnalyzer,
        String reportName,
        String pageAddress,
        boolean hasBean,
        Baseline baseline,
        @Nullable ConsoleReporter log,
        @Nullable ApplicationLog ofApplication,
        Consumer<String> complaints) {
      this.results = InProcessResults.open(baseline);
      this.reportName = reportName;
      this.pageAddress = pageAddress;
      this.hasBean = hasBean;
      this.complaints = complaints;
      this.log = log;
      this.ofApplication = ofApplication;
      this.report = reportName.isEmpty() ? null : ReportFile.append(reportName, complaints);
      Analyzer analysis = newAnalyzer.apply(this::record);
      analysis.onWithdrawn(this::withdraw);
      this.analyzer = new FaultTolerantAnalyzer(analysis, complaints);
    }

    private void record(Anomaly anomaly) {
      results.add(anomaly);
      ReportFile file = report();
      if (file != null) {
        file.write(anomaly);
      }
      if (log != null) {
        log.report(anomaly);
      }
    }

    private void withdraw(Anomaly anomaly) {
      results.withdraw(anomaly);
      ReportFile file = report();
      if (file != null) {
        file.withdraw(anomaly);
      }
      if (log != null) {
        log.withdraw(anomaly);
      }
    }

    private @Nullable ReportFile report() {
      if (report == null && !reportName.isEmpty()) {
        report = ReportFile.append(reportName, complaints);
      }
      return report;
    }

    private void showResults() {
      if (closePage == null && !pageAddress.isEmpty()) {
        closePage = InProcessPage.use(pageAddress, complaints);
      }
      if (closeBean == null && hasBean) {
        closeBean = InProcessBean.use(complaints);
      }
    }

    private void hideResults() {
      if (closePage != null) {
        closePage.run();
        closePage = null;
      }
      if (closeBean != null) {
        closeBean.run();
        closeBean = null;
      }
    }

    @Override
    public void accept(Event event) {
      showResults();
      analyzer.accept(event);
      EventListeners.INSTANCE.accept(event);
      isCoverageStale = true;
      if (event instanceof Event.SessionOpened) {
        openSessions++;
      } else if (event instanceof Event.SessionClosed) {
        openSessions = Math.max(0, openSessions - 1); // an opening may be lost
      }
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
      if (analyzer.tick(now)) {
        isCoverageStale = true;
        caughtUp(); // the queue may sleep from now on
      }
      if (now - suspected > SUSPECT_INTERVAL_NANOS) {
        suspected = now;
        analyzer.suspect();
        isCoverageStale = true;
      }
    }

    @Override
    public void caughtUp() {
      if (isCoverageStale) {
        isCoverageStale = false;
        results.setProgress(analyzer.coverage(), analyzer.bytes(), openSessions);
      }
    }

    /** What is known stays: a row that is read later may show what was written before. */
    @Override
    public boolean quiesce() {
      analyzer.close();
      hideResults();
      caughtUp();
      if (log != null) {
        log.rest(analyzer.coverage());
      }
      if (ofApplication != null) {
        ofApplication.release();
      }
      if (report != null) {
        report.close();
        // A file that blocks keeps its thread, so there is at most one.
        report = report.isOpen() ? report : null;
      }
      return true;
    }

    @Override
    public void close() {
      analyzer.close();
      hideResults();
      results.close();
      if (log != null) {
        log.close(analyzer.coverage());
      }
      if (report != null) {
        report.close();
      }
    }
  }
}
