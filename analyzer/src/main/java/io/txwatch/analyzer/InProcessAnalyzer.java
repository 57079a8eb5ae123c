package io.txwatch.analyzer;

import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.EventSinkProvider;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.io.PrintStream;

/**
 * The analyzer inside the watched application: {@code txwatch.analyzer=inprocess}. Anomalies go to
 * the file of {@code txwatch.report}, a line of JSON each, and to people on standard error unless
 * {@code txwatch.log} says otherwise.
 */
public final class InProcessAnalyzer implements EventSinkProvider {

  private final PrintStream people;

  /** Made by {@link java.util.ServiceLoader}. */
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
    Judge judge = Judge.named(settings.get(Setting.JUDGE_BY));
    String file = settings.get(Setting.REPORT);
    ReportFile report = file.isEmpty() ? null : ReportFile.append(file);
    PeopleLog log =
        settings.get(Setting.LOG).equals("none")
            ? null
            : new PeopleLog(people::print, System::nanoTime);
    Analyzer analyzer =
        new Analyzer(
            judge,
            anomaly -> {
              if (report != null) {
                report.write(anomaly);
              }
              if (log != null) {
                log.tell(anomaly);
              }
            });
    return new EventSink() {
      @Override
      public void accept(Event event) {
        analyzer.accept(event);
        if (log != null) {
          log.tick();
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
    };
  }
}
