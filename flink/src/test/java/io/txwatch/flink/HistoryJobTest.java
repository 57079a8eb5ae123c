package io.txwatch.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.CycleEnumeration;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.link.TopicRecord;
import io.txwatch.report.AnomalyId;
import io.txwatch.report.JsonReport;
import io.txwatch.slice.HistorySlice;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The job on Flink's mini-cluster, with topics of a real broker. */
@Timeout(300)
class HistoryJobTest {

  private static final long MAX_CLOCK_DIFFERENCE = HistoryJob.MAX_CLOCK_DIFFERENCE.toMillis();
  private static final long MAX_SILENCE = HistoryJob.MAX_SILENCE.toMillis();

  private static final int HISTORIES = Integer.getInteger("flink.histories", 100);

  private static Path directory;
  private static BrokerProcess broker;

  @BeforeAll
  static void startBroker(@TempDir Path shared) throws IOException {
    directory = shared;
    broker = new BrokerProcess(Files.createDirectory(directory.resolve("broker")));
  }

  @AfterAll
  static void stopBroker() throws InterruptedException {
    broker.close();
  }

  /**
   * In the order of each stream, and otherwise in any in which a broker may receive them: a stream
   * is silent for less than {@link HistoryJob#MAX_SILENCE} unless nothing happens in it, and its
   * first record is late by less than {@link HistoryJob#MAX_CLOCK_DIFFERENCE}.
   */
  static List<TopicRecord> shuffled(List<List<TopicRecord>> streams, Random random) {
    List<Deque<TopicRecord>> left = new ArrayList<>();
    streams.forEach(stream -> left.add(new ArrayDeque<>(stream)));
    Map<Long, Long> lastMillis = new HashMap<>();
    List<TopicRecord> all = new ArrayList<>();
    while (!left.isEmpty()) {
      Deque<TopicRecord> next = left.get(random.nextInt(left.size()));
      for (int count = random.nextInt(8); count > 0 && !next.isEmpty(); count--) {
        if (isTooEarly(next.getFirst(), left, lastMillis)) {
          break;
        }
        TopicRecord one = next.remove();
        lastMillis.put(one.client(), one.throughMillis());
        all.add(one);
      }
      left.removeIf(Deque::isEmpty);
    }
    return all;
  }

  private static boolean isTooEarly(
      TopicRecord one, List<Deque<TopicRecord>> left, Map<Long, Long> lastMillis) {
    boolean isFirst = true;
    boolean waits = false;
    for (Deque<TopicRecord> stream : left) {
      TopicRecord next = stream.peekFirst();
      if (next != null) {
        isFirst &= one.throughMillis() <= next.throughMillis();
        Long last = lastMillis.get(next.client());
        waits |=
            last == null
                ? one.throughMillis() >= next.throughMillis() + MAX_CLOCK_DIFFERENCE
                : one.throughMillis() >= last + MAX_SILENCE;
      }
    }
    return waits && !isFirst;
  }

  /** As {@code check} reads a topic with one partition for each stream. */
  private static List<String> checked(SimulatedTraffic traffic) throws IOException {
    return DatabaseAnalysisTest.checked(
        traffic.inOrder().stream().map(TimedRecord::record).toList());
  }

  private static StreamExecutionEnvironment environment(int parallelism, String from) {
    return environment(directory, parallelism, from);
  }

  /** A cluster in this process that continues from a savepoint, or begins if it is empty. */
  static StreamExecutionEnvironment environment(Path directory, int parallelism, String from) {
    return StreamExecutionEnvironment.createLocalEnvironment(
        parallelism, configuration(directory, from));
  }

  private static Configuration configuration(String from) {
    return configuration(directory, from);
  }

  private static Configuration configuration(Path directory, String from) {
    Configuration configuration = new Configuration();
    configuration.setString("execution.checkpointing.interval", "200 ms");
    configuration.setString(
        "execution.checkpointing.dir", directory.resolve("checkpoints").toUri().toString());
    configuration.setString("restart-strategy.type", "fixed-delay");
    configuration.setString("restart-strategy.fixed-delay.attempts", "3");
    configuration.setString("restart-strategy.fixed-delay.delay", "500 ms");
    configuration.setString("taskmanager.memory.network.max", "32 mb");
    if (!from.isEmpty()) {
      configuration.setString("execution.state-recovery.path", from);
    }
    return configuration;
  }

  private static List<String> lines(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file :
          files
              .filter(Files::isRegularFile)
              .filter(file -> !file.getFileName().toString().startsWith("."))
              .sorted(Comparator.naturalOrder())
              .toList()) {
        lines.addAll(Files.readAllLines(file));
      }
    }
    return lines;
  }

  /** Partitions, parallelism, and which order of arrival; more with -Dflink.arrivals=10. */
  static Stream<Arguments> arrivals() {
    int count = Integer.getInteger("flink.arrivals", 0);
    if (count == 0) {
      return Stream.of(Arguments.of(1, 1, 1), Arguments.of(2, 3, 1), Arguments.of(8, 4, 1));
    }
    List<Arguments> all = new ArrayList<>();
    for (int arrival = 1; arrival <= count; arrival++) {
      for (int partitions : new int[] {1, 2, 4, 8}) {
        for (int tasks = 1; tasks <= 4; tasks++) {
          all.add(Arguments.of(partitions, tasks, arrival));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("arrivals")
  void sameAnomaliesAsInOneProcess(int partitions, int parallelism, int arrival) throws Exception {
    SimulatedTraffic traffic = new SimulatedTraffic(partitions, 4, 2, 40, 3_000);
    List<String> expected = checked(traffic);
    assertThat(expected).hasSizeGreaterThan(20);
    String name = "histories-" + partitions + "-" + parallelism + "-" + arrival;
    Path to = directory.resolve(name);
    broker.create(name, partitions);
    Random random = new Random(31L * arrival + parallelism);
    broker.write(name, partitions, shuffled(traffic.streams(), random));

    StreamExecutionEnvironment environment = environment(parallelism, "");
    HistoryJob.build(
        environment,
        JobOptions.of("--from", broker.url(name), "--to", to.toString(), "--end", "present"));
    environment.execute();

    DatabaseAnalysisTest.assertSame(lines(to), expected);
  }

  /**
   * Random histories, each of a database of its own: the job, {@code check} and an enumeration of
   * all cycles agree. More with -Dflink.histories=1000.
   */
  @ParameterizedTest
  @Timeout(600)
  @MethodSource("arrivals")
  void anomaliesOfRandomHistoriesAreThoseOfCheckAndOfAllCycles(
      int partitions, int parallelism, int arrival) throws Exception {
    List<SimulatedHistory> histories = new ArrayList<>();
    for (int number = 0; number < HISTORIES; number++) {
      histories.add(SimulatedHistory.random(number, 1_000_003L * arrival + number));
    }
    assertJobFindsWhatCheckFinds("random", histories, partitions, parallelism, arrival);
    for (SimulatedHistory history : histories) {
      CycleEnumeration.assertWorstCyclesReported(
          SimulatedHistory.events(history.inOrder()),
          SimulatedHistory.checked(history.inOrder(), false));
    }
  }

  /**
   * Histories that {@code ScenarioTest} recorded on real DBMSs: with -Dscenarios.histories=DIR, and
   * the same here.
   */
  @ParameterizedTest
  @Timeout(600)
  @MethodSource("arrivals")
  @EnabledIfSystemProperty(named = "scenarios.histories", matches = ".+")
  void anomaliesOfScenariosAreThoseOfCheck(int partitions, int parallelism, int arrival)
      throws Exception {
    List<SimulatedHistory> histories = new ArrayList<>();
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("scenarios.histories")))) {
      for (Path file : files.sorted().toList()) {
        List<Event> events = new ArrayList<>();
        try (HistoryReader reader = HistoryReader.open(file)) {
          reader.forEach(events::add);
        }
        SimulatedHistory history = SimulatedHistory.recorded(histories.size(), events);
        assertThat(SimulatedHistory.events(history.inOrder())).isEqualTo(events);
        histories.add(history);
      }
    }
    assertJobFindsWhatCheckFinds("scenarios", histories, partitions, parallelism, arrival);
  }

  private static void assertJobFindsWhatCheckFinds(
      String topic, List<SimulatedHistory> histories, int partitions, int parallelism, int arrival)
      throws Exception {
    String name = topic + "-" + partitions + "-" + parallelism + "-" + arrival;
    Path to = directory.resolve(name);
    broker.create(name, partitions);
    List<List<TopicRecord>> streams = new ArrayList<>();
    List<String> expected = new ArrayList<>();
    for (SimulatedHistory history : histories) {
      streams.addAll(history.streams());
      for (Anomaly anomaly : history.checked()) {
        expected.add(JsonReport.anomaly(anomaly));
      }
    }
    assertThat(expected).isNotEmpty();
    Random random = new Random(31L * arrival + parallelism);
    broker.write(name, partitions, shuffled(streams, random));

    StreamExecutionEnvironment environment = environment(parallelism, "");
    HistoryJob.build(
        environment,
        JobOptions.of("--from", broker.url(name), "--to", to.toString(), "--end", "present"));
    environment.execute();

    DatabaseAnalysisTest.assertSame(lines(to), expected);
  }

  /** A job that reads the first half of some traffic and has written anomalies to a topic. */
  private static final class HalfTraffic {
    private static final int PARTITIONS = 4;
    private final SimulatedTraffic traffic;
    private final List<String> expected;
    private final List<TopicRecord> all;
    private final String from;
    private final String to;
    private final JobClient job;
    private int written;

    HalfTraffic(String name, long seed) throws Exception {
      this(name, seed, environment(2, ""));
    }

    HalfTraffic(String name, long seed, StreamExecutionEnvironment environment) throws Exception {
      from = "histories-" + name;
      to = "anomalies-" + name;
      traffic = new SimulatedTraffic(seed, 4, 2, 40, 6_000);
      all = traffic.inOrder().stream().map(TimedRecord::record).toList();
      expected = DatabaseAnalysisTest.checked(all, false);
      broker.create(from, PARTITIONS);
      broker.create(to, 1);
      writeTo(all.size() / 2);
      job = start(environment);
      await().atMost(Duration.ofMinutes(2)).until(() -> found().size() > 5);
      assertThat(found()).hasSizeLessThan(expected.size());
    }

    private JobClient start(StreamExecutionEnvironment environment) throws Exception {
      HistoryJob.build(
          environment, JobOptions.of("--from", broker.url(from), "--to", broker.url(to)));
      return environment.executeAsync();
    }

    private List<String> found() {
      return broker.committed(to, 1);
    }

    private void writeTo(int end) throws Exception {
      broker.write(from, PARTITIONS, all.subList(written, end));
      written = end;
    }

    private void writeRest() throws Exception {
      writeTo(all.size());
      // What is complete through a later time lets everything before be analyzed.
      broker.write(from, PARTITIONS, traffic.heartbeats(60_000));
    }

    private void assertEachFoundOnce(JobClient running) throws Exception {
      await().atMost(Duration.ofMinutes(2)).until(() -> found().size() >= expected.size());
      running.cancel().get();
      DatabaseAnalysisTest.assertSame(found(), expected);
      for (ConsumerRecord<byte[], byte[]> record : broker.committedRecords(to, 1)) {
        List<Anomaly> again = new ArrayList<>();
        try (Analyzer analyzer = new Analyzer(Judge.DBMS, again::add, 64 << 20)) {
          Chunk.decode(record.headers().lastHeader(HistorySlice.HEADER).value())
              .forEach(analyzer::accept);
          analyzer.suspectAll();
        }
        String id = new String(record.key(), StandardCharsets.UTF_8);
        assertThat(new String(record.value(), StandardCharsets.UTF_8))
            .startsWith("{\"type\":\"anomaly\",\"id\":\"" + id + "\"");
        assertThat(again).extracting(AnomalyId::of).contains(id);
      }
    }
  }

  @Test
  void jobContinuesFromASavepoint() throws Exception {
    HalfTraffic half = new HalfTraffic("savepoint", 99);
    String savepoint =
        half.job
            .stopWithSavepoint(
                false,
                Files.createDirectory(directory.resolve("savepoint")).toUri().toString(),
                SavepointFormatType.CANONICAL)
            .get();
    half.writeRest();

    half.assertEachFoundOnce(half.start(environment(3, savepoint)));
  }

  @Test
  void jobContinuesWhenItsBrokerIsKilledAndStartedAgain() throws Exception {
    HalfTraffic half = new HalfTraffic("killed", 7);
    broker.kill();
    broker.start();
    half.writeRest();

    half.assertEachFoundOnce(half.job);
  }

  @Test
  void jobContinuesWhenATaskManagerIsKilled() throws Exception {
    MiniClusterConfiguration twoTaskManagers =
        new MiniClusterConfiguration.Builder()
            .setConfiguration(configuration(""))
            .setNumTaskManagers(2)
            .setNumSlotsPerTaskManager(1)
            .withRandomPorts()
            .build();
    try (MiniCluster cluster = new MiniCluster(twoTaskManagers)) {
      cluster.start();
      URI rest = cluster.getRestAddress().get();
      StreamExecutionEnvironment environment =
          StreamExecutionEnvironment.createRemoteEnvironment(
              rest.getHost(), rest.getPort(), configuration(""));
      environment.setParallelism(2);
      HalfTraffic half = new HalfTraffic("task-manager", 21, environment);
      half.writeTo(half.all.size() * 3 / 4);
      cluster.terminateTaskManager(0).get();
      cluster.startTaskManager();
      half.writeRest();

      half.assertEachFoundOnce(half.job);

      assertThat(cluster.getExecutionGraph(half.job.getJobID()).get().getAllExecutionVertices())
          .allSatisfy(
              task ->
                  assertThat(task.getCurrentExecutionAttempt().getAttemptNumber()).isPositive());
    }
  }

  @Test
  void optionsAreChecked() {
    assertThatThrownBy(() -> JobOptions.of("--from", "kafka://one:9092/t"))
        .hasMessage("--to is missing");
    assertThatThrownBy(() -> JobOptions.of("--from", "one", "--to", "x"))
        .hasMessage("--from: expected kafka://HOST:PORT[,HOST:PORT]/TOPIC, not 'one'");
    assertThatThrownBy(() -> JobOptions.of("--form", "one")).hasMessage("unknown option '--form'");
  }
}
