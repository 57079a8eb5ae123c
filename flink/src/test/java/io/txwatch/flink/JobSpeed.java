package io.txwatch.flink;

import com.sun.management.OperatingSystemMXBean;
import io.txwatch.analyzer.Analyzer;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Chunk;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.IsolationLevel;
import io.txwatch.link.TopicRecord;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * Measures what limits the job: its speed by databases and parallelism, beside that of the analyzer
 * alone; what is shuffled and retained; and which dependencies can be part of a cycle. {@code
 * bench/run flink} runs it.
 */
final class JobSpeed {

  private static final int[] DATABASES = {1, 2, 4, 8};
  private static final int[] PARALLELISM = {1, 2};

  /** As in a process that writes to a topic: the usual size of a chunk, and its age in µs. */
  private static final int CHUNK_BYTES = 1 << 16;

  private static final long LINGER_MICROS = 4_000;
  private static final String OPEN = ", one transaction stays open";
  private static final int FEW_ROWS = 20;
  private static final int PROCESSES = 3;

  /** The records that the source of the job emits; it runs in this JVM. */
  private static volatile List<TopicRecord> emitted = List.of();

  private static final AtomicLong FIRST_NANOS = new AtomicLong();
  private static final AtomicLong LAST_NANOS = new AtomicLong();

  private final int rounds;
  private final int operations;

  /** A history of each of several databases. */
  private record Load(String name, List<List<TopicRecord>> databases, long operations) {}

  private interface Source {
    List<TopicRecord> records(int number) throws IOException;
  }

  private JobSpeed(int rounds, int operations) {
    this.rounds = rounds;
    this.operations = operations;
  }

  /** Arguments: rounds, operations of each database, and pairs of a name and a history. */
  public static void main(String[] args) throws Exception {
    JobSpeed speed = new JobSpeed(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
    print(
        "%s UTC, %d processors, JDK %s, load average %s. Each database has %,d operations (executed"
            + " statements); medians of %d rounds after one that is not counted.%n",
        Instant.now().toString().substring(0, 16),
        Runtime.getRuntime().availableProcessors(),
        Runtime.version(),
        loadAverage(),
        speed.operations,
        speed.rounds);
    List<String> names = new ArrayList<>();
    List<Source> sources = new ArrayList<>();
    for (int i = 2; i < args.length; i += 2) {
      Path file = Path.of(args[i + 1]);
      List<TopicRecord> records = speed.ofHistory(file);
      names.add(args[i]);
      sources.add(number -> records);
      if (i == args.length - 2) {
        names.add(args[i] + OPEN);
        sources.add(number -> withOpenTransaction(records));
      }
    }
    names.add("races on " + FEW_ROWS + " rows");
    sources.add(speed::races);

    print("| history | events in a record | bytes of a record, shuffled | bytes of an operation |");
    print("| --- | ---: | ---: | ---: |");
    for (int i = 0; i < names.size(); i++) {
      shuffled(load(names.get(i), sources.get(i), 1));
    }
    print("%n| history | edges | against the order of commits | spanned by one | on a cycle |");
    print("| --- | ---: | ---: | ---: | ---: |");
    for (int i = 0; i < names.size(); i++) {
      CycleShare share = new CycleShare();
      for (TopicRecord one : load(names.get(i), sources.get(i), 1).databases().get(0)) {
        Chunk.decode(one.value()).forEach(share);
      }
      print("| %s | %s |", names.get(i), share.columns());
    }
    print("%n| history | heap of the analysis, MiB | records still needed | their MiB |");
    print("| --- | ---: | ---: | ---: |");
    for (int i = 0; i < names.size(); i++) {
      retained(load(names.get(i), sources.get(i), 1));
    }
    simulatedTasks();
    print(
        "%nOperations a second, all databases together, and processor time of an operation. In"
            + " brackets: how many databases the busier task has.%n");
    print(
        "| history | databases | analyzer, 1 thread | 2 threads | operator, 1 thread | 2 threads |"
            + " job, parallelism 1 | parallelism 2 |");
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).endsWith(OPEN)) {
        continue;
      }
      for (int count : DATABASES) {
        speed.row(load(names.get(i), sources.get(i), count));
      }
    }
    print("%nLoad average at the end: %s.", loadAverage());
  }

  private static void print(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }

  private static String loadAverage() {
    return String.format(
        Locale.ROOT, "%.2f", ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  /** The records that a process would write for the first operations of a history. */
  private List<TopicRecord> ofHistory(Path file) throws IOException {
    List<TopicRecord> records = new ArrayList<>();
    Chunk.Builder chunk = new Chunk.Builder("measured", CHUNK_BYTES);
    long begun = 0;
    long now = 0;
    int left = operations;
    try (HistoryReader reader = HistoryReader.open(file)) {
      for (Optional<Event> next = reader.next(); next.isPresent() && left > 0; ) {
        Event event = next.get();
        if (event instanceof Event.TransactionBegan began) {
          now = Math.max(now, began.micros());
        } else if (event instanceof Event.TransactionEnded ended) {
          now = Math.max(now, ended.micros());
        } else if (event instanceof Event.StatementExecuted) {
          left--;
        }
        if (chunk.events() == 0) {
          begun = now;
        }
        chunk.add(event);
        if (chunk.size() >= CHUNK_BYTES || now - begun >= LINGER_MICROS) {
          records.add(record(1, records.size() + 1, now / 1_000, chunk));
        }
        next = reader.next();
      }
    }
    records.add(record(1, records.size() + 1, now / 1_000, chunk));
    return records;
  }

  private static TopicRecord record(long client, long number, long millis, Chunk.Builder chunk) {
    return new TopicRecord(
        client,
        number,
        TopicRecord.Kind.EVENTS,
        millis,
        "measured",
        "database",
        chunk.take().bytes());
  }

  /** Preceded by a transaction of another process that does not end. */
  private static List<TopicRecord> withOpenTransaction(List<TopicRecord> records)
      throws IOException {
    long millis =
        records.stream()
            .mapToLong(TopicRecord::throughMillis)
            .filter(m -> m > 0)
            .min()
            .orElseThrow();
    Database database =
        Chunk.decode(records.get(0).value()).stream()
            .filter(Event.SessionOpened.class::isInstance)
            .map(event -> ((Event.SessionOpened) event).database())
            .findFirst()
            .orElseThrow();
    Chunk.Builder chunk = new Chunk.Builder("measured", CHUNK_BYTES);
    chunk.add(new Event.SessionOpened(1, "open", database));
    chunk.add(new Event.TransactionBegan(1, 1, IsolationLevel.READ_COMMITTED, millis * 1_000));
    List<TopicRecord> all = new ArrayList<>();
    all.add(record(2, 1, millis, chunk));
    all.addAll(records);
    return all;
  }

  private List<TopicRecord> races(int number) {
    // Four of the six steps of a transaction are operations.
    return new SimulatedTraffic(number, PROCESSES, 1, FEW_ROWS, operations / 4 * 6)
        .inOrder().stream().map(TimedRecord::record).toList();
  }

  private static Load load(String name, Source source, int count) throws IOException {
    List<List<TopicRecord>> databases = new ArrayList<>();
    long operations = 0;
    for (int i = 1; i <= count; i++) {
      String place = "database " + i;
      long prefix = (long) i << 32;
      List<TopicRecord> records = new ArrayList<>();
      for (TopicRecord one : source.records(i)) {
        records.add(
            new TopicRecord(
                prefix + one.client(),
                one.number(),
                one.kind(),
                one.throughMillis(),
                one.service(),
                place,
                one.value()));
        operations +=
            Chunk.decode(one.value()).stream()
                .filter(Event.StatementExecuted.class::isInstance)
                .count();
      }
      databases.add(records);
    }
    return new Load(name, databases, operations);
  }

  private static void shuffled(Load load) throws IOException {
    TypeSerializer<TopicRecord> serializer =
        TypeInformation.of(TopicRecord.class).createSerializer(new SerializerConfigImpl());
    DataOutputSerializer out = new DataOutputSerializer(CHUNK_BYTES);
    List<TopicRecord> records = load.databases().get(0);
    long events = 0;
    long bytes = 0;
    for (TopicRecord one : records) {
      out.clear();
      serializer.serialize(one, out);
      bytes += out.length();
      events += Chunk.decode(one.value()).size();
    }
    print(
        "| %s | %.1f | %,d | %.0f |",
        load.name(),
        (double) events / records.size(),
        bytes / records.size(),
        (double) bytes / load.operations());
  }

  private static void retained(Load load) throws IOException {
    DatabaseAnalysis[] analysis = {operator(load.databases().get(0))};
    List<TimedRecord> needed = analysis[0].needed();
    long used = usedHeap();
    analysis[0] = null;
    used -= usedHeap();
    print(
        "| %s | %.1f | %,d of %,d | %.1f |",
        load.name(),
        used / (double) (1 << 20),
        needed.size(),
        load.databases().get(0).size(),
        needed.stream().mapToLong(one -> one.record().value().length).sum() / (double) (1 << 20));
  }

  private static long usedHeap() {
    System.gc();
    System.gc(); // objects with a cleaner need a second collection
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private void row(Load load) throws Exception {
    StringBuilder row = new StringBuilder();
    for (int threads : PARALLELISM) {
      row.append(" | ").append(median(load, () -> inThreads(load, threads, JobSpeed::analyzer)));
    }
    for (int threads : PARALLELISM) {
      row.append(" | ").append(median(load, () -> inThreads(load, threads, JobSpeed::operator)));
    }
    for (int parallelism : PARALLELISM) {
      row.append(" | ").append(median(load, () -> job(load, parallelism)));
      if (parallelism > 1) {
        row.append(" (").append(onBusiest(load, parallelism)).append(')');
      }
    }
    print("| %s | %d%s |", load.name(), load.databases().size(), row);
  }

  /** Operations a second, and the processor time of one, which other processes affect less. */
  private String median(Load load, Callable<Long> nanos) throws Exception {
    nanos.call();
    long[] taken = new long[rounds];
    long[] processor = new long[rounds];
    for (int i = 0; i < rounds; i++) {
      long before = processorNanos();
      taken[i] = nanos.call();
      processor[i] = processorNanos() - before;
    }
    Arrays.sort(taken);
    Arrays.sort(processor);
    return String.format(
        Locale.ROOT,
        "%,.0f; %.1f µs",
        load.operations() * 1e9 / taken[rounds / 2],
        processor[rounds / 2] / 1e3 / load.operations());
  }

  /** The processor time of this JVM, with its compilers and its garbage collection. */
  private static long processorNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private interface Analysis {
    Object of(List<TopicRecord> records) throws IOException;
  }

  private static long inThreads(Load load, int threads, Analysis analysis) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      long started = System.nanoTime();
      List<Future<Object>> running = new ArrayList<>();
      for (List<TopicRecord> database : load.databases()) {
        running.add(pool.submit(() -> analysis.of(database)));
      }
      for (Future<Object> one : running) {
        one.get();
      }
      return System.nanoTime() - started;
    } finally {
      pool.shutdownNow();
    }
  }

  /** What {@code serve} does with the records of one database once it has received them. */
  private static Object analyzer(List<TopicRecord> records) throws IOException {
    AtomicLong found = new AtomicLong();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, anomaly -> found.incrementAndGet())) {
      analyzer.shared();
      for (TopicRecord one : records) {
        Chunk.decode(one.value()).forEach(analyzer::accept);
      }
      return found;
    }
  }

  /** What the job does with them, without Flink: it discards the records no longer needed. */
  private static DatabaseAnalysis operator(List<TopicRecord> records) {
    AtomicLong found = new AtomicLong();
    DatabaseAnalysis analysis =
        new DatabaseAnalysis(
            new AnalysisStart(),
            anomaly -> found.incrementAndGet(),
            Runtime.getRuntime().maxMemory() / 8);
    int discardAt = AnalysisFunction.MIN_DISCARD_RECORDS;
    long time = 0;
    for (TopicRecord one : records) {
      time = Math.max(time, one.throughMillis());
      analysis.accept(new TimedRecord(time, one));
      if (analysis.size() >= discardAt) {
        analysis.discard();
        discardAt = Math.max(AnalysisFunction.MIN_DISCARD_RECORDS, 2 * analysis.size());
      }
    }
    return analysis;
  }

  /** From the first record that the source emits until the last task has ended. */
  private static long job(Load load, int parallelism) throws Exception {
    List<TopicRecord> merged = new ArrayList<>();
    for (int i = 0; merged.size() < load.databases().stream().mapToInt(List::size).sum(); i++) {
      for (List<TopicRecord> database : load.databases()) {
        if (i < database.size()) {
          merged.add(database.get(i));
        }
      }
    }
    emitted = merged;
    FIRST_NANOS.set(0);
    Configuration configuration = new Configuration();
    configuration.setString("taskmanager.memory.network.max", "32 mb");
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism, configuration);
    HistoryJob.anomalies(
            environment
                .fromSequence(0, merged.size() - 1)
                .map(new Emit())
                .returns(TypeInformation.of(TopicRecord.class))
                .setParallelism(1)
                .assignTimestampsAndWatermarks(HistoryJob.watermarks())
                .setParallelism(1),
            0)
        .map(new Last(), TypeInformation.of(WrittenAnomaly.class))
        .sinkTo(new DiscardingSink<>());
    environment.execute();
    return LAST_NANOS.get() - FIRST_NANOS.get();
  }

  private static final class Emit extends RichMapFunction<Long, TopicRecord> {
    private static final long serialVersionUID = 1;

    @Override
    public TopicRecord map(Long number) {
      FIRST_NANOS.compareAndSet(0, System.nanoTime());
      return emitted.get(number.intValue());
    }
  }

  private static final class Last extends RichMapFunction<WrittenAnomaly, WrittenAnomaly> {
    private static final long serialVersionUID = 1;

    @Override
    public void open(OpenContext context) {
      LAST_NANOS.set(0);
    }

    @Override
    public WrittenAnomaly map(WrittenAnomaly anomaly) {
      return anomaly;
    }

    @Override
    public void close() {
      LAST_NANOS.accumulateAndGet(System.nanoTime(), Math::max);
    }
  }

  /** If each database takes the same work, all take as long as those of the busiest task. */
  private static void simulatedTasks() {
    print(
        "%nTimes as fast as one task, by a simulated clock; in brackets the busiest task's part.%n");
    print("| tasks and partitions | 64 databases | 256 databases | 1,024 databases |");
    print("| ---: | ---: | ---: | ---: |");
    for (int tasks = 1; tasks <= 64; tasks *= 2) {
      StringBuilder row = new StringBuilder("| " + tasks);
      for (int databases : new int[] {64, 256, 1_024}) {
        int most =
            onBusiest(
                IntStream.range(0, databases).mapToObj(i -> "postgresql://db/shop_" + i), tasks);
        row.append(String.format(Locale.ROOT, " | %.1f (%d)", (double) databases / most, most));
      }
      print("%s |", row);
    }
  }

  private static int onBusiest(Load load, int parallelism) {
    return onBusiest(load.databases().stream().map(records -> records.get(0).place()), parallelism);
  }

  /** How many databases the hash of their places assigns to the task that has the most. */
  private static int onBusiest(Stream<String> places, int parallelism) {
    int maximum = KeyGroupRangeAssignment.computeDefaultMaxParallelism(parallelism);
    int[] databases = new int[parallelism];
    places.forEach(
        place ->
            databases[
                KeyGroupRangeAssignment.assignKeyToParallelOperator(
                    place, maximum, parallelism)]++);
    return Arrays.stream(databases).max().orElse(0);
  }
}
