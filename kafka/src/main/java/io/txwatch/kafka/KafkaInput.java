package io.txwatch.kafka;

import io.txwatch.link.TopicAddress;
import io.txwatch.link.TopicInput;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads all partitions of topics from their starts, without a consumer group: nothing is stored in
 * the cluster, and no other reader is affected.
 */
final class KafkaInput implements TopicInput {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final TopicAddress address;
  private final Consumer<byte[], byte[]> consumer;
  private final Map<TopicPartition, Long> ends;

  private KafkaInput(
      TopicAddress address, Consumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
    this.address = address;
    this.consumer = consumer;
    this.ends = ends;
  }

  /**
   * Opens a topic.
   *
   * @param isPrefix whether topics are read as well whose names begin with that name and a dot
   */
  static KafkaInput open(TopicAddress address, Properties options, boolean isPrefix)
      throws IOException {
    Properties all = new Properties();
    all.put(ConsumerConfig.CLIENT_ID_CONFIG, "txwatch");
    all.put(ConsumerConfig.METRIC_REPORTER_CLASSES_CONFIG, "");
    all.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
    all.putAll(options);
    all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, address.brokers());
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    // Debezium and the job of Flink may write in transactions.
    all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    Consumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    try {
      List<TopicPartition> partitions = new ArrayList<>();
      for (PartitionInfo partition : partitions(address.topic(), consumer, isPrefix)) {
        partitions.add(new TopicPartition(partition.topic(), partition.partition()));
      }
      if (partitions.isEmpty()) {
        throw new IOException(
            address
                + (isPrefix ? ": there are no topics " : ": there is no topic ")
                + address.topic()
                + (isPrefix ? ".*" : ""));
      }
      consumer.assign(partitions);
      consumer.beginningOffsets(partitions, TIMEOUT).forEach(consumer::seek);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, TIMEOUT);
      return new KafkaInput(address, consumer, ends);
    } catch (IOException | RuntimeException | Error e) {
      consumer.close();
      throw e;
    }
  }

  private static List<PartitionInfo> partitions(
      String topic, Consumer<byte[], byte[]> consumer, boolean isPrefix) {
    if (!isPrefix) {
      return consumer.partitionsFor(topic, TIMEOUT);
    }
    return consumer.listTopics(TIMEOUT).entrySet().stream()
        .filter(each -> (each.getKey() + ".").startsWith(topic + "."))
        .flatMap(each -> each.getValue().stream())
        .toList();
  }

  @Override
  public List<Received> poll(long millis) throws IOException {
    List<Received> received = new ArrayList<>();
    try {
      ContextLoader.with(() -> consumer.poll(Duration.ofMillis(millis)))
          .forEach(next -> received.add(received(next)));
    } catch (KafkaException e) {
      throw new IOException(address + ": " + KafkaConnector.message(e), e);
    }
    return received;
  }

  private static Received received(ConsumerRecord<byte[], byte[]> next) {
    Map<String, byte[]> headers = new HashMap<>();
    for (Header header : next.headers()) {
      if (header.value() != null) {
        headers.put(header.key(), header.value());
      }
    }
    return new Received(
        "partition " + next.partition() + ", offset " + next.offset(),
        next.topic(),
        next.key(),
        headers,
        next.value());
  }

  @Override
  public boolean isAtEnd() {
    return isAt(ends);
  }

  @Override
  public boolean isAtPresentEnd() throws IOException {
    try {
      return isAt(consumer.endOffsets(ends.keySet(), TIMEOUT));
    } catch (KafkaException e) {
      throw new IOException(address + ": " + KafkaConnector.message(e), e);
    }
  }

  private boolean isAt(Map<TopicPartition, Long> offsets) {
    return offsets.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  @Override
  public void close() {
    consumer.close();
  }
}
