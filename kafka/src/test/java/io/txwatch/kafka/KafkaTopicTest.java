package io.txwatch.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.baseline.Baseline;
import io.txwatch.dependency.Granularity;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Access;
import io.txwatch.history.Chunk;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Loss;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.link.Address;
import io.txwatch.link.KafkaJar;
import io.txwatch.link.KafkaProvider;
import io.txwatch.link.TopicAddress;
import io.txwatch.link.TopicInput;
import io.txwatch.link.TopicOutput;
import io.txwatch.link.TopicReader;
import io.txwatch.link.TopicRecord;
import io.txwatch.link.TopicRelay;
import io.txwatch.serve.AnalysisServer;
import io.txwatch.serve.ServerListener;
import io.txwatch.serve.ServerOptions;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import io.txwatch.stale.Across;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Histories in topics of a real broker, through the class loader that the agent uses. */
@Timeout(300)
class KafkaTopicTest {

  private static final Database SHOP =
      new Database(new Product("PostgreSQL", "18.6"), Map.of(), "jdbc:postgresql://db/shop");
  private static final Database STOCK = SHOP.at("jdbc:postgresql://db/stock");

  private static Path directory;
  private static Broker broker;

  @BeforeAll
  static void startBroker(@TempDir Path shared) throws IOException {
    directory = shared;
    broker = Broker.start(Files.createDirectory(directory.resolve("broker")));
  }

  @AfterAll
  static void stopBroker() throws InterruptedException {
    broker.close();
  }

  private static Settings settings(String url) {
    Map<Setting, String> given = new EnumMap<>(Setting.class);
    given.put(Setting.ANALYZER, url);
    given.put(Setting.KAFKA_JAR, Broker.jar());
    given.put(Setting.SERVICE, "orders");
    given.put(Setting.BUFFER, "1");
    return Settings.of(given);
  }

  private static EventSink sink(String url) throws IOException {
    return new KafkaProvider().open(settings(url));
  }

  /**
   * Waits until events are in a topic: how long the first connection takes depends on the machine,
   * and a sink that is closed does not wait for it.
   */
  private static void awaitEvents(String url, int count, EventSink... sinks) {
    for (EventSink sink : sinks) {
      sink.caughtUp();
    }
    await()
        .atMost(Duration.ofMinutes(2))
        .ignoreExceptionsInstanceOf(IOException.class) // until the topic is there
        .until(() -> read(url).events().size() >= count);
  }

  /** What a topic contains. */
  private record Contents(List<Event> events, List<Loss> losses) {}

  private static Contents read(String url) throws IOException {
    TopicAddress address = TopicAddress.ofUrl(url).orElseThrow();
    List<Event> events = new ArrayList<>();
    try (TopicReader reader =
        new TopicReader(
            address, KafkaJar.load(settings(url)).openInput(address, new Properties()))) {
      reader.forEach(events::add);
      return new Contents(events, reader.losses());
    }
  }

  private static List<Anomaly> analyzed(List<Event> events) {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      analyzer.retain(0);
      events.forEach(analyzer::accept);
    }
    return found;
  }

  private static Event opened(long session, Database database) {
    return new Event.SessionOpened(session, "s", database);
  }

  private static Event statement(
      long transaction, int number, StatementKind kind, Access access, String... writers) {
    return new Event.StatementExecuted(
        transaction,
        transaction,
        number,
        kind,
        kind + " account",
        "Bank.java:" + number,
        List.of(
            new RowAccess(access, "account", 1, new WriterList(String.join("", writers), true))),
        true,
        null);
  }

  /** A transaction that reads a row, and writes it after that version; its session has its id. */
  private static List<Event> readAndWrite(long transaction, String... writersBefore) {
    List<String> writers = new ArrayList<>(List.of(writersBefore));
    writers.add(WriterToken.of(transaction, 2));
    return List.of(
        opened(transaction, SHOP),
        new Event.TransactionBegan(transaction, transaction, IsolationLevel.READ_COMMITTED, 0),
        statement(transaction, 1, StatementKind.SELECT, Access.READ),
        statement(
            transaction, 2, StatementKind.UPDATE, Access.UPDATE, writers.toArray(String[]::new)),
        new Event.TransactionEnded(transaction, transaction, Outcome.COMMITTED, 0, 3),
        new Event.SessionClosed(transaction));
  }

  /** A transaction and the next one, in two sessions of a process. */
  private static List<Event> lostUpdateOf(long first) {
    List<Event> events = new ArrayList<>(readAndWrite(first));
    events.addAll(readAndWrite(first + 1, WriterToken.of(first, 2)));
    return events;
  }

  private static List<Event> lostUpdate() {
    List<Event> events = new ArrayList<>(readAndWrite(2));
    events.addAll(readAndWrite(1, WriterToken.of(2, 2)));
    return events;
  }

  /** As a reader of several processes sees them. */
  private static List<Event> named(List<Event> events) {
    return events.stream()
        .map(
            event ->
                event instanceof Event.SessionOpened opened
                    ? new Event.SessionOpened(
                        opened.session(), "orders/" + opened.name(), opened.database())
                    : event)
        .toList();
  }

  @Test
  void topicHasWhatAFileHas() throws Exception {
    String url = broker.url("same");
    Path file = directory.resolve("same.history");
    try (EventSink topic = sink(url);
        EventSink history = HistoryWriter.open(file)) {
      for (Event event : lostUpdate()) {
        topic.accept(event);
        history.accept(event);
      }
      awaitEvents(url, lostUpdate().size(), topic);
    }

    Contents contents = read(url);

    List<Event> inFile = new ArrayList<>();
    try (HistoryReader reader = HistoryReader.open(file)) {
      reader.forEach(inFile::add);
    }
    assertThat(contents.events()).isEqualTo(named(inFile));
    assertThat(contents.losses()).isEmpty();
    assertThat(analyzed(contents.events()))
        .extracting(Anomaly::phenomenon)
        .containsExactly(Phenomenon.LOST_UPDATE);
  }

  @Test
  void anomalyBetweenTwoProcessesIsFound() throws Exception {
    String url = broker.url("two");
    try (EventSink one = sink(url);
        EventSink other = sink(url)) {
      readAndWrite(1, WriterToken.of(2, 2)).forEach(one::accept);
      readAndWrite(2).forEach(other::accept);
      awaitEvents(url, 12, one, other);
    }

    Contents contents = read(url);

    assertThat(contents.losses()).isEmpty();
    assertThat(analyzed(contents.events()))
        .extracting(Anomaly::phenomenon)
        .containsExactly(Phenomenon.LOST_UPDATE);
  }

  @Test
  void databasesOfAProcessHaveStreamsOfTheirOwn() throws Exception {
    String url = broker.url("databases");
    try (EventSink sink = sink(url)) {
      sink.accept(opened(1, SHOP));
      sink.accept(opened(2, STOCK));
      sink.accept(new Event.Gap(0, 0, GapReason.FAULT, "of the process", 1));
      sink.accept(new Event.SessionClosed(1));
      sink.accept(new Event.SessionClosed(2));
      awaitEvents(url, 6, sink);
    }

    Contents contents = read(url);

    assertThat(contents.events().stream().filter(Event.Gap.class::isInstance)).hasSize(2);
    assertThat(contents.events()).hasSize(6);
    assertThat(contents.losses()).isEmpty();
  }

  @Test
  void processThatIsNotClosedIsALoss() throws Exception {
    String url = broker.url("running");
    try (EventSink sink = sink(url)) {
      readAndWrite(1).forEach(sink::accept);
      await()
          .atMost(Duration.ofMinutes(2))
          .ignoreExceptionsInstanceOf(IOException.class) // until the topic is there
          .untilAsserted(
              () ->
                  assertThat(read(url).losses())
                      .extracting(Loss::what)
                      .containsExactly("orders still writes or was killed"));
    }
    assertThat(read(url).losses()).isEmpty();
  }

  @Test
  void everyEventArrivesOnceWhenTheBrokerIsKilled() throws Exception {
    try (Broker killed = Broker.start(Files.createDirectory(directory.resolve("killed")))) {
      String url = killed.url("killed");
      List<Event> sent = new ArrayList<>();
      sent.add(opened(1, SHOP));
      IntStream.range(2, 2_000).forEach(id -> sent.add(opened(id, SHOP)));
      EventSink sink = sink(url);
      sent.subList(0, 1_000).forEach(sink::accept);
      await().atMost(Duration.ofMinutes(2)).until(() -> !read(url).events().isEmpty());
      killed.kill();
      sent.subList(1_000, sent.size()).forEach(sink::accept);
      killed.start();
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> read(url).events().contains(named(sent).get(sent.size() - 1)));
      sink.close();

      Contents contents = read(url);
      assertThat(contents.events()).isEqualTo(named(sent));
      assertThat(contents.losses()).isEmpty();
    }
  }

  @Test
  void brokerThatNeverAnswersHoldsNothingUp() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      assertThat(writtenToNobody("kafka://127.0.0.1:" + silent.getLocalPort() + "/silent"))
          .contains("is not to be reached", "the buffer is full", "events were not delivered");
    }
  }

  @Test
  void brokerThatRefusesHoldsNothingUp() throws Exception {
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = socket.getLocalPort();
    }
    assertThat(writtenToNobody("kafka://127.0.0.1:" + closed + "/refused"))
        .contains(
            "is not to be reached (no broker answers, or none has the topic: ",
            "the buffer is full",
            "events were not delivered (no broker answers");
  }

  /** Writes more than the buffer holds, and closes; returns what was printed. */
  private static String writtenToNobody(String url) throws Exception {
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      EventSink sink = sink(url);
      sink.accept(opened(1, SHOP));
      for (int i = 0; i < 100_000; i++) {
        sink.accept(statement(1, i + 1, StatementKind.SELECT, Access.READ));
      }
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> printed.toString(StandardCharsets.UTF_8).contains("reached"));
      sink.close();
    } finally {
      System.setErr(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  private static TopicRecord record(long number, TopicRecord.Kind kind, Event... events) {
    Chunk.Builder chunk = new Chunk.Builder("test", 1 << 10);
    List.of(events).forEach(chunk::add);
    return new TopicRecord(
        7,
        number,
        kind,
        0,
        "orders",
        SHOP.place(),
        events.length == 0 ? new byte[0] : chunk.take().bytes());
  }

  private static void write(String url, TopicRecord... records) throws Exception {
    TopicAddress address = TopicAddress.ofUrl(url).orElseThrow();
    TopicOutput output = KafkaJar.load(settings(url)).openOutput(address, new Properties());
    for (TopicRecord next : records) {
      // Until the topic is there, a record is not written.
      await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () -> {
                CompletableFuture<TopicOutput.Result> done = new CompletableFuture<>();
                output.send(next, (result, message) -> done.complete(result));
                return done.get() == TopicOutput.Result.WRITTEN;
              });
    }
    output.close();
  }

  private static Event gap(int number) {
    return new Event.Gap(0, 0, GapReason.FAULT, "event " + number, 1);
  }

  @Test
  void recordThatCameTwiceIsReadOnce() throws Exception {
    String url = broker.url("twice");
    TopicRecord second = record(2, TopicRecord.Kind.EVENTS, gap(2));
    write(
        url,
        record(1, TopicRecord.Kind.EVENTS, gap(1)),
        second,
        second,
        record(3, TopicRecord.Kind.EVENTS, gap(3)),
        second,
        record(3, TopicRecord.Kind.END));

    Contents contents = read(url);

    assertThat(contents.events()).containsExactly(gap(1), gap(2), gap(3));
    assertThat(contents.losses()).isEmpty();
  }

  @Test
  void missingRecordIsALoss() throws Exception {
    String url = broker.url("missing");
    write(
        url,
        record(1, TopicRecord.Kind.EVENTS, gap(1)),
        record(4, TopicRecord.Kind.EVENTS, gap(4)),
        record(5, TopicRecord.Kind.END));

    Contents contents = read(url);

    assertThat(contents.losses())
        .extracting(Loss::what)
        .containsExactly("of orders 2 records are missing", "of orders 1 records are missing");
    assertThat(contents.events())
        .extracting(event -> ((Event.Gap) event).reason())
        .containsExactly(GapReason.FAULT, GapReason.CUT_OFF, GapReason.FAULT, GapReason.CUT_OFF);
  }

  /** As after the topic's retention removed the first records. */
  @Test
  void sessionsAreKnownInTheMiddleOfAStream() throws Exception {
    String url = broker.url("middle");
    Event unknown = statement(1, 1, StatementKind.SELECT, Access.READ);
    Event known = statement(1, 2, StatementKind.SELECT, Access.READ);
    write(
        url,
        record(8, TopicRecord.Kind.EVENTS, unknown),
        record(8, TopicRecord.Kind.SESSIONS, opened(1, SHOP)),
        record(9, TopicRecord.Kind.EVENTS, known),
        record(9, TopicRecord.Kind.SESSIONS, opened(1, SHOP)),
        record(9, TopicRecord.Kind.END));

    Contents contents = read(url);

    assertThat(contents.losses())
        .extracting(Loss::what)
        .containsExactly("of orders 7 records are missing");
    assertThat(contents.events().subList(1, contents.events().size()))
        .containsExactly(opened(1, SHOP), known);
  }

  /** What a shared analyzer reported. */
  private static final class Listener implements ServerListener {

    private final List<Anomaly> found = new CopyOnWriteArrayList<>();
    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    public void found(Anomaly anomaly, boolean replayed) {
      found.add(anomaly);
    }

    @Override
    public void withdrawn(Anomaly anomaly) {}

    @Override
    public void log(String line) {
      lines.add(line);
    }

    @Override
    public void tick() {}
  }

  private static AnalysisServer server(ServerListener listener) throws IOException {
    return AnalysisServer.open(
        new ServerOptions(
            new Address(false, "127.0.0.1", 0),
            Optional.empty(),
            "",
            Optional.empty(),
            HistoryWriter.MAX_FILE_BYTES,
            Judge.DBMS,
            Granularity.DEFAULT,
            Across.OFF,
            Baseline.NONE,
            ServerOptions.GRACE,
            ServerOptions.SILENCE,
            64 << 20),
        listener);
  }

  /** One process ended before the analyzer started; the other one still runs. */
  @Test
  void sharedAnalyzerFindsWhatIsBetweenProcessesOfATopic() throws Exception {
    String url = broker.url("served");
    TopicAddress address = TopicAddress.ofUrl(url).orElseThrow();
    try (EventSink ended = sink(url)) {
      readAndWrite(1, WriterToken.of(2, 2)).forEach(ended::accept);
      awaitEvents(url, 6, ended);
    }
    Listener listener = new Listener();
    try (AnalysisServer server = server(listener);
        TopicRelay relay =
            new TopicRelay(
                address,
                KafkaJar.load(settings(url)).openInput(address, new Properties()),
                server.address(),
                Optional.empty(),
                "",
                listener::log);
        EventSink running = sink(url)) {
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(() -> assertThat(listener.lines).contains("orders has ended"));
      assertThat(listener.found).isEmpty();

      lostUpdateOf(3).forEach(running::accept);

      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(
              () ->
                  assertThat(listener.found)
                      .extracting(Anomaly::phenomenon)
                      .containsExactly(Phenomenon.LOST_UPDATE));
      assertThat(relay).isNotNull();
    }
  }

  /** While the first of two processes is read, the other one may be behind it in the topic. */
  @Test
  void processesThatEndedBeforeTheAnalyzerStartedAreRelated() throws Exception {
    String url = broker.url("late");
    TopicAddress address = TopicAddress.ofUrl(url).orElseThrow();
    try (EventSink one = sink(url)) {
      readAndWrite(1, WriterToken.of(2, 2)).forEach(one::accept);
      awaitEvents(url, 6, one);
    }
    try (EventSink other = sink(url)) {
      readAndWrite(2).forEach(other::accept);
      awaitEvents(url, 12, other);
    }
    Listener listener = new Listener();
    try (AnalysisServer server = server(listener);
        TopicRelay relay =
            new TopicRelay(
                address,
                KafkaJar.load(settings(url)).openInput(address, new Properties()),
                server.address(),
                Optional.empty(),
                "",
                listener::log)) {
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(
              () ->
                  assertThat(listener.found)
                      .extracting(Anomaly::phenomenon)
                      .containsExactly(Phenomenon.LOST_UPDATE));
      assertThat(relay).isNotNull();
    }
  }

  @Test
  void topicsOfAPrefixAreReadTogether() throws Exception {
    for (String topic : List.of("prefix", "prefix.account", "prefixed")) {
      write(broker.url(topic), record(1, TopicRecord.Kind.EVENTS, gap(1)));
    }
    Set<String> read = new TreeSet<>();
    try (TopicInput input = inputs("prefix")) {
      while (!input.isAtEnd()) {
        input
            .poll(200)
            .forEach(next -> read.add(next.topic() + (next.key() == null ? "" : " with a key")));
      }
    }
    assertThat(read).containsExactly("prefix with a key", "prefix.account with a key");
    assertThatThrownBy(() -> inputs("pref"))
        .isInstanceOf(IOException.class)
        .hasMessage(broker.url("pref") + ": there are no topics pref.*");
  }

  private static TopicInput inputs(String prefix) throws IOException {
    String url = broker.url(prefix);
    return KafkaJar.load(settings(url))
        .openInputs(TopicAddress.ofUrl(url).orElseThrow(), new Properties());
  }

  @Test
  void missingJarIsOneLine() {
    Settings settings =
        Settings.of(
            Map.of(
                Setting.ANALYZER, "kafka://127.0.0.1:9092/t",
                Setting.KAFKA_JAR, "/nowhere/txwatch-kafka.jar"));
    assertThatThrownBy(() -> new KafkaProvider().open(settings))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "txwatch.kafka-jar=/nowhere/txwatch-kafka.jar: there is no file"
                + " /nowhere/txwatch-kafka.jar");
    assertThatThrownBy(
            () ->
                new KafkaProvider()
                    .open(Settings.of(Map.of(Setting.ANALYZER, "kafka://127.0.0.1:9092/t"))))
        .hasMessageContaining("txwatch-kafka.jar is not in")
        .hasMessageEndingWith("put it there, or name it with txwatch.kafka-jar");
  }

  /**
   * The application's thread sees neither Kafka's client nor its own class loader in its threads.
   */
  @Test
  void clientIsInAClassLoaderOfItsOwn() throws Exception {
    Class<?> connector = KafkaJar.load(settings(broker.url("isolated"))).getClass();

    assertThat(connector.getName()).isEqualTo(KafkaConnector.class.getName());
    assertThat(connector).isNotEqualTo(KafkaConnector.class);
    assertThatThrownBy(() -> connector.getClassLoader().loadClass("org.assertj.core.api.Assert"))
        .isInstanceOf(ClassNotFoundException.class);
  }
}
