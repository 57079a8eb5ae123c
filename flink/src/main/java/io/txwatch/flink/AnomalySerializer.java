package io.txwatch.flink;

import io.txwatch.slice.HistorySlice;
import java.nio.charset.StandardCharsets;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Writes an anomaly with its id as the key, and with the time at which it is written. With the time
 * of its events the broker would delete those of an old history at once: a topic retains records
 * for a time.
 *
 * @param topic where it is written
 */
record AnomalySerializer(String topic) implements KafkaRecordSerializationSchema<WrittenAnomaly> {

  /** A record with it is accepted by brokers with the usual settings. */
  private static final int MAX_SLICE_BYTES = 1 << 18;

  @Override
  public ProducerRecord<byte[], byte[]> serialize(
      WrittenAnomaly anomaly, KafkaSinkContext context, @Nullable Long eventMillis) {
    ProducerRecord<byte[], byte[]> written =
        new ProducerRecord<>(
            topic,
            anomaly.id().getBytes(StandardCharsets.UTF_8),
            anomaly.json().getBytes(StandardCharsets.UTF_8));
    if (anomaly.slice().length <= MAX_SLICE_BYTES) {
      written.headers().add(HistorySlice.HEADER, anomaly.slice());
    }
    return written;
  }
}
