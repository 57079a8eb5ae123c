package io.txwatch.kafka;

import io.txwatch.link.TopicAddress;
import io.txwatch.link.TopicOutput;
import io.txwatch.link.TopicRecord;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes to a topic with an idempotent producer: what it sends again is in the topic once, and in
 * order. It repeats what brokers do not acknowledge for as long as it is open.
 */
final class KafkaOutput implements TopicOutput {

  /**
   * What cannot be set otherwise: no record is lost or written twice, and no caller blocks long.
   */
  private static final Map<String, Object> FIXED =
      Map.of(
          ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
          true,
          ProducerConfig.ACKS_CONFIG,
          "all",
          ProducerConfig.RETRIES_CONFIG,
          Integer.MAX_VALUE,
          ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
          Integer.MAX_VALUE,
          // A new partition may refuse a first batch and accept a second one that was already sent.
          // Then the first one is out of order, and repeated forever.
          ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
          1,
          ProducerConfig.MAX_BLOCK_MS_CONFIG,
          2_000);

  private static final Map<String, Object> DEFAULTS =
      Map.of(
          ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
          10_000,
          ProducerConfig.LINGER_MS_CONFIG,
          5,
          ProducerConfig.BATCH_SIZE_CONFIG,
          1 << 18,
          // Others need native libraries, which the jar does not contain.
          ProducerConfig.COMPRESSION_TYPE_CONFIG,
          "gzip",
          ProducerConfig.CLIENT_ID_CONFIG,
          "txwatch",
          ProducerConfig.METRIC_REPORTER_CLASSES_CONFIG,
          "",
          CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG,
          false);

  private final TopicAddress address;
  private final Properties options;
  private @Nullable Producer<byte[], byte[]> producer;

  KafkaOutput(TopicAddress address, Properties options) {
    this.address = address;
    this.options = options;
    this.producer = open();
  }

  private Producer<byte[], byte[]> open() {
    Properties all = new Properties();
    all.putAll(DEFAULTS);
    all.putAll(options);
    all.putAll(FIXED);
    all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, address.brokers());
    return new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private synchronized Producer<byte[], byte[]> producer() {
    Producer<byte[], byte[]> open = producer;
    if (open == null) {
      open = open();
      producer = open;
    }
    return open;
  }

  /** Replaces a producer that may not work any more, as after a change of rights. */
  private synchronized void discard(Producer<byte[], byte[]> failed) {
    if (producer == failed) {
      producer = null;
      failed.close(Duration.ZERO);
    }
  }

  @Override
  public void send(TopicRecord next, Callback callback) throws IOException {
    ProducerRecord<byte[], byte[]> sent =
        new ProducerRecord<>(address.topic(), next.key(), next.value());
    next.headers().forEach((name, value) -> sent.headers().add(name, value));
    try {
      ContextLoader.with(
          () -> {
            Producer<byte[], byte[]> with = producer();
            return with.send(sent, (metadata, e) -> done(with, e, callback));
          });
    } catch (KafkaException | IllegalStateException e) {
      throw new IOException(KafkaConnector.message(e), e);
    }
  }

  private void done(Producer<byte[], byte[]> with, @Nullable Exception failure, Callback callback) {
    if (failure == null) {
      callback.done(Result.WRITTEN, "");
    } else if (failure instanceof RecordTooLargeException) {
      callback.done(Result.REJECTED, KafkaConnector.message(failure));
    } else {
      if (!(failure instanceof RetriableException)) {
        discard(with);
      }
      callback.done(Result.FAILED, KafkaConnector.message(failure));
    }
  }

  @Override
  public synchronized void close() {
    if (producer != null) {
      producer.close(Duration.ZERO);
    }
  }
}
