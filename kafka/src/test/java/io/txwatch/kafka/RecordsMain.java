package io.txwatch.kafka;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends the records on its standard input, each line a topic, a key and a value between tabs. A
 * line that is a topic alone creates that topic.
 */
final class RecordsMain {

  private RecordsMain() {}

  /** The argument: the broker's host and port. */
  public static void main(String[] args) throws Exception {
    List<Future<?>> sent = new ArrayList<>();
    try (KafkaProducer<String, String> producer =
            new KafkaProducer<>(
                Map.of(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    args[0],
                    // A new leader may refuse the first batch and accept a second one that was
                    // already sent. Then the first one is out of order, and repeated until the
                    // producer's time is over.
                    ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                    1),
                new StringSerializer(),
                new StringSerializer());
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] parts = line.split("\t", 3);
        if (parts.length == 1) {
          producer.partitionsFor(parts[0]); // waits until it has a leader
        } else {
          sent.add(producer.send(new ProducerRecord<>(parts[0], parts[1], parts[2])));
        }
      }
      for (Future<?> each : sent) {
        each.get();
      }
    }
  }
}
