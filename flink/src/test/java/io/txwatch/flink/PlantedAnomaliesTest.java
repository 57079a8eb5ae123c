package io.txwatch.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.link.TopicRecord;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job finds each of some anomalies that are planted among many operations once, and nothing
 * else. Ten million operations with a thousand anomalies: {@code -Dflink.operations=10000000
 * -Dflink.anomalies=1000}, in 1 GiB.
 */
class PlantedAnomaliesTest {

  private static final long USUAL_OPERATIONS = 40_000;
  private static final long OPERATIONS = Long.getLong("flink.operations", USUAL_OPERATIONS);
  private static final int ANOMALIES = Integer.getInteger("flink.anomalies", 20);
  private static final int SAMPLES = 20;
  private static final long MAX_GROWTH_MIB = 64;
  private static final Pattern TRANSACTION = Pattern.compile("\"id\":\"0[.](\\d+)\",\"session\"");

  /** The job runs in this JVM. */
  private static final PlantedAnomalies TRAFFIC = new PlantedAnomalies(OPERATIONS, ANOMALIES);

  private static final ConcurrentLinkedQueue<String> FOUND = new ConcurrentLinkedQueue<>();
  private static final List<Long> HEAP_MIB = new ArrayList<>();

  @Test
  void eachIsFoundOnceAndTheHeapDoesNotGrow(@TempDir Path directory) throws Exception {
    Configuration configuration = new Configuration();
    configuration.setString("taskmanager.memory.network.max", "32 mb");
    configuration.setString("execution.checkpointing.interval", "10 s");
    configuration.setString("execution.checkpointing.dir", directory.toUri().toString());
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(1, configuration);
    HistoryJob.anomalies(
            environment
                .fromSequence(1, OPERATIONS)
                .flatMap(new Emit())
                .returns(TypeInformation.of(TopicRecord.class))
                .assignTimestampsAndWatermarks(HistoryJob.watermarks()),
            64 << 20)
        .map(WrittenAnomaly::json)
        .returns(Types.STRING)
        .map(new Collected(), Types.STRING)
        .sinkTo(new DiscardingSink<>());
    environment.execute();

    assertThat(TRAFFIC.operations()).isGreaterThanOrEqualTo(OPERATIONS);
    assertThat(TRAFFIC.planted()).hasSizeBetween(ANOMALIES, ANOMALIES + 1);
    assertThat(FOUND.stream().map(PlantedAnomaliesTest::transactions))
        .containsExactlyInAnyOrderElementsOf(TRAFFIC.planted());
    assertThat(Collections.max(HEAP_MIB.subList(SAMPLES / 2, SAMPLES)))
        .as("%s MiB", HEAP_MIB)
        .isLessThan(Collections.max(HEAP_MIB.subList(0, SAMPLES / 2)) + MAX_GROWTH_MIB);
  }

  private static String transactions(String anomaly) {
    List<Long> ids = new ArrayList<>();
    Matcher matcher = TRANSACTION.matcher(anomaly);
    while (matcher.find()) {
      ids.add(Long.parseLong(matcher.group(1)));
    }
    return ids.size() == 2 ? PlantedAnomalies.pair(ids.get(0), ids.get(1)) : anomaly;
  }

  /** Emits the records of an operation, if it completes any. */
  private static final class Emit implements FlatMapFunction<Long, TopicRecord> {
    private static final long serialVersionUID = 1;

    @Override
    public void flatMap(Long operation, Collector<TopicRecord> out) {
      if (operation % (OPERATIONS / SAMPLES) == 0) {
        System.gc();
        long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
        HEAP_MIB.add(used);
        if (OPERATIONS > USUAL_OPERATIONS) {
          System.out.printf(
              Locale.ROOT, "%,d operations: %d MiB, %d found%n", operation, used, FOUND.size());
        }
      }
      while (TRAFFIC.hasNext() && (TRAFFIC.operations() < operation || operation == OPERATIONS)) {
        out.collect(TRAFFIC.next());
      }
    }
  }

  private static final class Collected implements MapFunction<String, String> {
    private static final long serialVersionUID = 1;

    @Override
    public String map(String anomaly) {
      FOUND.add(anomaly);
      return anomaly;
    }
  }
}
