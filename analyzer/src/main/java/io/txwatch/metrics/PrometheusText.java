package io.txwatch.metrics;

import java.util.Map;
import java.util.stream.Collectors;

/** The text format of Prometheus, version 0.0.4, in which every meter has its help and its type. */
public final class PrometheusText {

  /** The media type. */
  public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private PrometheusText() {}

  /** The text. Labels and descriptions contain nothing that would have to be escaped. */
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
    return text.toString();
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
