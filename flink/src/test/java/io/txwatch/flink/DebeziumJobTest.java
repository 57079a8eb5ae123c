package io.txwatch.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.changes.debezium.DebeziumDecoder;
import io.txwatch.changes.debezium.DebeziumJoin;
import io.txwatch.changes.debezium.DebeziumTransactions;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.ValueHash;
import io.txwatch.link.TopicRecord;
import io.txwatch.report.AnomalyId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The job with {@code --changes}: the recording of {@code DebeziumJoinTest}, a lost update and a
 * write skew that the histories alone do not show, and the records of Debezium's own connector.
 */
@Timeout(300)
class DebeziumJobTest {

  static final String KEY = "key-of-the-recording";
  private static final Path RECORDING = Path.of("../cli/src/test/resources/io/txwatch/cli");
  private static final Pattern TIME = Pattern.compile("\"ts_ms\":(\\d+)");
  private static final Pattern TABLE = Pattern.compile("\"name\":\"(shop[.][^\"]*)[.]Key\"");
  private static final int EVENTS_OF_RECORD = 3;

  private static Path directory;
  private static BrokerProcess broker;
  private static String key;

  @BeforeAll
  static void startBroker(@TempDir Path shared) throws IOException {
    directory = shared;
    broker = new BrokerProcess(Files.createDirectory(directory.resolve("broker")));
    key = Files.writeString(directory.resolve("key"), KEY).toString();
  }

  @AfterAll
  static void stopBroker() throws InterruptedException {
    broker.close();
  }

  private static List<Event> events() throws IOException {
    List<Event> events = new ArrayList<>();
    try (HistoryReader reader = HistoryReader.open(RECORDING.resolve("debezium-mysql.history"))) {
      reader.forEach(events::add);
    }
    return events;
  }

  private static List<String> lines() throws IOException {
    return Files.readAllLines(RECORDING.resolve("debezium-mysql.jsonl"));
  }

  /** What is found in one process: {@code check --changes}. */
  static List<String> expected() throws IOException {
    DebeziumTransactions changes = new DebeziumTransactions();
    DebeziumDecoder decoder = new DebeziumDecoder();
    for (ProducerRecord<byte[], byte[]> one : records("shop", "")) {
      changes.add(decoder.decode(one.topic(), one.key(), one.value()));
    }
    List<String> ids = new ArrayList<>();
    try (Analyzer analyzer =
        new Analyzer(Judge.DBMS, anomaly -> ids.add(AnomalyId.of(anomaly)), 64 << 20)) {
      DebeziumJoin.join(events(), changes, ValueHash.ofKeyText(KEY), analyzer::accept);
    }
    assertThat(ids).hasSize(2);
    return ids;
  }

  /** The records of the process; each is complete through the time of the event after it. */
  static List<TopicRecord> histories(String place) throws IOException {
    List<Event> events = events();
    long[] millis = millis(events);
    List<TopicRecord> records = new ArrayList<>();
    for (int from = 0; from < events.size(); from += EVENTS_OF_RECORD) {
      int end = Math.min(events.size(), from + EVENTS_OF_RECORD);
      Chunk.Builder chunk = new Chunk.Builder("test", 1 << 10);
      events.subList(from, end).forEach(chunk::add);
      records.add(
          record(
              records.size() + 1,
              TopicRecord.Kind.EVENTS,
              millis[Math.min(end, events.size() - 1)],
              place,
              chunk.take().bytes()));
    }
    return records;
  }

  static TopicRecord record(
      int number, TopicRecord.Kind kind, long through, String place, byte[] value) {
    return new TopicRecord(77, number, kind, through, "shop", place, value);
  }

  private static long[] millis(List<Event> events) {
    Map<Long, Long> began = new HashMap<>();
    long offset = Long.MAX_VALUE;
    for (Event event : events) {
      if (event instanceof Event.TransactionBegan e) {
        began.put(e.transaction(), e.micros());
      } else if (event instanceof Event.ValuesObserved e && began.containsKey(e.transaction())) {
        offset = Math.min(offset, e.sent() - began.remove(e.transaction()) * 1_000);
      }
    }
    long[] millis = new long[events.size()];
    long last = 0;
    for (int i = 0; i < millis.length; i++) {
      if (events.get(i) instanceof Event.ValuesObserved e) {
        last = Math.max(last, (e.returned() - offset) / 1_000_000);
      } else if (events.get(i) instanceof Event.TransactionBegan e) {
        last = Math.max(last, e.micros() / 1_000);
      }
      millis[i] = last;
    }
    return millis;
  }

  /** The connector's records, with the time at which it read what they state. */
  static List<ProducerRecord<byte[], byte[]>> records(String prefix, String oneTopic)
      throws IOException {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    long millis = 0;
    for (String line : lines()) {
      for (Matcher time = TIME.matcher(line); time.find(); ) {
        millis = Math.max(millis, Long.parseLong(time.group(1)));
      }
      Matcher table = TABLE.matcher(line);
      String topic = table.find() ? table.group(1) : "shop.transaction";
      int tab = line.indexOf('\t');
      records.add(
          new ProducerRecord<>(
              oneTopic.isEmpty() ? topic.replaceFirst("^shop", prefix) : oneTopic,
              0,
              millis,
              line.substring(0, tab).getBytes(StandardCharsets.UTF_8),
              line.substring(tab + 1).getBytes(StandardCharsets.UTF_8)));
    }
    return records;
  }

  static String place() throws IOException {
    return events().stream()
        .filter(Event.SessionOpened.class::isInstance)
        .map(event -> ((Event.SessionOpened) event).database().place())
        .findFirst()
        .orElseThrow();
  }

  private static List<String> ids(String topic) {
    return broker.committedRecords(topic, 1).stream()
        .map(one -> new String(one.key(), StandardCharsets.UTF_8))
        .toList();
  }

  private static JobOptions options(String name, String end) {
    return JobOptions.of(
        "--from",
        broker.url("histories-" + name),
        "--to",
        broker.url("anomalies-" + name),
        "--end",
        end,
        "--changes",
        broker.url(name),
        "--value-key-file",
        key);
  }

  @Test
  void jobFindsWhatCheckFindsWithTheChanges() throws Exception {
    broker.create("histories-all", 2);
    broker.create("anomalies-all", 1);
    List<ProducerRecord<byte[], byte[]>> records = records("all", "");
    for (String topic : records.stream().map(ProducerRecord::topic).distinct().toList()) {
      broker.create(topic, 1);
    }
    broker.write("histories-all", 2, histories(place()));
    broker.write(records);

    StreamExecutionEnvironment environment = HistoryJobTest.environment(directory, 2, "");
    HistoryJob.build(environment, options("all", "present"));
    environment.execute();

    // A commit has returned before the broker shows what it contains.
    await().atMost(Duration.ofMinutes(2)).until(() -> ids("anomalies-all").size() >= 2);
    assertThat(ids("anomalies-all")).containsExactlyInAnyOrderElementsOf(expected());
  }

  @Test
  void jobContinuesFromASavepointInTheMiddleOfTheChanges() throws Exception {
    broker.create("histories-half", 1);
    broker.create("anomalies-half", 1);
    broker.create("half", 1);
    List<TopicRecord> histories = histories(place());
    List<ProducerRecord<byte[], byte[]>> records = records("half", "half");
    broker.write("histories-half", 1, histories.subList(0, histories.size() / 2));
    broker.write(records.subList(0, records.size() / 2));
    JobClient first = started("");
    String folder = Files.createDirectory(directory.resolve("savepoint")).toUri().toString();
    String savepoint =
        await()
            .atMost(Duration.ofMinutes(2))
            .ignoreExceptions() // not all of its tasks are running yet
            .until(
                () -> first.stopWithSavepoint(false, folder, SavepointFormatType.CANONICAL).get(),
                any -> true);
    broker.write("histories-half", 1, histories.subList(histories.size() / 2, histories.size()));
    broker.write(records.subList(records.size() / 2, records.size()));
    long later = records.get(records.size() - 1).timestamp() + 60_000;
    broker.write(
        "histories-half",
        1,
        List.of(record(histories.size(), TopicRecord.Kind.SESSIONS, later, place(), new byte[0])));
    byte[] end =
        "{\"status\":\"END\",\"id\":\"none\",\"event_count\":0}".getBytes(StandardCharsets.UTF_8);
    broker.write(List.of(new ProducerRecord<>("half", 0, later, new byte[0], end)));

    JobClient second = started(savepoint);
    await().atMost(Duration.ofMinutes(2)).until(() -> ids("anomalies-half").size() >= 2);
    second.cancel().get();
    assertThat(ids("anomalies-half")).containsExactlyInAnyOrderElementsOf(expected());
  }

  private static JobClient started(String savepoint) throws Exception {
    StreamExecutionEnvironment environment = HistoryJobTest.environment(directory, 1, savepoint);
    HistoryJob.build(environment, options("half", "never"));
    return environment.executeAsync();
  }

  @Test
  void changesNeedTheKey() {
    JobOptions without =
        JobOptions.of(
            "--from", "kafka://one:9092/t", "--to", "x", "--changes", "kafka://one:9092/shop");
    assertThatThrownBy(without::valueKey)
        .hasMessageContaining("TXWATCH_VALUE_KEY or --value-key-file");
    assertThatThrownBy(
            () ->
                JobOptions.of("--from", "kafka://one:9092/t", "--to", "x", "--value-key-file", key))
        .hasMessage("--value-key-file is for --changes, which is missing");
    assertThatThrownBy(
            () ->
                JobOptions.of(
                        "--from",
                        "kafka://one:9092/t",
                        "--to",
                        "x",
                        "--changes",
                        "kafka://one:9092/shop",
                        "--value-key-file",
                        "/nowhere")
                    .valueKey())
        .hasMessage("--value-key-file /nowhere: there is no such file");
    assertThatThrownBy(
            () -> JobOptions.of("--from", "kafka://one:9092/t", "--to", "x", "--changes", "shop"))
        .hasMessage("--changes: expected kafka://HOST:PORT[,HOST:PORT]/TOPIC, not 'shop'");
  }

  @Test
  void registryOfSchemasIsAnOption() {
    JobOptions options =
        JobOptions.of(
            "--from",
            "kafka://one:9092/t",
            "--to",
            "x",
            "--changes",
            "kafka://one:9092/shop",
            "--schema-registry",
            "http://one:8081");
    assertThat(options.registry()).isEqualTo("http://one:8081");
  }
}
