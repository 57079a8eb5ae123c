package io.txwatch.flink;

import static io.txwatch.flink.Fakes.fake;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.link.TopicRecord;
import io.txwatch.report.AnomalyId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * In which order the function may receive histories and changes: those of {@link DebeziumJobTest}.
 */
class JoinFunctionTest {

  private final JoinFunction function = new JoinFunction(DebeziumJobTest.KEY, "");
  private final TreeSet<Long> timers = new TreeSet<>();
  private final List<TopicRecord> joined = new ArrayList<>();
  private long watermark = Long.MIN_VALUE;
  private long processingTime;

  @BeforeEach
  void open() throws Exception {
    ListState<?> state = fake(ListState.class, (name, arguments) -> List.of());
    OperatorStateStore store = fake(OperatorStateStore.class, (name, arguments) -> state);
    function.initializeState(fake(FunctionInitializationContext.class, (name, arguments) -> store));
    function.setRuntimeContext(
        fake(
            RuntimeContext.class,
            (name, arguments) -> UnregisteredMetricsGroup.createOperatorMetricGroup()));
    function.open(DefaultOpenContext.INSTANCE);
  }

  /** The broker was away: the histories are read first, and move the watermark by minutes. */
  @Test
  void changesThatAreReadLaterAreAwaited() throws Exception {
    List<TopicRecord> histories = DebeziumJobTest.histories(DebeziumJobTest.place());
    List<ProducerRecord<byte[], byte[]>> changes = DebeziumJobTest.records("shop", "");
    for (TopicRecord one : histories) {
      process(one);
    }
    long end = histories.get(histories.size() - 1).throughMillis();
    advance(heartbeat(end + 60_000));
    processingTime += 5_000;
    for (ProducerRecord<byte[], byte[]> one : changes) {
      function.processElement2(
          new ConnectorRecord(one.topic(), one.timestamp(), one.key(), one.value()),
          context(one.timestamp()),
          collector());
    }
    advance(heartbeat(end + 62_000));
    advance(Long.MAX_VALUE);

    assertThat(anomalies()).containsExactlyInAnyOrderElementsOf(DebeziumJobTest.expected());
  }

  /** Nobody writes any more: what is read is passed on nevertheless. */
  @Test
  void changesThatNeverComeAreNotAwaitedForever() throws Exception {
    List<TopicRecord> histories = DebeziumJobTest.histories(DebeziumJobTest.place());
    for (TopicRecord one : histories) {
      process(one);
    }
    long end = histories.get(histories.size() - 1).throughMillis();
    advance(heartbeat(end + 60_000));
    assertThat(ended()).isZero();
    processingTime += HistoryJob.MAX_SILENCE.toMillis();
    advance(heartbeat(end + 62_000));

    assertThat(ended()).isPositive();
  }

  private List<Event> events() throws Exception {
    List<Event> events = new ArrayList<>();
    for (TopicRecord one : joined) {
      if (one.kind() == TopicRecord.Kind.EVENTS) {
        events.addAll(Chunk.decode(one.value()));
      }
    }
    return events;
  }

  private long ended() throws Exception {
    return events().stream().filter(Event.TransactionEnded.class::isInstance).count();
  }

  private List<String> anomalies() throws Exception {
    List<String> ids = new ArrayList<>();
    try (Analyzer analyzer =
        new Analyzer(Judge.DBMS, anomaly -> ids.add(AnomalyId.of(anomaly)), 64 << 20)) {
      events().forEach(analyzer::accept);
    }
    return ids;
  }

  private void process(TopicRecord one) throws Exception {
    function.processElement1(one, context(one.throughMillis()), collector());
  }

  /** The process is complete through a later time; so is what is read of it. */
  private long heartbeat(long through) throws Exception {
    process(
        DebeziumJobTest.record(
            0, TopicRecord.Kind.SESSIONS, through, DebeziumJobTest.place(), new byte[0]));
    return through - 1;
  }

  /** Timers are executed in their order, as by Flink. */
  private void advance(long to) {
    watermark = to;
    while (!timers.isEmpty() && timers.first() <= to) {
      long time = timers.first();
      timers.remove(time);
      function.onTimer(time, context(time), collector());
    }
  }

  private TimerService timerService() {
    return fake(
        TimerService.class,
        (name, arguments) ->
            switch (name) {
              case "currentWatermark" -> watermark;
              case "currentProcessingTime" -> processingTime;
              case "registerEventTimeTimer" -> timers.add((Long) arguments[0]);
              default -> throw new UnsupportedOperationException(name);
            });
  }

  private KeyedCoProcessFunction<Integer, TopicRecord, ConnectorRecord, TopicRecord>.OnTimerContext
      context(long time) {
    return function.new OnTimerContext() {
      @Override
      public Long timestamp() {
        return time;
      }

      @Override
      public TimerService timerService() {
        return JoinFunctionTest.this.timerService();
      }

      @Override
      public <X> void output(OutputTag<X> tag, X value) {
        throw new UnsupportedOperationException();
      }

      @Override
      public TimeDomain timeDomain() {
        return TimeDomain.EVENT_TIME;
      }

      @Override
      public Integer getCurrentKey() {
        return 0;
      }
    };
  }

  private Collector<TopicRecord> collector() {
    return new Collector<>() {
      @Override
      public void collect(TopicRecord one) {
        joined.add(one);
      }

      @Override
      public void close() {}
    };
  }
}
