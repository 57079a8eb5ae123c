package io.txwatch.flink;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.link.TopicRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.TimeDomain;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Analyzes the records of each database in the order of their event time, and emits anomalies, each
 * once.
 *
 * <p>A record waits until the watermark has passed its time, and until each stream of its database
 * has: one that lags behind the others, because its process could not reach the broker for a while,
 * is awaited for a while ({@link LaggingStreams}). So the answer does not depend on the order in
 * which streams arrive. What is stored is the waiting records, the records that an analyzer still
 * needs, and where these begin: {@link DatabaseAnalysis}. After a restart the analyzer receives the
 * latter again; what it detects meanwhile was emitted before they were stored.
 */
final class AnalysisFunction extends KeyedProcessFunction<String, TopicRecord, WrittenAnomaly> {

  private static final long serialVersionUID = 1;

  /** Records are analyzed together whose event times are within as much. */
  private static final long ROUND_MILLIS = 1_000;

  /** What is no longer needed is discarded when there are as many records, or twice the last. */
  static final int MIN_DISCARD_RECORDS = 64;

  private final long memory;

  /**
   * By the time of a round and the number in it. Each record has an entry of its own: RocksDB would
   * copy a list for each record that is added to it.
   */
  private transient MapState<Tuple2<Long, Integer>, TimedRecord> waiting;

  /** By the time of a round, how many records wait for it. */
  private transient MapState<Long, Integer> waitingCounts;

  private transient MapState<Long, TimedRecord> needed;
  private transient ValueState<byte[]> start;

  /** By stream that has not ended, the time of its last record. */
  private transient MapState<Long, Long> times;

  /** The last round that was analyzed; null at first. */
  private transient ValueState<Long> analyzed;

  /**
   * The first and the last round that the watermark has passed and that wait for a stream that lags
   * behind; null if none does.
   */
  private transient ValueState<Tuple2<Long, Long>> delayed;

  private transient ValueState<Boolean> finished;
  private transient Counter lateRecords;

  /** By database. */
  private transient Map<String, Running> running;

  private static final class Running {
    private final DatabaseAnalysis analysis;
    private final LaggingStreams lagging = new LaggingStreams();

    /** The numbers in {@link #needed} of the next record and of the first one. */
    private long next;

    private long first;
    private int discardAt = MIN_DISCARD_RECORDS;

    Running(DatabaseAnalysis analysis) {
      this.analysis = analysis;
    }
  }

  /** Receives anomalies; null while records are analyzed again. */
  private transient @Nullable Collector<WrittenAnomaly> out;

  /**
   * An analysis for each database.
   *
   * @param memory the bytes that the analyzer of a database may use; 0 for an eighth of the heap
   */
  AnalysisFunction(long memory) {
    this.memory = memory;
  }

  @Override
  public void open(OpenContext context) {
    TypeInformation<TimedRecord> record = TypeInformation.of(TimedRecord.class);
    waiting =
        getRuntimeContext()
            .getMapState(
                new MapStateDescriptor<>("waiting", Types.TUPLE(Types.LONG, Types.INT), record));
    waitingCounts =
        getRuntimeContext()
            .getMapState(new MapStateDescriptor<>("waitingCounts", Types.LONG, Types.INT));
    needed =
        getRuntimeContext().getMapState(new MapStateDescriptor<>("needed", Types.LONG, record));
    start =
        getRuntimeContext()
            .getState(
                new ValueStateDescriptor<>(
                    "start", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    times =
        getRuntimeContext().getMapState(new MapStateDescriptor<>("times", Types.LONG, Types.LONG));
    analyzed = getRuntimeContext().getState(new ValueStateDescriptor<>("analyzed", Types.LONG));
    delayed =
        getRuntimeContext()
            .getState(new ValueStateDescriptor<>("delayed", Types.TUPLE(Types.LONG, Types.LONG)));
    finished = getRuntimeContext().getState(new ValueStateDescriptor<>("finished", Types.BOOLEAN));
    lateRecords = getRuntimeContext().getMetricGroup().counter("lateRecords");
    running = new HashMap<>();
  }

  @Override
  public void processElement(TopicRecord next, Context context, Collector<WrittenAnomaly> collector)
      throws Exception {
    Long before = times.get(next.client());
    long millis = Math.max(context.timestamp(), before == null ? 0 : before);
    if (next.kind() == TopicRecord.Kind.END) {
      times.remove(next.client());
      Running current = running.get(context.getCurrentKey());
      if (current != null) {
        current.lagging.forget(next.client());
      }
    } else {
      times.put(next.client(), millis);
    }
    Long last = analyzed.value();
    if (last != null && millis < last) {
      lateRecords.inc(); // what it may have overlapped with may be discarded
    }
    long round = round(millis);
    Integer count = waitingCounts.get(round);
    int number = count == null ? 0 : count;
    waiting.put(Tuple2.of(round, number), new TimedRecord(millis, next));
    waitingCounts.put(round, number + 1);
    TimerService timers = context.timerService();
    timers.registerEventTimeTimer(round);
    timers.registerEventTimeTimer(Long.MAX_VALUE);
    if (round <= timers.currentWatermark() && (last == null || round > last)) {
      // Its timer waits for the next watermark, which may not come while there is no new record.
      Tuple2<Long, Long> others = delayed.value();
      delayed.update(
          others == null
              ? Tuple2.of(round, round)
              : Tuple2.of(Math.min(others.f0, round), Math.max(others.f1, round)));
      lookAgain(timers);
    }
  }

  @Override
  public void onTimer(long time, OnTimerContext context, Collector<WrittenAnomaly> collector)
      throws Exception {
    String database = context.getCurrentKey();
    Running current = running.get(database);
    if (current == null) {
      current = resume();
      running.put(database, current);
    }
    out = collector;
    if (time < Long.MAX_VALUE) {
      TimerService timers = context.timerService();
      long complete =
          completeThrough(
              current.lagging, timers.currentWatermark(), timers.currentProcessingTime());
      if (context.timeDomain() == TimeDomain.EVENT_TIME) {
        analyze(current, time, complete);
      } else if (delayed.value() != null) {
        analyze(current, delayed.value().f0, complete);
      }
      if (delayed.value() != null) {
        lookAgain(timers);
      }
    } else if (finished.value() == null) {
      finished.update(true);
      current.analysis.finish();
    }
    out = null;
  }

  /** Whether delayed rounds are complete depends on their streams, not on the watermark. */
  private static void lookAgain(TimerService timers) {
    timers.registerProcessingTimeTimer(round(timers.currentProcessingTime()));
  }

  /** Analyzes a round and those that were delayed, as far as they are complete. */
  private void analyze(Running current, long due, long completeThrough) throws Exception {
    Tuple2<Long, Long> before = delayed.value();
    boolean isLate = before != null && due < before.f0 && due <= completeThrough;
    if (before == null || isLate) {
      if (due <= completeThrough) {
        analyze(current, due);
      } else {
        delayed.update(Tuple2.of(due, due));
      }
      return;
    }
    long first = Math.min(due, before.f0);
    long last = Math.max(due, before.f1);
    if (first <= completeThrough) {
      for (long round : waitingRounds(first, Math.min(last, completeThrough))) {
        analyze(current, round);
      }
      first = round(completeThrough);
    }
    if (last > completeThrough) {
      delayed.update(Tuple2.of(first, last));
    } else {
      delayed.clear();
    }
  }

  /** The rounds for which a record waits, in their order: between two of them may be years. */
  private List<Long> waitingRounds(long first, long last) throws Exception {
    List<Long> rounds = new ArrayList<>();
    for (long round : waitingCounts.keys()) {
      if (round >= first && round <= last) {
        rounds.add(round);
      }
    }
    rounds.sort(null);
    return rounds;
  }

  private void analyze(Running current, long round) throws Exception {
    for (TimedRecord record : due(round)) {
      current.analysis.accept(record);
      needed.put(current.next++, record);
    }
    Long before = analyzed.value();
    analyzed.update(before == null ? round : Math.max(round, before));
    if (current.analysis.size() >= current.discardAt) {
      discard(current);
    }
  }

  /** The time through which each stream is complete that has not ended and is awaited. */
  private long completeThrough(LaggingStreams lagging, long watermark, long now) throws Exception {
    if (watermark == Long.MAX_VALUE) {
      return watermark;
    }
    long through = Long.MAX_VALUE;
    List<Long> killed = new ArrayList<>();
    for (Map.Entry<Long, Long> stream : times.entries()) {
      if (lagging.isAwaited(stream.getKey(), stream.getValue(), watermark, now)) {
        through = Math.min(through, stream.getValue());
      } else if (LaggingStreams.isKilled(stream.getValue(), watermark)) {
        killed.add(stream.getKey());
      }
    }
    for (Long one : killed) {
      times.remove(one);
      lagging.forget(one);
    }
    return through;
  }

  /** The round of a time: the next multiple of {@link #ROUND_MILLIS}. */
  private static long round(long millis) {
    return (millis / ROUND_MILLIS + 1) * ROUND_MILLIS;
  }

  /** Removes what waits for a round; each record that waits has set the timer of its own. */
  private List<TimedRecord> due(long round) throws Exception {
    Integer count = waitingCounts.get(round);
    if (count == null) {
      return List.of();
    }
    List<TimedRecord> due = new ArrayList<>(count);
    for (int number = 0; number < count; number++) {
      Tuple2<Long, Integer> key = Tuple2.of(round, number);
      due.add(waiting.get(key));
      waiting.remove(key);
    }
    waitingCounts.remove(round);
    due.sort(TimedRecord.ORDER);
    return due;
  }

  private void discard(Running current) throws Exception {
    for (int count = current.analysis.discard(); count > 0; count--) {
      needed.remove(current.first++);
    }
    start.update(current.analysis.start().bytes());
    current.discardAt = Math.max(MIN_DISCARD_RECORDS, 2 * current.analysis.size());
  }

  private Running resume() throws Exception {
    byte[] from = start.value();
    AnalysisStart begin = from == null ? new AnalysisStart() : AnalysisStart.of(from);
    long bytes = memory > 0 ? memory : Runtime.getRuntime().maxMemory() / 8;
    Running resumed = new Running(new DatabaseAnalysis(begin, this::emit, bytes));
    List<Map.Entry<Long, TimedRecord>> stored = new ArrayList<>();
    needed.entries().forEach(stored::add);
    stored.sort(Comparator.comparing(Map.Entry::getKey));
    if (!stored.isEmpty()) {
      resumed.first = stored.get(0).getKey();
      resumed.next = stored.get(stored.size() - 1).getKey() + 1;
    }
    out = null;
    stored.forEach(entry -> resumed.analysis.accept(entry.getValue()));
    return resumed;
  }

  private void emit(Anomaly anomaly) {
    if (out != null) {
      out.collect(WrittenAnomaly.of(anomaly));
    }
  }
}
