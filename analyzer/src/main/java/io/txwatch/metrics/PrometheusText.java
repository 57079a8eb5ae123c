package io.txwatch.metrics;

import io.txwatch.coverage.OperationWaits;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The text format of Prometheus, version 0.0.4, in which every meter has its help and its type. */
public final class PrometheusText {

  /** The media type. */
  public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private PrometheusText() {}

  /** The text. Labels and descriptions of meters contain nothing that would have to be escaped. */
  public static String of(Measurement measurement) {
    StringBuilder text = new StringBuilder();
    for (Meter meter : Meter.values()) {
      String name = name(meter);
      text.append("# HELP ").append(name).append(' ').append(meter.description()).append('\n');
      text.append("# TYPE ").append(name).append(' ').append(type(meter)).append('\n');
      for (Meter.Series series : meter.series()) {
        text.append(name).append(labels(series.labels())).append(' ');
        text.append(series.value(measurement)).append('\n');
      }
    }
    addWaits(text, measurement.coverage().waits().pairs());
    return text.toString();
  }

  /** The waits by pair of operations, of which {@link OperationWaits} bounds the number. */
  private static void addWaits(StringBuilder text, List<OperationWaits.Pair> pairs) {
    String count = "txwatch_operation_waits_total";
    head(text, count, "waits for locks by the operation that waited and the one it waited for");
    for (OperationWaits.Pair pair : pairs) {
      text.append(count).append(labels(pair)).append(' ').append(pair.count()).append('\n');
    }
    String time = "txwatch_operation_wait_seconds_total";
    head(text, time, "the time of these waits");
    for (OperationWaits.Pair pair : pairs) {
      text.append(time).append(labels(pair)).append(' ');
      text.append(String.format(Locale.ROOT, "%.6f", pair.micros() / 1e6)).append('\n');
    }
  }

  private static void head(StringBuilder text, String counter, String description) {
    text.append("# HELP ").append(counter).append(' ').append(description).append('\n');
    text.append("# TYPE ").append(counter).append(" counter\n");
  }

  private static String labels(OperationWaits.Pair pair) {
    return "{holding=\""
        + escape(pair.holding())
        + "\",waiting=\""
        + escape(pair.waiting())
        + "\"}";
  }

  private static String escape(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  /** A unit is the end of a name, and {@code _total} that of a counter's. */
  private static String name(Meter meter) {
    return meter.dottedName().replace('.', '_')
        + (meter.unit().isEmpty() ? "" : "_" + meter.unit())
        + (meter.type() == Meter.Type.COUNTER ? "_total" : "");
  }

  private static String type(Meter meter) {
    return meter.type() == Meter.Type.COUNTER ? "counter" : "gauge";
  }

  private static String labels(Map<String, String> labels) {
    return labels.isEmpty()
        ? ""
        : labels.entrySet().stream()
            .map(label -> label.getKey() + "=\"" + label.getValue() + "\"")
            .collect(Collectors.joining(",", "{", "}"));
  }
}
