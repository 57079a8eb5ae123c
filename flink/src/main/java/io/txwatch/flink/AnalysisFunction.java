package io.txwatch.flink;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.link.TopicRecord;
import io.txwatch.report.JsonReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Analyzes the records of each database in the order of their event time, and emits anomalies as
 * JSON, each once.
 *
 * <p>A record waits until the watermark has passed its time. What is stored is the waiting records,
 * the records that an analyzer still needs, and where these begin: {@link DatabaseAnalysis}. After
 * a restart the analyzer receives the latter again; what it detects meanwhile was emitted before
 * they were stored.
 */
final class AnalysisFunction extends KeyedProcessFunction<String, TopicRecord, String> {

  private static final long serialVersionUID = 1;

  /** Records are analyzed together whose event times are within as much. */
  private static final long ROUND_MILLIS = 1_000;

  /** What is no longer needed is discarded when there are as many records, or twice the last. */
  static final int MIN_DISCARD_RECORDS = 64;

  private final long memory;

  private transient ListState<TimedRecord> waiting;
  private transient MapState<Long, TimedRecord> needed;
  private transient ValueState<byte[]> start;

  /** By stream, the time of its last record. */
  private transient MapState<Long, Long> times;

  private transient ValueState<Boolean> finished;
  private transient Counter lateRecords;

  /** By database. */
  private transient Map<String, Running> running;

  private static final class Running {
    private final DatabaseAnalysis analysis;

    /** The numbers in {@link #needed} of the next record and of the first one. */
    private long next;

    private long first;
    private int discardAt = MIN_DISCARD_RECORDS;

    Running(DatabaseAnalysis analysis) {
      this.analysis = analysis;
    }
  }

  /** Receives anomalies; null while records are analyzed again. */
  private transient @Nullable Collector<String> out;

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
    waiting = getRuntimeContext().getListState(new ListStateDescriptor<>("waiting", record));
    needed =
        getRuntimeContext().getMapState(new MapStateDescriptor<>("needed", Types.LONG, record));
    start =
        getRuntimeContext()
            .getState(
                new ValueStateDescriptor<>(
                    "start", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
    times =
        getRuntimeContext().getMapState(new MapStateDescriptor<>("times", Types.LONG, Types.LONG));
    finished = getRuntimeContext().getState(new ValueStateDescriptor<>("finished", Types.BOOLEAN));
    lateRecords = getRuntimeContext().getMetricGroup().counter("lateRecords");
    running = new HashMap<>();
  }

  @Override
  public void processElement(TopicRecord next, Context context, Collector<String> collector)
      throws Exception {
    Long before = times.get(next.client());
    long millis = Math.max(context.timestamp(), before == null ? 0 : before);
    times.put(next.client(), millis);
    if (millis <= context.timerService().currentWatermark()) {
      lateRecords.inc(); // what it may have overlapped with may be discarded
    }
    waiting.add(new TimedRecord(millis, next));
    long round = (millis / ROUND_MILLIS + 1) * ROUND_MILLIS;
    context.timerService().registerEventTimeTimer(round);
    context.timerService().registerEventTimeTimer(Long.MAX_VALUE);
  }

  @Override
  public void onTimer(long time, OnTimerContext context, Collector<String> collector)
      throws Exception {
    String database = context.getCurrentKey();
    Running current = running.get(database);
    if (current == null) {
      current = resume();
      running.put(database, current);
    }
    out = collector;
    List<TimedRecord> later = new ArrayList<>();
    List<TimedRecord> due = new ArrayList<>();
    for (TimedRecord record : waiting.get()) {
      (record.millis() < time ? due : later).add(record);
    }
    due.sort(TimedRecord.ORDER);
    for (TimedRecord record : due) {
      current.analysis.accept(record);
      needed.put(current.next++, record);
    }
    waiting.update(later);
    if (time == Long.MAX_VALUE && finished.value() == null) {
      finished.update(true);
      current.analysis.finish();
    } else if (current.analysis.size() >= current.discardAt) {
      discard(current);
    }
    out = null;
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
      out.collect(JsonReport.anomaly(anomaly));
    }
  }
}
