package io.txwatch.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txwatch.link.TopicRecord;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** The real broker of the tests of the module kafka, in a process of its own. */
final class BrokerProcess implements AutoCloseable {

  private final Path directory;
  private final int port = freePort();
  private final int controllerPort = anotherPort(port);
  private @Nullable Process process;

  BrokerProcess(Path directory) throws IOException {
    this.directory = directory;
    start();
  }

  /** A free port that is not this one: two calls in succession may find the same. */
  private static int anotherPort(int port) throws IOException {
    int other = freePort();
    while (other == port) {
      other = freePort();
    }
    return other;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Starts it, also again after it was killed. */
  void start() throws IOException {
    Path module = Path.of("..", "kafka", "target").toAbsolutePath();
    Process started =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                module.resolve("test-classes")
                    + File.pathSeparator
                    + Files.readString(module.resolve("broker.classpath")).strip(),
                "io.txwatch.kafka.BrokerMain",
                directory.toString(),
                Integer.toString(port),
                Integer.toString(controllerPort))
            .redirectErrorStream(true)
            .redirectOutput(output().toFile())
            .start();
    process = started;
    try {
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(
              () -> assertThat(Files.readAllLines(output())).as("the broker").contains("started"));
    } catch (RuntimeException | AssertionError e) {
      started.destroyForcibly(); // nothing else would end it
      throw e;
    }
  }

  private Path output() {
    return directory.resolve("output");
  }

  void kill() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  String url(String topic) {
    return "kafka://127.0.0.1:" + port + "/" + topic;
  }

  private Map<String, Object> client() {
    return Map.of("bootstrap.servers", "127.0.0.1:" + port);
  }

  /** Creates a topic and waits until all of its partitions have a leader. */
  void create(String topic, int partitions) throws InterruptedException, ExecutionException {
    try (Admin admin = Admin.create(client())) {
      admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
      Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
      partitions(topic, partitions).forEach(one -> ends.put(one, OffsetSpec.latest()));
      await()
          .atMost(Duration.ofMinutes(2))
          .ignoreExceptions()
          .until(() -> admin.listOffsets(ends).all().get() != null);
    }
  }

  private static List<TopicPartition> partitions(String topic, int count) {
    return IntStream.range(0, count).mapToObj(i -> new TopicPartition(topic, i)).toList();
  }

  /** Writes records in that order; those of a stream are in one partition. */
  void write(String topic, int partitions, List<TopicRecord> records)
      throws InterruptedException, ExecutionException {
    List<ProducerRecord<byte[], byte[]>> all = new ArrayList<>();
    for (TopicRecord one : records) {
      ProducerRecord<byte[], byte[]> written =
          new ProducerRecord<>(topic, (int) (one.client() % partitions), one.key(), one.value());
      one.headers().forEach((name, value) -> written.headers().add(name, value));
      all.add(written);
    }
    write(all);
  }

  /** Writes records as they are. */
  void write(List<ProducerRecord<byte[], byte[]>> records)
      throws InterruptedException, ExecutionException {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    Map<String, Object> settings = new HashMap<>(client());
    // A new leader may refuse the first batch and accept a second one that was already sent. Then
    // the first one is out of order, and repeated until the producer's time is over.
    settings.put("max.in.flight.requests.per.connection", 1);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      records.forEach(one -> sent.add(producer.send(one)));
      for (Future<RecordMetadata> one : sent) {
        one.get();
      }
    }
  }

  /** The values of the records that were written by transactions that committed. */
  List<String> committed(String topic, int partitions) {
    return committedRecords(topic, partitions).stream()
        .map(one -> new String(one.value(), StandardCharsets.UTF_8))
        .toList();
  }

  /** Those records. */
  List<ConsumerRecord<byte[], byte[]>> committedRecords(String topic, int partitions) {
    Map<String, Object> settings = new HashMap<>(client());
    settings.put("isolation.level", "read_committed");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> all = partitions(topic, partitions);
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
      return records;
    }
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
