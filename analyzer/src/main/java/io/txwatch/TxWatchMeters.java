package io.txwatch;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.txwatch.analyzer.ProcessSource;
import io.txwatch.live.LiveSource;
import io.txwatch.metrics.Measurement;
import io.txwatch.metrics.Meter;
import java.util.List;

/**
 * Registers the figures of this JVM's analyzers with Micrometer: {@code new
 * TxWatchMeters().bindTo(registry)}. Only who uses this class needs Micrometer.
 */
public final class TxWatchMeters implements MeterBinder {

  private final LiveSource source;

  /** The meters of all analyzers of this JVM. */
  public TxWatchMeters() {
    this(new ProcessSource());
  }

  TxWatchMeters(LiveSource source) {
    this.source = source;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (Meter meter : Meter.values()) {
      String unit = meter.unit().isEmpty() ? null : meter.unit();
      for (Meter.Series series : meter.series()) {
        List<Tag> tags =
            series.labels().entrySet().stream()
                .map(label -> Tag.of(label.getKey(), label.getValue()))
                .toList();
        if (meter.type() == Meter.Type.COUNTER) {
          FunctionCounter.builder(meter.dottedName(), source, from -> value(series, from))
              .description(meter.description())
              .baseUnit(unit)
              .tags(tags)
              .register(registry);
        } else {
          Gauge.builder(meter.dottedName(), source, from -> value(series, from))
              .description(meter.description())
              .baseUnit(unit)
              .tags(tags)
              .strongReference(true)
              .register(registry);
        }
      }
    }
  }

  private static double value(Meter.Series series, LiveSource from) {
    return series.value(Measurement.of(from));
  }
}
