package io.txwatch.flink;

import static io.txwatch.flink.Fakes.fake;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.link.TopicRecord;
import io.txwatch.report.JsonReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In which order the function analyzes records, and how often it accesses its state. */
class AnalysisFunctionTest {

  /** Of a record of the topic: it is stored as waiting, then as needed, and removed from both. */
  private static final int MAX_ACCESSES = 12;

  /** How often an entry of any state was read, written or removed. */
  private long accesses;

  private final AnalysisFunction function = new AnalysisFunction(64 << 20);
  private final TreeSet<Long> timers = new TreeSet<>();
  private final List<String> found = new ArrayList<>();
  private final Map<String, Map<?, ?>> states = new HashMap<>();
  private long watermark = Long.MIN_VALUE;
  private long processingTime;
  private final TreeSet<Long> processingTimers = new TreeSet<>();

  /** All records arrive before the watermark passes the first: so a job reads a long backlog. */
  @Test
  void accessesToTheStateGrowWithTheRecordsAndNotWithTheBacklog() throws Exception {
    assertThat(accessesOfARecord(2_000)).isBetween(1L, (long) MAX_ACCESSES);
    assertThat(accessesOfARecord(16_000)).isBetween(1L, (long) MAX_ACCESSES);
  }

  /**
   * The watermark follows the fastest stream by five seconds, and the others are slower than that.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void streamsThatLagBehindAreAwaited(long seed) throws Exception {
    SimulatedTraffic traffic = new SimulatedTraffic(seed, 3, 1, 40, 4_000);
    List<String> expected =
        DatabaseAnalysisTest.checked(traffic.inOrder().stream().map(TimedRecord::record).toList());
    assertThat(expected).hasSizeGreaterThan(10);
    Random random = new Random(seed);
    open();
    for (TopicRecord one : HistoryJobTest.shuffled(traffic.streams(), random)) {
      process(one);
      long most = one.throughMillis() - HistoryJob.MAX_CLOCK_DIFFERENCE.toMillis() - 1;
      if (most > watermark && random.nextInt(3) == 0) {
        advance(most);
      }
    }
    assertThat(found).isNotEmpty();
    advance(Long.MAX_VALUE);
    DatabaseAnalysisTest.assertSame(found, expected);
  }

  /** Rounds of which most streams have no record; the watermark passes them at any moment. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void answerDoesNotDependOnTheWatermark(int arrival) throws Exception {
    List<SimulatedHistory> histories = new ArrayList<>();
    List<List<TopicRecord>> streams = new ArrayList<>();
    List<AnalysisFunctionTest> runs = new ArrayList<>();
    for (int number = 0; number < 100; number++) {
      SimulatedHistory history = SimulatedHistory.random(number, 1_000_003L * arrival + number);
      histories.add(history);
      streams.addAll(history.streams());
      AnalysisFunctionTest run = new AnalysisFunctionTest();
      run.open();
      runs.add(run);
    }
    Random random = new Random(arrival);
    for (TopicRecord one : HistoryJobTest.shuffled(streams, random)) {
      runs.get(SimulatedHistory.number(one)).process(one);
      long most = one.throughMillis() - HistoryJob.MAX_CLOCK_DIFFERENCE.toMillis() - 1;
      if (random.nextInt(arrival) == 0) {
        for (AnalysisFunctionTest run : runs) {
          run.advance(Math.max(run.watermark, most));
        }
      }
    }
    for (int number = 0; number < 100; number++) {
      AnalysisFunctionTest run = runs.get(number);
      run.advance(Long.MAX_VALUE);
      assertThat(run.states.get("waiting")).isEmpty();
      DatabaseAnalysisTest.assertSame(
          run.found, histories.get(number).checked().stream().map(JsonReport::anomaly).toList());
    }
  }

  /** One process has a clock that is two hundred years ahead, and moves the watermark there. */
  @Test
  @Timeout(60)
  void clockFarAheadDoesNotHoldTheOthersUp() throws Exception {
    SimulatedTraffic traffic = new SimulatedTraffic(1, 3, 1, 40, 2_000);
    List<TopicRecord> records = traffic.inOrder().stream().map(TimedRecord::record).toList();
    long ahead = 200L * 365 * 86_400_000;
    open();
    for (TopicRecord one : records) {
      boolean isAhead = one.client() == records.get(0).client();
      process(new TimedRecord(one.throughMillis() + (isAhead ? ahead : 0), one));
      if (isAhead) {
        advance(Math.max(watermark, one.throughMillis() + ahead - 5_001));
      }
    }
    pass(2 * HistoryJob.MAX_SILENCE.toMillis());
    advance(Long.MAX_VALUE);

    assertThat(states.get("waiting")).isEmpty();
    assertThat(accesses).isLessThan(100L * records.size());
  }

  /** The clock of one process is half a minute behind. */
  @Test
  void aStreamThatAlwaysLagsDelaysTheOthersOnce() throws Exception {
    SimulatedTraffic traffic = new SimulatedTraffic(1, 3, 1, 40, 1_000);
    List<TopicRecord> heartbeats = traffic.heartbeats(0);
    open();
    for (long second = 0; second < 120; second++) {
      for (TopicRecord one : heartbeats) {
        boolean isBehind = one.client() == heartbeats.get(0).client();
        process(
            new TimedRecord(one.throughMillis() + second * 1_000 - (isBehind ? 30_000 : 0), one));
      }
      advance(heartbeats.get(1).throughMillis() + second * 1_000 - 5_001);
      pass(1_000);
      if (second > 45) {
        assertThat(states.get("waitingCounts")).as("after %s s", second).hasSizeLessThan(10);
      }
    }
  }

  /** The broker is away when the job is restarted. */
  @Test
  void withoutAWatermarkNoStreamLags() {
    LaggingStreams streams = new LaggingStreams();
    for (long now = 0; now < 60_000; now += 1_000) {
      assertThat(streams.isAwaited(1, 1_000_000, Long.MIN_VALUE, now)).isTrue();
    }
  }

  /** A process was killed: then the others are analyzed without it. */
  @Test
  void aStreamThatNeverContinuesIsNotAwaitedForever() throws Exception {
    SimulatedTraffic traffic = new SimulatedTraffic(1, 3, 1, 40, 4_000);
    TopicRecord killed = traffic.streams().get(0).get(0);
    List<TopicRecord> others = new ArrayList<>(traffic.streams().get(1));
    others.addAll(traffic.streams().get(2));
    others.sort(Comparator.comparing(TopicRecord::throughMillis));
    open();
    process(killed);
    long last = 0;
    for (TopicRecord one : others) {
      process(one);
      last = one.throughMillis();
    }
    long silence = HistoryJob.MAX_SILENCE.toMillis();
    advance(killed.throughMillis() + silence);
    pass(silence);
    assertThat(found).isEmpty();
    advance(last + 2_000);
    pass(silence - 1_000);
    assertThat(found).isEmpty();
    pass(1_000);
    assertThat(found).hasSizeGreaterThan(5);
  }

  /** The broker was away: the first partition to be read again moves the watermark by minutes. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void backlogThatIsReadStreamByStreamIsAwaited(long seed) throws Exception {
    SimulatedTraffic traffic = new SimulatedTraffic(seed, 3, 1, 40, 4_000);
    List<String> expected =
        DatabaseAnalysisTest.checked(traffic.inOrder().stream().map(TimedRecord::record).toList());
    assertThat(expected).hasSizeGreaterThan(10);
    open();
    for (List<TopicRecord> stream : traffic.streams()) {
      process(stream.get(0));
    }
    for (List<TopicRecord> stream : traffic.streams()) {
      long through = 0;
      for (TopicRecord one : stream.subList(1, stream.size())) {
        process(one);
        through = one.throughMillis();
      }
      advance(Math.max(watermark, through + 600_000));
      pass(5_000);
    }
    DatabaseAnalysisTest.assertSame(found, expected);
  }

  /** The first stream is fast, the second one is awaited, and the third one arrives too late. */
  @Test
  void aLateRecordLeavesNoOtherBehind() throws Exception {
    List<List<TopicRecord>> streams = new SimulatedTraffic(1, 3, 1, 40, 2_000).streams();
    List<TopicRecord> awaited = streams.get(1);
    int half = awaited.size() / 2;
    long halfMillis = awaited.get(half).throughMillis();
    open();
    for (TopicRecord one : streams.get(0)) {
      process(one);
    }
    for (TopicRecord one : awaited.subList(0, half + 1)) {
      process(one);
    }
    advance(halfMillis + 5_000);
    for (TopicRecord one : streams.get(2)) {
      if (one.kind() == TopicRecord.Kind.END || one.throughMillis() < halfMillis - 2_000) {
        process(one);
      }
    }
    advance(watermark + 1);
    process(awaited.get(awaited.size() - 1));
    advance(Long.MAX_VALUE);

    assertThat(states.get("waiting")).isEmpty();
    assertThat(found).isNotEmpty();
  }

  private void process(TopicRecord one) throws Exception {
    process(new TimedRecord(one.throughMillis(), one));
  }

  private static long accessesOfARecord(int steps) throws Exception {
    List<TimedRecord> records = new SimulatedTraffic(1, 3, 1, 40, steps).inOrder();
    AnalysisFunctionTest run = new AnalysisFunctionTest();
    run.open();
    for (TimedRecord record : records) {
      run.process(record);
    }
    run.advance(Long.MAX_VALUE);
    DatabaseAnalysisTest.assertSame(
        run.found,
        DatabaseAnalysisTest.checked(records.stream().map(TimedRecord::record).toList()));
    return run.accesses / records.size();
  }

  private void open() {
    function.setRuntimeContext(
        fake(
            RuntimeContext.class,
            (name, arguments) ->
                switch (name) {
                  case "getMapState" -> mapState((MapStateDescriptor<?, ?>) arguments[0]);
                  case "getState" -> valueState();
                  case "getMetricGroup" -> UnregisteredMetricsGroup.createOperatorMetricGroup();
                  default -> throw new UnsupportedOperationException(name);
                }));
    function.open(DefaultOpenContext.INSTANCE);
  }

  private void process(TimedRecord timed) throws Exception {
    function.processElement(timed.record(), context(timed.millis()), collector());
  }

  /** Timers are executed in their order, as by Flink. */
  private void advance(long to) throws Exception {
    watermark = to;
    while (!timers.isEmpty() && timers.first() <= to) {
      long time = timers.first();
      timers.remove(time);
      function.onTimer(time, context(time), collector());
    }
  }

  /** Lets processing time pass. */
  private void pass(long millis) throws Exception {
    long end = processingTime + millis;
    while (!processingTimers.isEmpty() && processingTimers.first() <= end) {
      processingTime = processingTimers.first();
      processingTimers.remove(processingTime);
      function.onTimer(
          processingTime, context(processingTime, TimeDomain.PROCESSING_TIME), collector());
    }
    processingTime = end;
  }

  private MapState<?, ?> mapState(MapStateDescriptor<?, ?> descriptor) {
    Map<Object, Object> entries = new HashMap<>();
    states.put(descriptor.getName(), entries);
    return fake(
        MapState.class,
        (name, arguments) -> {
          accesses += name.equals("entries") || name.equals("keys") ? entries.size() : 1;
          return switch (name) {
            case "get" -> entries.get(arguments[0]);
            case "put" -> entries.put(arguments[0], arguments[1]);
            case "remove" -> entries.remove(arguments[0]);
            case "entries" -> entries.entrySet();
            case "keys" -> List.copyOf(entries.keySet());
            default -> throw new UnsupportedOperationException(name);
          };
        });
  }

  private ValueState<?> valueState() {
    Object[] value = new Object[1];
    return fake(
        ValueState.class,
        (name, arguments) -> {
          accesses++;
          if (name.equals("update")) {
            value[0] = arguments[0];
          } else if (name.equals("clear")) {
            value[0] = null;
          }
          return name.equals("value") ? value[0] : null;
        });
  }

  private Collector<WrittenAnomaly> collector() {
    return new Collector<>() {
      @Override
      public void collect(WrittenAnomaly anomaly) {
        found.add(anomaly.json());
      }

      @Override
      public void close() {}
    };
  }

  private KeyedProcessFunction<String, TopicRecord, WrittenAnomaly>.OnTimerContext context(
      long time) {
    return context(time, TimeDomain.EVENT_TIME);
  }

  private KeyedProcessFunction<String, TopicRecord, WrittenAnomaly>.OnTimerContext context(
      long time, TimeDomain domain) {
    TimerService service =
        fake(
            TimerService.class,
            (name, arguments) ->
                switch (name) {
                  case "currentWatermark" -> watermark;
                  case "currentProcessingTime" -> processingTime;
                  case "registerProcessingTimeTimer" -> processingTimers.add((Long) arguments[0]);
                  case "registerEventTimeTimer" -> timers.add((Long) arguments[0]);
                  default -> throw new UnsupportedOperationException(name);
                });
    return function.new OnTimerContext() {
      @Override
      public Long timestamp() {
        return time;
      }

      @Override
      public TimerService timerService() {
        return service;
      }

      @Override
      public <X> void output(OutputTag<X> tag, X value) {
        throw new UnsupportedOperationException();
      }

      @Override
      public TimeDomain timeDomain() {
        return domain;
      }

      @Override
      public String getCurrentKey() {
        return "database";
      }
    };
  }
}
