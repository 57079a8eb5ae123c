package io.txwatch.flink;

import io.txwatch.changes.debezium.SchemaRegistry;
import io.txwatch.changes.debezium.StreamedJoin;
import io.txwatch.history.Chunk;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.ValueHash;
import io.txwatch.link.TopicRecord;
import io.txwatch.link.TopicStreams;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Joins the histories of one database with the changes of Debezium's topics. What comes out are the
 * records of one stream, as if one process had executed everything and had read the log.
 *
 * <p>An event waits until each stream and the changes are complete through its time, as long as
 * these are awaited ({@link LaggingStreams}). All keys are the same one, in one task: what is in
 * the log has one order.
 */
final class JoinFunction
    extends KeyedCoProcessFunction<Integer, TopicRecord, ConnectorRecord, TopicRecord>
    implements CheckpointedFunction {

  private static final long serialVersionUID = 1;

  /** The number of the stream that comes out; those of processes are random. */
  private static final long CLIENT = 1;

  private static final String SERVICE = "Debezium";
  private static final int USUAL_BYTES = 1 << 16;
  private static final long ROUND_MILLIS = 1_000;

  /** {@code txwatch.value-key} of the processes. */
  private final String key;

  /** The URL of the registry of Avro's schemas; empty if there is none. */
  private final String registry;

  private transient StreamedJoin join;
  private transient TopicStreams streams;

  /** By stream that has not ended, the time through which it is complete. */
  private transient Map<Long, Long> times;

  private transient LaggingStreams lagging;

  /** The time of the last change, and whether the changes lag behind the histories. */
  private transient long changedAt;

  private transient LaggingStreams laggingChanges;

  /** The number of the last record that came out. */
  private transient long number;

  private transient boolean finished;
  private transient @Nullable ListState<byte[]> stored;

  /**
   * A join.
   *
   * @param key {@code txwatch.value-key} of the processes
   * @param registry the URL of the registry of Avro's schemas; empty if there is none
   */
  JoinFunction(String key, String registry) {
    this.key = key;
    this.registry = registry;
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    stored =
        context
            .getOperatorStateStore()
            .getListState(
                new ListStateDescriptor<>(
                    "join", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO));
  }

  /** Called after the state was restored. */
  @Override
  public void open(OpenContext context) throws Exception {
    join =
        new StreamedJoin(
            ValueHash.ofKeyText(key),
            registry.isEmpty() ? null : SchemaRegistry.ofUrl(registry).orElseThrow());
    streams = new TopicStreams();
    times = new HashMap<>();
    lagging = new LaggingStreams();
    laggingChanges = new LaggingStreams();
    for (byte[] bytes : Objects.requireNonNull(stored).get()) {
      read(bytes);
    }
    getRuntimeContext().getMetricGroup().gauge("gapsInChanges", (Gauge<Long>) () -> join.gaps());
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    Objects.requireNonNull(stored).update(List.of(write()));
  }

  @Override
  public void processElement1(TopicRecord next, Context context, Collector<TopicRecord> out) {
    if (next.kind() == TopicRecord.Kind.END) {
      times.remove(next.client());
      lagging.forget(next.client());
    } else {
      times.merge(next.client(), context.timestamp(), Math::max);
    }
    try {
      TopicStreamsInput.accept(streams, next, join::history);
    } catch (IllegalArgumentException e) { // nor would it be joined after a restart
      throw new SuppressRestartsException(e);
    }
    context.timerService().registerEventTimeTimer(round(context.timestamp()));
  }

  @Override
  public void processElement2(ConnectorRecord next, Context context, Collector<TopicRecord> out) {
    changedAt = Math.max(changedAt, next.millis());
    join.change(
        next.millis(),
        next.topic(),
        next.key().length == 0 ? null : next.key(),
        next.value().length == 0 ? null : next.value());
    context.timerService().registerEventTimeTimer(round(next.millis()));
  }

  private static long round(long millis) {
    return (millis / ROUND_MILLIS + 1) * ROUND_MILLIS;
  }

  @Override
  public void onTimer(long time, OnTimerContext context, Collector<TopicRecord> out) {
    long watermark = context.timerService().currentWatermark();
    List<Event> events = new ArrayList<>();
    if (watermark == Long.MAX_VALUE) {
      finish(events);
    } else {
      advance(watermark, context.timerService().currentProcessingTime(), events);
    }
    Database database = join.database();
    if (database != null && !finished) {
      boolean isHeartbeat = events.isEmpty(); // else the analysis would wait for the next events
      Chunk.Builder chunk = new Chunk.Builder(SERVICE, USUAL_BYTES);
      events.forEach(chunk::add);
      out.collect(
          record(
              isHeartbeat ? number : ++number,
              isHeartbeat ? TopicRecord.Kind.SESSIONS : TopicRecord.Kind.EVENTS,
              time,
              database.place(),
              isHeartbeat ? new byte[0] : chunk.take().bytes()));
    }
    if (watermark == Long.MAX_VALUE && database != null && !finished) {
      out.collect(record(number, TopicRecord.Kind.END, time, database.place(), new byte[0]));
      finished = true;
    }
  }

  private void advance(long watermark, long now, List<Event> events) {
    long through = completeThrough(watermark, now);
    if (laggingChanges.isAwaited(0, changedAt, through, now)) {
      through = Math.min(through, changedAt + StreamedJoin.MAX_DELAY_MILLIS);
    }
    try {
      join.advance(through, watermark, events::add);
    } catch (IllegalArgumentException e) { // nor would it be joined after a restart
      throw new SuppressRestartsException(e);
    }
  }

  private void finish(List<Event> events) {
    if (!finished) {
      try {
        join.finish(events::add);
      } catch (IllegalArgumentException e) {
        throw new SuppressRestartsException(e);
      }
      for (String running : streams.running()) {
        events.add(TopicStreamsInput.gap(running + " still writes or was killed"));
      }
    }
  }

  private static TopicRecord record(
      long number, TopicRecord.Kind kind, long through, String place, byte[] value) {
    return new TopicRecord(CLIENT, number, kind, through, SERVICE, place, value);
  }

  /**
   * The time through which each stream is complete that has not ended and is awaited. Processes
   * that were killed do not close their sessions; these are closed after a while.
   */
  private long completeThrough(long watermark, long now) {
    long complete = watermark;
    Iterator<Map.Entry<Long, Long>> each = times.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<Long, Long> stream = each.next();
      long client = stream.getKey();
      long through = stream.getValue();
      if (lagging.isAwaited(client, through, watermark, now)) {
        complete = Math.min(complete, through);
      } else if (LaggingStreams.isKilled(through, watermark)) {
        join.history(TopicStreamsInput.gap("a process was killed, or is too late"));
        streams.forget(client, join::history);
        lagging.forget(client);
        each.remove();
      }
    }
    return complete;
  }

  private byte[] write() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeLong(number);
      out.writeInt(times.size());
      for (Map.Entry<Long, Long> stream : times.entrySet()) {
        out.writeLong(stream.getKey());
        out.writeLong(stream.getValue());
      }
      AnalysisStart.write(out, streams);
      join.write(out);
    }
    return bytes.toByteArray();
  }

  private void read(byte[] bytes) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      number = in.readLong();
      for (int left = in.readInt(); left > 0; left--) {
        times.put(in.readLong(), in.readLong());
      }
      AnalysisStart.read(in, streams);
      join.read(in);
    }
  }
}
