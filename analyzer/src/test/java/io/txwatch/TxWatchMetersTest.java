package io.txwatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.txwatch.metrics.Meter;
import io.txwatch.page.ExampleAnomalies;
import io.txwatch.page.TestSource;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class TxWatchMetersTest {

  @Test
  void everyMeterIsRegisteredAndFollowsTheResults() {
    TestSource source = new TestSource();
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new TxWatchMeters(source).bindTo(registry);
    assertThat(registry.getMeters())
        .hasSize(Arrays.stream(Meter.values()).mapToInt(meter -> meter.series().size()).sum());
    source.add(ExampleAnomalies.lostUpdate(), 3);
    assertThat(
            registry
                .get("txwatch.anomalies.listed")
                .tags("phenomenon", "LOST_UPDATE", "verdict", "HAZARD")
                .gauge()
                .value())
        .isEqualTo(3);
    assertThat(registry.get("txwatch.statements").functionCounter().count()).isEqualTo(8_000);
    assertThat(registry.get("txwatch.graph.memory").gauge().getId().getBaseUnit())
        .isEqualTo("bytes");
  }
}
