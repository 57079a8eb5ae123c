package io.txwatch.flink;

import java.nio.charset.StandardCharsets;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes an anomaly with the time at which it is written. With the time of its events the broker
 * would delete those of an old history at once: a topic retains records for a time.
 *
 * @param topic where it is written
 */
record AnomalySerializer(String topic) implements KafkaRecordSerializationSchema<String> {

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      String anomaly, KafkaSinkContext context, @Nullable Long eventMillis) {
    return new ProducerRecord<>(topic, anomaly.getBytes(StandardCharsets.UTF_8));
  }
}
