package io.txwatch.flink;

import io.txwatch.link.TopicAddress;
import io.txwatch.link.TopicRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Pattern;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.Encoder;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;

/** The job: reads a topic with histories, analyzes each database, and writes the anomalies. */
public final class HistoryJob {

  /** How much the clocks of the processes may differ; records that are later are late. */
  static final Duration MAX_CLOCK_DIFFERENCE = Duration.ofSeconds(5);

  /**
   * A partition without records, or a process that is silent, holds back the others for as long.
   */
  static final Duration MAX_SILENCE = Duration.ofSeconds(20);

  /** How often it is looked for new topics of Debezium. */
  private static final Duration DISCOVERY = Duration.ofSeconds(10);

  private static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(10);

  private static final String USAGE =
      """
      usage: flink run txwatch-flink.jar --from kafka://HOST:PORT/TOPIC --to DESTINATION
        --to kafka://HOST:PORT/TOPIC | DIRECTORY   where the anomalies go, one JSON object each
        --end present|never      analyse what the topic contains now, or go on (the default)
        --memory MIB             for the analyzer of one database (an eighth of the heap)
        --kafka-config FILE      settings of Kafka's client, as for txwatch.kafka-config
        --changes kafka://HOST:PORT/PREFIX   Debezium's topics: PREFIX, and all that begin with
                                 it and a dot
        --schema-registry URL    of records in Avro, for --changes
        --value-key-file FILE    the key of the hashes in the histories, for --changes (default:
                                 TXWATCH_VALUE_KEY)
      """;

  private HistoryJob() {}

  /** Runs it with the options of {@link #USAGE}. */
  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    if (!environment.getCheckpointConfig().isCheckpointingEnabled()) {
      environment.enableCheckpointing(CHECKPOINT_INTERVAL.toMillis());
    }
    JobOptions options;
    try {
      options = JobOptions.of(args);
      build(environment, options);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(e.getMessage() + "\n" + USAGE, e);
    }
    environment.execute("txwatch " + options.from());
  }

  /**
   * Adds the job to an environment.
   *
   * @throws IllegalArgumentException if an option's value is not valid
   */
  static void build(StreamExecutionEnvironment environment, JobOptions options) {
    Properties client = options.client();
    DataStream<TopicRecord> records =
        environment.fromSource(source(options, client), watermarks(), "histories").uid("histories");
    TopicAddress changes = options.changes();
    if (changes != null) {
      records =
          joined(
              records,
              environment
                  .fromSource(changes(changes, options, client), changeWatermarks(), "changes")
                  .uid("changes"),
              new JoinFunction(options.valueKey(), options.registry()));
    }
    anomalies(records, options.memory())
        .sinkTo(sink(options.to(), client))
        .name("anomalies")
        .uid("anomalies");
  }

  private static KafkaSource<TopicRecord> source(JobOptions options, Properties client) {
    var builder =
        KafkaSource.<TopicRecord>builder()
            .setProperties(client)
            .setBootstrapServers(options.from().brokers())
            .setTopics(options.from().topic())
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setDeserializer(new RecordDeserializer())
            .setProperty("commit.offsets.on.checkpoint", "false");
    if (options.endsAtPresent()) {
      builder.setBounded(OffsetsInitializer.latest());
    }
    return builder.build();
  }

  /** Debezium may create a topic for each table later. */
  private static KafkaSource<ConnectorRecord> changes(
      TopicAddress changes, JobOptions options, Properties client) {
    var builder =
        KafkaSource.<ConnectorRecord>builder()
            .setProperties(client)
            .setBootstrapServers(changes.brokers())
            .setTopicPattern(Pattern.compile(Pattern.quote(changes.topic()) + "([.].*)?"))
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setDeserializer(new ConnectorDeserializer())
            .setProperty("partition.discovery.interval.ms", Long.toString(DISCOVERY.toMillis()))
            .setProperty("isolation.level", "read_committed")
            .setProperty("commit.offsets.on.checkpoint", "false");
    if (options.endsAtPresent()) {
      builder.setBounded(OffsetsInitializer.latest());
    }
    return builder.build();
  }

  /** The time of a change is that at which it was written. */
  static WatermarkStrategy<ConnectorRecord> changeWatermarks() {
    return WatermarkStrategy.<ConnectorRecord>forMonotonousTimestamps()
        .withTimestampAssigner((next, written) -> next.millis())
        .withIdleness(MAX_SILENCE);
  }

  /**
   * Joins histories with changes, in one task.
   *
   * @return the records of one stream
   */
  static DataStream<TopicRecord> joined(
      DataStream<TopicRecord> records, DataStream<ConnectorRecord> changes, JoinFunction join) {
    return records
        .keyBy(any -> 0, Types.INT)
        .connect(changes.keyBy(any -> 0, Types.INT))
        .process(join, TypeInformation.of(TopicRecord.class))
        .setParallelism(1)
        .setMaxParallelism(1)
        .name("join")
        .uid("join");
  }

  /**
   * The time of a record is that through which its stream is complete, so that it does not depend
   * on when the record was written or read. Each partition has a watermark of its own.
   */
  static WatermarkStrategy<TopicRecord> watermarks() {
    return WatermarkStrategy.<TopicRecord>forBoundedOutOfOrderness(MAX_CLOCK_DIFFERENCE)
        .withTimestampAssigner(
            (next, written) -> next.throughMillis() > 0 ? next.throughMillis() : written)
        .withIdleness(MAX_SILENCE);
  }

  /**
   * Analyzes records, each database apart.
   *
   * @param memory the bytes for the analyzer of a database; 0 for an eighth of the heap
   * @return each anomaly
   */
  static DataStream<WrittenAnomaly> anomalies(DataStream<TopicRecord> records, long memory) {
    return records
        .keyBy(TopicRecord::place, Types.STRING)
        .process(new AnalysisFunction(memory), TypeInformation.of(WrittenAnomaly.class))
        .name("analysis")
        .uid("analysis");
  }

  /** Anomalies as JSON, each on a line. */
  private static final class JsonLines implements Encoder<WrittenAnomaly> {
    private static final long serialVersionUID = 1;

    @Override
    public void encode(WrittenAnomaly anomaly, OutputStream out) throws IOException {
      out.write((anomaly.json() + "\n").getBytes(StandardCharsets.UTF_8));
    }
  }

  private static Sink<WrittenAnomaly> sink(String to, Properties client) {
    if (!to.toLowerCase(Locale.ROOT).startsWith(TopicAddress.SCHEME)) {
      return FileSink.forRowFormat(new org.apache.flink.core.fs.Path(to), new JsonLines())
          .withRollingPolicy(OnCheckpointRollingPolicy.build())
          .build();
    }
    TopicAddress address = JobOptions.address("--to", to);
    return KafkaSink.<WrittenAnomaly>builder()
        .setKafkaProducerConfig(client)
        .setBootstrapServers(address.brokers())
        .setRecordSerializer(new AnomalySerializer(address.topic()))
        .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
        .setTransactionalIdPrefix("txwatch-flink-" + address.topic())
        // A new partition may refuse the first batch and accept the second one: then the first one
        // is out of order forever.
        .setProperty("max.in.flight.requests.per.connection", "1")
        // The maximum that a broker accepts unless it is configured.
        .setProperty("transaction.timeout.ms", Long.toString(Duration.ofMinutes(15).toMillis()))
        .build();
  }
}
