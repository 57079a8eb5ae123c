package io.txwatch.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.coverage.OperationWaits;
import io.txwatch.page.ExampleAnomalies;
import io.txwatch.page.TestSource;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class MeterTest {

  private static final Pattern SAMPLE =
      Pattern.compile("([a-z_]+)(\\{[a-z]+=\"[A-Z0-9_]+\"(?:,[a-z]+=\"[A-Z0-9_]+\")*})? (\\d+)");

  private final TestSource source = new TestSource();

  private Map<String, Long> samples() {
    Map<String, Long> samples = new HashMap<>();
    for (String line : PrometheusText.of(Measurement.of(source)).split("\n")) {
      if (!line.startsWith("#")) {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        String labels = sample.group(2) == null ? "" : sample.group(2);
        assertThat(samples.put(sample.group(1) + labels, Long.parseLong(sample.group(3))))
            .as(line)
            .isNull();
      }
    }
    return samples;
  }

  @Test
  void prometheusTextHasEveryMeterWithHelpAndType() {
    source.add(ExampleAnomalies.lostUpdate(), 3);
    assertThat(samples())
        .containsEntry("txwatch_transactions_total", 2_000L)
        .containsEntry("txwatch_statements_observed_total", 7_900L)
        .containsEntry("txwatch_graph_memory_bytes", 1L << 20)
        .containsEntry("txwatch_gaps_total{reason=\"SHAPE\"}", 100L)
        .containsEntry("txwatch_gaps_total{reason=\"OVERFLOW\"}", 0L)
        .containsEntry(
            "txwatch_anomalies_listed{phenomenon=\"LOST_UPDATE\",verdict=\"HAZARD\"}", 3L)
        .containsEntry(
            "txwatch_anomalies_listed{phenomenon=\"LOST_UPDATE\",verdict=\"VIOLATION\"}", 0L);
    assertThat(PrometheusText.of(Measurement.of(source)))
        .contains(
            """
            # HELP txwatch_sessions open sessions
            # TYPE txwatch_sessions gauge
            txwatch_sessions 4
            """);
  }

  @Test
  void waitsHaveTheirOperationsAsLabels() {
    OperationWaits waits =
        new OperationWaits(
            List.of(new OperationWaits.Pair("a \"b\"", "c", 2, 1_500_000, 1, "")), 3);
    source.set(waits);
    assertThat(PrometheusText.of(Measurement.of(source)))
        .contains(
            "txwatch_waits_total 2\n",
            "txwatch_wait_time_milliseconds_total 1500\n",
            "txwatch_transactions_repeated_total 3\n",
            "txwatch_operation_waits_total{holding=\"c\",waiting=\"a \\\"b\\\"\"} 2\n",
            "txwatch_operation_wait_seconds_total{holding=\"c\",waiting=\"a \\\"b\\\"\"} 1.500000\n");
  }

  @Test
  void beanHasTheSameValuesUntilItIsClosed() throws Exception {
    source.add(ExampleAnomalies.skewOfThree(), 5);
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName(MeterBean.NAME);
    try (MeterBean bean = MeterBean.open(source)) {
      String[] attributes =
          Arrays.stream(server.getMBeanInfo(name).getAttributes())
              .map(MBeanAttributeInfo::getName)
              .toArray(String[]::new);
      assertThat(server.getAttributes(name, attributes)).hasSameSizeAs(samples().keySet());
      assertThat(server.getAttribute(name, "Transactions")).isEqualTo(2_000L);
      assertThat(server.getAttribute(name, "Gaps.SHAPE")).isEqualTo(100L);
      assertThat(server.getAttribute(name, "AnomaliesListed.G2_ITEM.VIOLATION")).isEqualTo(5L);
      assertThatThrownBy(() -> MeterBean.open(source))
          .isInstanceOf(InstanceAlreadyExistsException.class);
    }
    assertThatThrownBy(() -> server.getMBeanInfo(name))
        .isInstanceOf(InstanceNotFoundException.class);
  }
}
