package io.txwatch.changes.debezium;

import io.txwatch.changes.ChangeEvents;
import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.history.Chunk;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.ValueHash;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts the events of processes and the changes of the DBMS's log in one order of wall-clock time,
 * as if one process had read the log. Both are added as they arrive, and released through a time.
 * Not thread-safe.
 *
 * <p>What is read of a table without a change so far is not matched: it may not be one that
 * Debezium captures.
 *
 * <p><b>How far the changes were read.</b> A transaction of the log is stamped before others see
 * it. So all that were visible at a time are among those delivered if the stamps of all later ones
 * are greater, or if one that was delivered has a greater stamp. Clocks may differ by {@value
 * #MAX_SKEW_MILLIS} ms.
 */
final class EventJoin {

  static final long MAX_SKEW_MILLIS = 100;

  private static final long SKEW_NANOS = MAX_SKEW_MILLIS * 1_000_000;
  private static final long MAX_UNCERTAINTY_NANOS = SKEW_NANOS / 2;
  private static final long NANOS_PER_MICRO = 1000;

  /** A session's id that no process has: the number of a process is random and not zero. */
  private static final long READER = 1;

  /** What a topic of histories adds to the place of a database on the machine of the process. */
  private static final Pattern ON_MACHINE = Pattern.compile(" on \\S+( [0-9a-f-]{8})?$");

  /** How many rows are remembered as named; the others are named at each change. */
  private static final int MAX_NAMED = 1 << 18;

  /** Transactions of processes that were killed have no end. */
  private static final int MAX_TRANSACTIONS = 1 << 16;

  private static final int USUAL_BYTES = 1 << 16;

  private record Timed(long nanos, Event event) {}

  /**
   * By process, what its clock minus the wall clock is at most: from the beginnings of
   * transactions, whose first statement is sent afterwards.
   */
  private final Map<Long, List<Long>> upperBounds = new HashMap<>();

  /** What it is at least: from their ends, which are noted after COMMIT has returned. */
  private final Map<Long, List<Long>> lowerBounds = new HashMap<>();

  /** By transaction without a statement so far, when it began. */
  private final Map<Long, Long> began = bounded();

  /** By transaction, when its COMMIT had returned. */
  private final Map<Long, Long> returned = bounded();

  /** The sessions whose writes are known by their statements alone. */
  private final Set<Long> sessions = new HashSet<>();

  private final Set<String> tables = new TreeSet<>();

  /** Hashes of the rows among the changes. */
  private final Set<Long> named = new HashSet<>();

  /** Whether rows were named before a restart, which are not known any more. */
  private boolean areNamesLost;

  /** Events of processes, in the order of their arrival. */
  private List<Event> history = new ArrayList<>();

  /** By session, the time of its last event that was released, and that of all. */
  private final Map<Long, Long> times = new HashMap<>();

  private long latest = Long.MIN_VALUE;

  private final List<Event> converted = new ArrayList<>();
  private final ChangeEvents events;
  private List<Timed> changes = new ArrayList<>();

  /** By time: until when all changes are delivered then. */
  private final NavigableMap<Long, Long> readThrough = new TreeMap<>();

  /** The greatest stamp so far, in microseconds, and when the connector had read so far. */
  private long stamped = Long.MIN_VALUE;

  private long read = Long.MIN_VALUE;

  /** How many rows were read or written by key, and how many of them are among the changes. */
  private long compared;

  private long found;

  /**
   * A join of one database.
   *
   * @param hash with the key of the processes
   */
  EventJoin(Database database, ValueHash hash) {
    String home = ON_MACHINE.matcher(database.place()).replaceFirst("").replaceFirst("^.*#", "");
    events =
        new ChangeEvents(
            READER, "Debezium", database, false, home, hash, this::isUnnamed, converted::add);
    events.used();
    addConverted(Long.MIN_VALUE);
  }

  private boolean isUnnamed(String table, long key) {
    return named.size() == MAX_NAMED || named.add(row(table, key));
  }

  private static long row(String table, long key) {
    return 31 * key + table.hashCode();
  }

  /** Adds the next transactions of the log. */
  void addChanges(List<DebeziumTransactions.Committed> all) {
    long[] from = new long[all.size() + 1];
    from[all.size()] = Long.MAX_VALUE;
    for (int i = all.size() - 1; i >= 0; i--) {
      from[i] = Math.min(from[i + 1], all.get(i).transaction().commitMicros());
    }
    if (!readThrough.isEmpty() && !all.isEmpty()) { // now it is known what is next
      readThrough.computeIfPresent(
          readThrough.lastKey(),
          (at, through) -> Math.max(through, from[0] * NANOS_PER_MICRO - SKEW_NANOS));
    }
    for (int i = 0; i < all.size(); i++) {
      ChangedTransaction transaction = all.get(i).transaction();
      read = Math.max(read, all.get(i).readMicros() * NANOS_PER_MICRO + SKEW_NANOS);
      stamped = Math.max(stamped, transaction.commitMicros());
      events.transaction(transaction);
      addConverted(read);
      long through = i + 1 < all.size() ? Math.max(stamped, from[i + 1]) : stamped;
      readThrough.put(read, through * NANOS_PER_MICRO - SKEW_NANOS);
    }
  }

  /** From here on, what the log states continues no earlier version. */
  void addGap(ChangeGap gap) {
    events.gap(gap);
    addConverted(read);
  }

  private void addConverted(long nanos) {
    for (Event event : converted) {
      Event next = event;
      if (event instanceof Event.Changed changed) {
        next =
            new Event.Changed(
                changed.session(),
                changed.connection(),
                changed.position(),
                nanos,
                changed.micros(),
                changed.changes());
        changed.changes().forEach(change -> tables.add(change.table()));
      }
      changes.add(new Timed(nanos, next));
    }
    converted.clear();
  }

  /** Adds the next event of a process. */
  void addHistory(Event event) {
    history.add(event);
    if (event instanceof Event.WritesStated) {
      sessions.add(event.session());
    } else if (event instanceof Event.TransactionBegan e) {
      began.putIfAbsent(e.transaction(), e.micros());
    } else if (event instanceof Event.TransactionEnded e) {
      began.remove(e.transaction());
      Long nanos = returned.remove(e.transaction());
      if (nanos != null) {
        lowerBounds
            .computeIfAbsent(node(e), any -> new ArrayList<>())
            .add(nanos - e.micros() * NANOS_PER_MICRO);
      }
    } else if (event instanceof Event.EndTimed e) {
      returned.put(e.transaction(), e.returned());
    } else if (event instanceof Event.ValuesObserved e) {
      Long micros = began.remove(e.transaction());
      if (micros != null) {
        upperBounds
            .computeIfAbsent(node(e), any -> new ArrayList<>())
            .add(e.sent() - micros * NANOS_PER_MICRO);
      }
    }
  }

  private static Map<Long, Long> bounded() {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
        return size() > MAX_TRANSACTIONS;
      }
    };
  }

  private static long node(Event event) {
    return event.session() >>> Integer.SIZE;
  }

  /**
   * Whether the clock of a process was set: then no offset fits all of its transactions, and what
   * was known of it is discarded.
   */
  boolean clockWasSet() {
    boolean wasSet = false;
    for (Map.Entry<Long, List<Long>> of : upperBounds.entrySet()) {
      List<Long> least = lowerBounds.getOrDefault(of.getKey(), List.of());
      if (!least.isEmpty()
          && !of.getValue().isEmpty()
          && Collections.max(least) - Collections.min(of.getValue()) > MAX_UNCERTAINTY_NANOS) {
        wasSet = true;
        of.getValue().clear();
        least.clear();
      }
    }
    return wasSet;
  }

  /** Discards all but the last samples of each process. */
  void limitSamples(int most) {
    for (Map<Long, List<Long>> bounds : List.of(upperBounds, lowerBounds)) {
      for (List<Long> all : bounds.values()) {
        if (all.size() > most) {
          all.subList(0, all.size() - most / 2).clear();
        }
      }
    }
  }

  /**
   * By process, its clock minus the wall clock, if it is known well enough: a transaction whose
   * first statement was delayed does not show it, nor does one that has not ended.
   */
  private Map<Long, Long> offsets() {
    Map<Long, Long> offsets = new HashMap<>();
    upperBounds.forEach(
        (node, all) -> {
          List<Long> least = lowerBounds.getOrDefault(node, List.of());
          if (!all.isEmpty()
              && !least.isEmpty()
              && Math.abs(Collections.min(all) - Collections.max(least)) <= MAX_UNCERTAINTY_NANOS) {
            offsets.put(node, Collections.min(all));
          }
        });
    return offsets;
  }

  /** Through when all changes are known, in nanoseconds since 1970. */
  long through() {
    return readThrough.isEmpty() ? Long.MIN_VALUE : readThrough.lastEntry().getValue();
  }

  /**
   * Passes on all events through a time, in their order.
   *
   * @param nanos since 1970. All events of processes, and the changes known through that time, were
   *     added
   */
  void release(long nanos, Consumer<? super Event> out) {
    List<Timed> ready = new ArrayList<>();
    List<Timed> laterChanges = new ArrayList<>();
    for (Timed change : changes) {
      (change.nanos <= nanos ? ready : laterChanges).add(change);
    }
    changes = laterChanges;
    Map<Long, Long> offsets = offsets();
    List<Event> later = new ArrayList<>();
    Set<Long> waiting = new HashSet<>();
    for (Event event : history) {
      Long offset = offsets.get(node(event));
      long time = time(event, offset);
      if (time > nanos || waiting.contains(event.session())) {
        waiting.add(event.session());
        later.add(event);
        continue;
      }
      times.put(event.session(), time);
      latest = Math.max(latest, time);
      Event next = joined(event, offset);
      if (next != null) {
        ready.add(new Timed(time, next));
      }
      if (event instanceof Event.SessionClosed) {
        times.remove(event.session());
        sessions.remove(event.session());
      }
    }
    history = later;
    forgetClosed();
    addReads(ready, nanos);
    ready.sort(Comparator.comparingLong(Timed::nanos)); // stable
    ready.forEach(each -> out.accept(each.event()));
  }

  /** A process without sessions has ended, or its next transactions show its clock again. */
  private void forgetClosed() {
    Set<Long> running = new HashSet<>();
    times.keySet().forEach(session -> running.add(session >>> Integer.SIZE));
    history.forEach(event -> running.add(node(event)));
    upperBounds.keySet().retainAll(running);
    lowerBounds.keySet().retainAll(running);
  }

  /** How far the changes were read is stated as far as other events show the time. */
  private void addReads(List<Timed> ready, long nanos) {
    List<Timed> reads = new ArrayList<>();
    for (Timed end : ready) {
      Map.Entry<Long, Long> last =
          end.event() instanceof Event.EndTimed ? readThrough.floorEntry(end.nanos()) : null;
      if (last != null) {
        reads.add(read(end.nanos(), last.getValue()));
      }
    }
    NavigableMap<Long, Long> passed = readThrough.headMap(nanos, true);
    passed.forEach((at, through) -> reads.add(read(at, through)));
    ready.addAll(reads);
    if (!passed.isEmpty()) {
      passed.headMap(passed.lastKey(), false).clear();
    }
  }

  private static Timed read(long at, long through) {
    return new Timed(at, new Event.ChangesRead(READER, Math.min(at, through)));
  }

  private long time(Event event, @Nullable Long offset) {
    long time = times.getOrDefault(event.session(), Long.MIN_VALUE);
    if (event instanceof Event.ValuesObserved e && offset != null) {
      return Math.max(time, e.returned() - offset);
    } else if (event instanceof Event.EndTimed e && offset != null) {
      return Math.max(time, e.returned() - offset);
    } else if (event instanceof Event.TransactionBegan e) {
      return Math.max(time, e.micros() * NANOS_PER_MICRO);
    } else if (event instanceof Event.Gap || event instanceof Event.RowsShed) {
      return Math.max(time, latest); // what is missing may be another session's
    }
    return time;
  }

  /** Without an offset it is not known when a statement was executed. */
  private @Nullable Event joined(Event event, @Nullable Long offset) {
    if (event instanceof Event.EndTimed e) {
      return offset == null
          ? null
          : new Event.EndTimed(
              e.session(), e.transaction(), e.sent() - offset, e.returned() - offset);
    } else if (!sessions.contains(event.session())) {
      return event;
    } else if (event instanceof Event.ValuesObserved e) {
      return offset == null ? null : joinedValues(e, offset);
    }
    return event instanceof Event.WritesStated ? null : event;
  }

  private Event.@Nullable ValuesObserved joinedValues(Event.ValuesObserved e, long offset) {
    for (RowValues rows : e.reads()) {
      if (!tables.contains(rows.table())) {
        return null;
      }
      compare(rows);
    }
    for (StatedWrite write : e.writes()) {
      if (!tables.contains(write.rows().table())) {
        return null;
      }
      compare(write.rows());
    }
    return new Event.ValuesObserved(
        e.session(),
        e.transaction(),
        e.statement(),
        e.sent() - offset,
        e.returned() - offset,
        e.reads(),
        e.writes(),
        e.unread());
  }

  private void compare(RowValues rows) {
    for (int row = 0; row < rows.size(); row++) {
      if (rows.keys()[row] != 0) {
        compared++;
        found += named.contains(row(rows.table(), rows.keys()[row])) ? 1 : 0;
      }
    }
  }

  /**
   * With another key no row is the same one, and no anomaly is found.
   *
   * @throws IllegalArgumentException if rows were read or written, and none is among the changes
   */
  void requireSameKey() {
    if (compared > 0 && found == 0 && named.size() < MAX_NAMED && !areNamesLost) {
      throw new IllegalArgumentException(
          "no row of the history is among the changes; txwatch.value-key must be the key with which"
              + " the history was recorded");
    }
  }

  /** Encodes what is known, and the events that were not released. */
  void write(DataOutputStream out) throws IOException {
    writeEvents(out, history);
    out.writeInt(changes.size());
    for (Timed change : changes) {
      out.writeLong(change.nanos);
    }
    writeEvents(out, changes.stream().map(Timed::event).toList());
    writeBounds(out, upperBounds);
    writeBounds(out, lowerBounds);
    out.writeBoolean(areNamesLost || !named.isEmpty());
    writeLongs(out, returned);
    writeLongs(out, began);
    writeLongs(out, times);
    writeLongs(out, readThrough);
    writeLongs(out, sessions);
    writeLongs(out, List.of(latest, stamped, read, compared, found));
    out.writeInt(tables.size());
    for (String table : tables) {
      out.writeUTF(table);
    }
  }

  /** Replaces what is known by what {@link #write} has encoded. */
  void read(DataInputStream in) throws IOException {
    history = readEvents(in);
    long[] at = new long[in.readInt()];
    for (int i = 0; i < at.length; i++) {
      at[i] = in.readLong();
    }
    List<Event> changed = readEvents(in);
    changes = new ArrayList<>();
    for (int i = 0; i < at.length; i++) {
      changes.add(new Timed(at[i], changed.get(i)));
    }
    readBounds(in, upperBounds);
    readBounds(in, lowerBounds);
    areNamesLost = in.readBoolean();
    readLongs(in, returned);
    readLongs(in, began);
    readLongs(in, times);
    readLongs(in, readThrough);
    sessions.addAll(readLongs(in));
    List<Long> numbers = readLongs(in);
    latest = numbers.get(0);
    stamped = numbers.get(1);
    read = numbers.get(2);
    compared = numbers.get(3);
    found = numbers.get(4);
    for (int left = in.readInt(); left > 0; left--) {
      tables.add(in.readUTF());
    }
  }

  private static void writeBounds(DataOutputStream out, Map<Long, List<Long>> all)
      throws IOException {
    out.writeInt(all.size());
    for (Map.Entry<Long, List<Long>> of : all.entrySet()) {
      out.writeLong(of.getKey());
      writeLongs(out, of.getValue());
    }
  }

  private static void readBounds(DataInputStream in, Map<Long, List<Long>> all) throws IOException {
    for (int left = in.readInt(); left > 0; left--) {
      all.put(in.readLong(), readLongs(in));
    }
  }

  static void writeEvents(DataOutputStream out, List<Event> all) throws IOException {
    Chunk.Builder chunk = new Chunk.Builder("", USUAL_BYTES);
    all.forEach(chunk::add);
    byte[] bytes = chunk.take().bytes();
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  static List<Event> readEvents(DataInputStream in) throws IOException {
    return Chunk.decode(in.readNBytes(in.readInt()));
  }

  private static void writeLongs(DataOutputStream out, Iterable<Long> all) throws IOException {
    List<Long> numbers = new ArrayList<>();
    all.forEach(numbers::add);
    out.writeInt(numbers.size());
    for (long number : numbers) {
      out.writeLong(number);
    }
  }

  private static List<Long> readLongs(DataInputStream in) throws IOException {
    List<Long> all = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      all.add(in.readLong());
    }
    return all;
  }

  private static void writeLongs(DataOutputStream out, Map<Long, Long> all) throws IOException {
    writeLongs(out, all.keySet());
    writeLongs(out, all.values());
  }

  private static void readLongs(DataInputStream in, Map<Long, Long> all) throws IOException {
    List<Long> keys = readLongs(in);
    List<Long> values = readLongs(in);
    for (int i = 0; i < keys.size(); i++) {
      all.put(keys.get(i), values.get(i));
    }
  }
}
