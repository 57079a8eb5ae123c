package io.txwatch.metrics;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.GapReason;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** The list of meters. A counter never decreases while the process runs; a gauge may. */
public enum Meter {
  SESSIONS_OPENED(Type.COUNTER, "", "sessions opened", m -> m.coverage().sessions()),
  SESSIONS(Type.GAUGE, "", "open sessions", m -> m.figures().sessions()),
  TRANSACTIONS(Type.COUNTER, "", "transactions that ended", m -> m.coverage().transactions()),
  TRANSACTIONS_COMMITTED(
      Type.COUNTER, "", "transactions that committed", m -> m.coverage().committed()),
  STATEMENTS(Type.COUNTER, "", "statements executed", m -> m.coverage().statements()),
  STATEMENTS_OBSERVED(
      Type.COUNTER,
      "",
      "statements whose rows were observed, or that access no rows",
      m -> m.coverage().instrumented()),
  ROWS_READ(Type.COUNTER, "", "row versions read", m -> m.coverage().rowsRead()),
  ROWS_WRITTEN(Type.COUNTER, "", "row versions written", m -> m.coverage().rowsWritten()),
  ROWS_OBSERVED_PERCENT(
      Type.GAUGE,
      "",
      "percentage of all rows that are observed, rounded up; less than 100 under overload",
      m -> (long) Math.ceil(100 * m.coverage().shed().share().fraction())),
  TRANSACTIONS_SHED(
      Type.COUNTER,
      "",
      "transactions of which nothing was observed because of overload",
      m -> m.coverage().shed().transactions()),
  WAITS(
      Type.COUNTER,
      "",
      "waits for locks, as far as samples show; one for each transaction that was waited for",
      m -> m.coverage().waits().count()),
  WAIT_TIME(
      Type.COUNTER,
      "milliseconds",
      "the time of these waits",
      m -> m.coverage().waits().micros() / 1000),
  TRANSACTIONS_REPEATED(
      Type.COUNTER,
      "",
      "transactions that repeat one that a deadlock or a failure of serialization rolled back",
      m -> m.coverage().waits().repeated()),
  EVENTS_DROPPED(Type.COUNTER, "", "events that were lost", m -> m.figures().dropped()),
  GRAPH_MEMORY(
      Type.GAUGE,
      "bytes",
      "approximate memory of the dependency graph",
      m -> m.figures().graphBytes()),
  ANOMALIES(
      Type.GAUGE, "", "anomalies, except those that were withdrawn", m -> m.figures().anomalies()),
  ANOMALIES_LISTED(
      Type.GAUGE,
      "",
      "anomalies by phenomenon and verdict, without those that have no group for lack of room",
      Arrays.stream(Phenomenon.values())
          .flatMap(
              phenomenon ->
                  Arrays.stream(Verdict.values())
                      .map(
                          verdict ->
                              new Series(
                                  labels(
                                      "phenomenon", phenomenon.name(), "verdict", verdict.name()),
                                  m -> m.anomalies(phenomenon, verdict))))),
  GAPS(
      Type.COUNTER,
      "",
      "what was not observed, by reason",
      Arrays.stream(GapReason.values())
          .map(
              reason ->
                  new Series(
                      labels("reason", reason.name()),
                      m -> m.coverage().gaps().getOrDefault(reason, 0L))));

  /** How the value of a meter changes. */
  public enum Type {
    COUNTER,
    GAUGE
  }

  /**
   * One value of a meter.
   *
   * @param labels what distinguishes it from the meter's other values, sorted; empty if it has one
   */
  public record Series(Map<String, String> labels, ToLongFunction<Measurement> function) {

    /** The present value. */
    public long value(Measurement measurement) {
      return function.applyAsLong(measurement);
    }
  }

  private final Type type;
  private final String unit;
  private final String description;
  private final List<Series> series;

  Meter(Type type, String unit, String description, ToLongFunction<Measurement> value) {
    this(type, unit, description, Stream.of(new Series(Map.of(), value)));
  }

  Meter(Type type, String unit, String description, Stream<Series> series) {
    this.type = type;
    this.unit = unit;
    this.description = description;
    this.series = series.toList();
  }

  private static Map<String, String> labels(String... namesAndValues) {
    Map<String, String> labels = new TreeMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      labels.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return labels;
  }

  /** The name with dots: {@code txwatch.statements.observed}. */
  public String dottedName() {
    return "txwatch." + name().toLowerCase(Locale.ROOT).replace('_', '.');
  }

  public Type type() {
    return type;
  }

  /** The unit: {@code bytes}; empty for a number of things. */
  public String unit() {
    return unit;
  }

  public String description() {
    return description;
  }

  /** Its values, always the same ones: labels have a closed set of values. */
  public List<Series> series() {
    return series;
  }
}
