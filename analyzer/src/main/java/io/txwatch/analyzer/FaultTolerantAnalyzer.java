package io.txwatch.analyzer;

import io.txwatch.coverage.Coverage;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An analyzer that survives its own faults, including {@link OutOfMemoryError}. An exception within
 * an event may leave an inconsistent state, so the analysis {@linkplain Analyzer#restart restarts}
 * and the event is counted as {@link GapReason#FAULT}. After {@value #MAX_FAULTS} faults without
 * {@value #QUIET_EVENTS} events in between, the analyzer switches itself off and releases its
 * memory. Both are reported once. Nothing is ever thrown to the caller.
 */
public final class FaultTolerantAnalyzer implements EventSink {

  static final int MAX_FAULTS = 16;
  static final int QUIET_EVENTS = 1_000_000;

  private final Consumer<String> warnings;
  private @Nullable Analyzer analyzer;

  /** The coverage up to the moment at which it was switched off. */
  private Coverage before = Coverage.NONE;

  private long clockAtEnd;
  private long ignored;
  private int faults;
  private boolean reported;
  private long quiet;

  /**
   * Wraps an analyzer.
   *
   * @param warnings receives warnings, one line each
   */
  public FaultTolerantAnalyzer(Analyzer analyzer, Consumer<String> warnings) {
    this.analyzer = analyzer;
    this.warnings = warnings;
  }

  /** The approximate memory of the analysis, in bytes. */
  public long bytes() {
    return analyzer == null ? 0 : analyzer.bytes();
  }

  @Override
  public void accept(Event event) {
    Analyzer analysis = analyzer;
    if (analysis == null) {
      ignored++;
      return;
    }
    try {
      analysis.accept(event);
      if (++quiet == QUIET_EVENTS) {
        faults = 0;
      }
    } catch (Throwable e) { // whatever it is, the application must not be affected
      failed(analysis, e, Event.Gap.ofFault(event));
    }
  }

  public void suspect() {
    Analyzer analysis = analyzer;
    if (analysis == null) {
      return;
    }
    try {
      analysis.suspect();
    } catch (Throwable e) {
      failed(analysis, e, new Event.Gap(0, 0, GapReason.FAULT, "a search for suspicions", 1));
    }
  }

  /** {@link Analyzer#tick}; false once it is switched off. */
  public boolean tick(long nanos) {
    Analyzer analysis = analyzer;
    if (analysis == null) {
      return false;
    }
    try {
      return analysis.tick(nanos);
    } catch (Throwable e) {
      failed(analysis, e, new Event.Gap(0, 0, GapReason.FAULT, "events that had waited", 1));
      return true;
    }
  }

  private void failed(Analyzer analysis, Throwable fault, Event.Gap gap) {
    quiet = 0;
    faults++;
    try {
      if (faults < MAX_FAULTS) {
        analysis.restart();
        analysis.accept(gap);
        if (!reported) {
          reported = true;
          warnings.accept(
              "a fault of txwatch, please report it; the analysis starts again: " + fault);
        }
        return;
      }
    } catch (Throwable again) {
      fault.addSuppressed(again);
    }
    switchOff(analysis, fault);
  }

  private void switchOff(Analyzer analysis, Throwable fault) {
    analyzer = null;
    ignored++;
    try {
      before = analysis.coverage();
      clockAtEnd = analysis.clock();
      warnings.accept(
          "the analysis is switched off after repeated faults of txwatch, please report it; the"
              + " application is not affected: "
              + fault);
    } catch (Throwable e) {
      // Not even a line can be written: it stays off without one.
    }
  }

  public void retain(long time) {
    if (analyzer != null) {
      analyzer.retain(time);
    }
  }

  public long clock() {
    return analyzer == null ? clockAtEnd + ignored : analyzer.clock();
  }

  /** {@link Analyzer#coverage()}; later events count as gaps once it is switched off. */
  public Coverage coverage() {
    return analyzer != null
        ? analyzer.coverage()
        : before.plus(new Coverage(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Map.of(GapReason.FAULT, ignored)));
  }

  @Override
  public void close() {
    if (analyzer != null) {
      try {
        analyzer.close();
      } catch (Throwable e) {
        failed(analyzer, e, new Event.Gap(0, 0, GapReason.FAULT, "the end", 1));
      }
    }
  }
}
