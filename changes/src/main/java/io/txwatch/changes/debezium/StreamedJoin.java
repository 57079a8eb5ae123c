package io.txwatch.changes.debezium;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.LogPosition;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.ValueHash;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Joins what processes read and committed with the changes of Debezium's topics while both arrive,
 * as {@link DebeziumJoin} does for all at once. What is missing interrupts the versions of rows:
 * anomalies are missed then, and none is invented. Not thread-safe.
 *
 * <p>Times are in milliseconds since 1970. The records of a connector are written in the order of
 * the log, so that what was written before a time is complete once all topics were read up to it.
 */
public final class StreamedJoin {

  /** Brokers may have clocks that differ by as much. */
  private static final long MAX_BROKER_SKEW_MILLIS = 1_000;

  /** How long processes wait for the changes of the same time at most. */
  public static final long MAX_DELAY_MILLIS = 20_000;

  /** Within this time a transaction has an end, if the connector writes ends. */
  private static final long MAX_WITHOUT_END_MILLIS = 60_000;

  /** A change is dropped if its transaction has no end by then. */
  private static final long MAX_END_DELAY_MILLIS = 600_000;

  /** Changes wait for the first event of a process; the oldest are dropped if there are more. */
  private static final long MAX_EARLY_BYTES = 64L << 20;

  private static final int MAX_SAMPLES = 512;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final ValueHash hash;
  private final DebeziumDecoder decoder;
  private final DebeziumTransactions transactions = new DebeziumTransactions();

  /** Those that were not decoded, in the order of their arrival. */
  private List<Written> waiting = new ArrayList<>();

  private long waitingBytes;

  /** Those of transactions that have not ended, with the names of these. */
  private final List<Pending> pending = new ArrayList<>();

  /** What interrupts versions at a place that is known by the time of its record alone. */
  private final List<Doubt> doubts = new ArrayList<>();

  /** Whether changes were dropped that preceded the first event of a process. */
  private boolean wasDropped;

  /** The sessions that were opened before the first one whose writes are stated. */
  private final Map<Long, Database> opened = new HashMap<>();

  private @Nullable Database database;
  private @Nullable EventJoin join;
  private boolean hasEnds;
  private long gaps;

  /** A record of a topic, and when it was written. */
  private record Written(
      long millis, String topic, byte @Nullable [] key, byte @Nullable [] value) {}

  private record Pending(String transaction, Written record) {}

  private record Doubt(ChangeGap gap, Written record) {}

  /**
   * A join of one database.
   *
   * @param hash with the key of the processes
   * @param registry where the schemas of records in Avro are; null if there is none
   */
  public StreamedJoin(ValueHash hash, @Nullable SchemaRegistry registry) {
    this.hash = hash;
    this.decoder = new DebeziumDecoder(registry);
  }

  /**
   * Adds the next event of a process.
   *
   * @throws IllegalArgumentException if it is of a second database
   */
  public void history(Event event) {
    if (event instanceof Event.SessionOpened open) {
      opened.put(open.session(), open.database());
      if (join == null) {
        start(open.database());
      }
    } else if (event instanceof Event.SessionClosed) {
      opened.remove(event.session());
    } else if (event instanceof Event.WritesStated) {
      Database of = opened.get(event.session());
      Database known = database;
      if (of != null && known != null && !of.place().equals(known.place())) {
        throw new IllegalArgumentException(
            "the histories have several databases: " + known.place() + ", " + of.place());
      }
    }
    EventJoin running = join;
    if (running != null) {
      running.addHistory(event);
    }
  }

  private void start(Database of) {
    database = of;
    join = new EventJoin(of, hash);
  }

  /**
   * Adds the next record of the connector's topics.
   *
   * @param millis when it was written
   */
  public void change(long millis, String topic, byte @Nullable [] key, byte @Nullable [] value) {
    Written next = new Written(millis, topic, key, value);
    add(next);
    while (join == null && waitingBytes > MAX_EARLY_BYTES) {
      waitingBytes -= size(waiting.remove(0));
      wasDropped = true;
    }
  }

  private void add(Written next) {
    waiting.add(next);
    waitingBytes += size(next);
  }

  private static long size(Written record) {
    return (record.value() == null ? 0 : record.value().length) + 64L;
  }

  /**
   * Passes on what is complete.
   *
   * @param processes up to when the events of processes were added
   * @param topics all records of the connector were added that were written before
   * @throws IllegalArgumentException if the changes cannot be joined, with the reason
   */
  public void advance(long processes, long topics, Consumer<? super Event> out) {
    EventJoin running = join;
    if (running == null) {
      return;
    }
    decode(topics);
    add(running, topics);
    running.limitSamples(MAX_SAMPLES);
    long known = Math.max(running.through() / NANOS_PER_MILLI, processes - MAX_DELAY_MILLIS);
    running.release(Math.min(processes, known) * NANOS_PER_MILLI, out);
  }

  /**
   * Passes on the rest: no more is added.
   *
   * @throws IllegalArgumentException if the changes cannot be joined, with the reason
   */
  public void finish(Consumer<? super Event> out) {
    EventJoin running = join;
    if (running == null) {
      return;
    }
    decode(Long.MAX_VALUE);
    if (!hasEnds && !pending.isEmpty()) {
      throw new IllegalArgumentException(DebeziumTransactions.WITHOUT_ENDS);
    }
    add(running, Long.MAX_VALUE);
    running.release(Long.MAX_VALUE, out);
    running.requireSameKey();
  }

  /** The ends of transactions come after their changes. */
  private void decode(long topics) {
    List<Written> later = new ArrayList<>();
    for (Written next : waiting) {
      if (next.millis() >= topics) {
        later.add(next);
        continue;
      }
      DebeziumRecord record = decoder.decode(next.topic(), next.key(), next.value());
      if (record instanceof DebeziumRecord.TransactionEnd
          && next.millis() >= topics - MAX_BROKER_SKEW_MILLIS) {
        later.add(next);
        continue;
      }
      waitingBytes -= size(next);
      ChangeGap doubt = doubt(record);
      if (doubt != null) {
        doubts.add(new Doubt(doubt, next));
        continue;
      }
      transactions.add(record);
      hasEnds |= record instanceof DebeziumRecord.TransactionEnd;
      if (record instanceof DebeziumRecord.Change change) {
        pending.add(new Pending(transaction(change), next));
      }
    }
    waiting = later;
    if (!hasEnds
        && !pending.isEmpty()
        && pending.get(0).record().millis() < topics - MAX_WITHOUT_END_MILLIS) {
      throw new IllegalArgumentException(DebeziumTransactions.WITHOUT_ENDS);
    }
    if (topics < Long.MAX_VALUE) {
      pending.stream()
          .filter(one -> one.record().millis() < topics - MAX_END_DELAY_MILLIS)
          .forEach(one -> transactions.endIsMissing(one.transaction()));
    }
  }

  private static @Nullable ChangeGap doubt(DebeziumRecord record) {
    if (record instanceof DebeziumRecord.Schema schema) {
      return new ChangeGap(
          ChangeGap.Reason.TABLE_UNKNOWN,
          "",
          "",
          "the schema was changed at " + schema.change().end());
    }
    return record instanceof DebeziumRecord.Undecodable undecodable ? undecodable.gap() : null;
  }

  private static String transaction(DebeziumRecord.Change change) {
    String id = change.transaction();
    if (id == null) {
      throw new IllegalArgumentException(DebeziumTransactions.WITHOUT_ID);
    }
    if (change.place().at().file().isEmpty()) {
      throw new IllegalArgumentException(DebeziumTransactions.OF_POSTGRES);
    }
    return id;
  }

  private void add(EventJoin running, long topics) {
    if (running.clockWasSet()) {
      gap(running, new ChangeGap(ChangeGap.Reason.RECORD_LOST, "", "", "a clock was set"));
    }
    if (wasDropped) {
      gap(running, new ChangeGap(ChangeGap.Reason.RECORD_LOST, "", "", "they came too early"));
      wasDropped = false;
    }
    List<DebeziumTransactions.Committed> next = new ArrayList<>();
    transactions.takeEnded(
        new DebeziumTransactions.Receiver() {
          @Override
          public void committed(DebeziumTransactions.Committed one) {
            if (!doubts.isEmpty()) { // between which of them is not known
              addNext();
              gap(running, doubts.get(0).gap());
            }
            next.add(one);
          }

          @Override
          public void missing(ChangeGap gap) {
            addNext();
            gap(running, gap);
          }

          private void addNext() {
            running.addChanges(next);
            next.clear();
          }
        });
    running.addChanges(next);
    doubts.forEach(doubt -> gap(running, doubt.gap()));
    // The end of an earlier transaction may have a later time, by another broker's clock.
    doubts.removeIf(doubt -> doubt.record().millis() < topics - 2 * MAX_BROKER_SKEW_MILLIS);
    pending.removeIf(one -> !transactions.isPending(one.transaction()));
  }

  private void gap(EventJoin running, ChangeGap gap) {
    gaps++;
    running.addGap(gap);
  }

  /** How often the versions of rows were interrupted. */
  public long gaps() {
    return gaps;
  }

  /** The database; null before the first session was opened. */
  public @Nullable Database database() {
    return database;
  }

  /** Encodes what is known and what waits. */
  public void write(DataOutputStream out) throws IOException {
    out.writeBoolean(hasEnds);
    out.writeLong(gaps);
    out.writeBoolean(wasDropped);
    out.writeInt(waiting.size() + pending.size() + doubts.size());
    for (Doubt one : doubts) {
      write(out, one.record());
    }
    for (Pending one : pending) {
      write(out, one.record());
    }
    for (Written one : waiting) {
      write(out, one);
    }
    DebeziumTransactions.Taken taken = transactions.taken();
    out.writeBoolean(taken != null);
    if (taken != null) {
      out.writeUTF(taken.server());
      write(out, taken.place().after());
      write(out, taken.place().at());
    }
    List<Event> sessions = new ArrayList<>();
    opened.forEach((session, of) -> sessions.add(new Event.SessionOpened(session, "", of)));
    Database known = database;
    if (known != null) {
      sessions.add(0, new Event.SessionOpened(0, "", known));
    }
    EventJoin.writeEvents(out, sessions);
    EventJoin running = join;
    if (running != null) {
      running.write(out);
    }
  }

  /**
   * Continues from what {@link #write} has encoded.
   *
   * @throws IOException if it was encoded by an incompatible version
   */
  public void read(DataInputStream in) throws IOException {
    hasEnds = in.readBoolean();
    gaps = in.readLong();
    wasDropped = in.readBoolean();
    for (int left = in.readInt(); left > 0; left--) {
      add(new Written(in.readLong(), in.readUTF(), readBytes(in), readBytes(in)));
    }
    if (in.readBoolean()) {
      String server = in.readUTF();
      transactions.resume(
          new DebeziumTransactions.Taken(
              server, new DebeziumRecord.Place(readPosition(in), readPosition(in))));
    }
    for (Event event : EventJoin.readEvents(in)) {
      Event.SessionOpened open = (Event.SessionOpened) event;
      if (open.session() == 0) {
        start(open.database());
      } else {
        opened.put(open.session(), open.database());
      }
    }
    EventJoin running = join;
    if (running != null) {
      running.read(in);
    }
  }

  private static void write(DataOutputStream out, Written record) throws IOException {
    out.writeLong(record.millis());
    out.writeUTF(record.topic());
    writeBytes(out, record.key());
    writeBytes(out, record.value());
  }

  private static void writeBytes(DataOutputStream out, byte @Nullable [] bytes) throws IOException {
    out.writeInt(bytes == null ? -1 : bytes.length);
    if (bytes != null) {
      out.write(bytes);
    }
  }

  private static byte @Nullable [] readBytes(DataInputStream in) throws IOException {
    int length = in.readInt();
    return length < 0 ? null : in.readNBytes(length);
  }

  private static void write(DataOutputStream out, LogPosition position) throws IOException {
    out.writeUTF(position.file());
    out.writeLong(position.offset());
  }

  private static LogPosition readPosition(DataInputStream in) throws IOException {
    return new LogPosition(in.readUTF(), in.readLong());
  }
}
