package io.txwatch.flink;

import io.txwatch.link.TopicRecord;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the headers of records of Kafka. A record that is none of txwatch is counted and skipped;
 * if it was one that was damaged, its number is missing.
 */
final class RecordDeserializer implements KafkaRecordDeserializationSchema<TopicRecord> {

  private static final long serialVersionUID = 1;

  private transient @Nullable Counter foreign;

  @Override
  public void open(DeserializationSchema.InitializationContext context) {
    foreign = context.getMetricGroup().counter("foreignRecords");
  }

  @Override
  public void deserialize(ConsumerRecord<byte[], byte[]> read, Collector<TopicRecord> out)
      throws IOException {
    Map<String, byte[]> headers = new HashMap<>();
    for (Header header : read.headers()) {
      headers.put(header.key(), header.value());
    }
    TopicRecord record;
    try {
      record = TopicRecord.of(headers, read.value());
    } catch (TopicRecord.NewerVersionException e) {
      throw new IOException(
          read.topic()
              + ", partition "
              + read.partition()
              + ", "
              + read.offset()
              + ": "
              + e.getMessage(),
          e);
    } catch (IOException e) {
      if (foreign != null) {
        foreign.inc();
      }
      return;
    }
    out.collect(record);
  }

  @Override
  public TypeInformation<TopicRecord> getProducedType() {
    return TypeInformation.of(TopicRecord.class);
  }
}
