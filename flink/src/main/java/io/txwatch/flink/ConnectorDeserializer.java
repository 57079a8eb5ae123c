package io.txwatch.flink;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Passes the records of Debezium's topics on as they are: in which order they belong is open. */
final class ConnectorDeserializer implements KafkaRecordDeserializationSchema<ConnectorRecord> {

  private static final long serialVersionUID = 1;

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> read, Collector<ConnectorRecord> out) {
    out.collect(
        new ConnectorRecord(
            read.topic(), read.timestamp(), orEmpty(read.key()), orEmpty(read.value())));
  }

  private static byte[] orEmpty(byte @Nullable [] bytes) {
    return bytes == null ? new byte[0] : bytes;
  }

  @Override
  public TypeInformation<ConnectorRecord> getProducedType() {
    return TypeInformation.of(ConnectorRecord.class);
  }
}
