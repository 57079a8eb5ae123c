package io.txwatch.changes.debezium;

import io.txwatch.changes.ChangeEvents;
import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.SchemaChange;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.ValueHash;
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
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Joins what processes read and committed with the changes of Debezium's topics, as if one process
 * had read the DBMS's log: all times become wall-clock times, and events are in their order.
 *
 * <p>What is read of a table without a change in the topics is not matched: it may not be one that
 * Debezium captures. If anything is missing, nothing is joined.
 *
 * <p><b>How far the changes were read.</b> A transaction of the log is stamped before others see
 * it. So all that were visible at a time are among those delivered if the stamps of all later ones
 * are greater, or if one that was delivered has a greater stamp. Clocks may differ by {@value
 * #MAX_SKEW_MILLIS} ms.
 */
public final class DebeziumJoin {

  static final long MAX_SKEW_MILLIS = 100;

  private static final long SKEW_NANOS = MAX_SKEW_MILLIS * 1_000_000;
  private static final long NANOS_PER_MICRO = 1000;

  /** A session's id that no process has: the number of a process is random and not zero. */
  private static final long READER = 1;

  /** What a topic of histories adds to the place of a database on the machine of the process. */
  private static final Pattern ON_MACHINE = Pattern.compile(" on \\S+( [0-9a-f-]{8})?$");

  private record Timed(long nanos, Event event) {}

  private final Database database;
  private final String home;
  private final Set<Long> sessions = new HashSet<>();
  private final Set<String> tables = new HashSet<>();
  private final Set<String> named = new HashSet<>();
  private final List<Timed> timed = new ArrayList<>();

  /** By time: until when all changes are delivered then. */
  private final NavigableMap<Long, Long> readThrough = new TreeMap<>();

  /** How many rows were read or written by key, and how many of them are among the changes. */
  private long compared;

  private long found;

  private DebeziumJoin(Database database) {
    this.database = database;
    this.home = ON_MACHINE.matcher(database.place()).replaceFirst("").replaceFirst("^.*#", "");
  }

  /**
   * Passes the joined events on.
   *
   * @param history the events of processes whose writes are known by their statements alone ({@code
   *     txwatch.versions=statements})
   * @param changes those of the topics
   * @param hash with the key of the processes
   * @throws IllegalArgumentException if they cannot be joined, with the reason
   */
  public static void join(
      List<Event> history,
      DebeziumTransactions changes,
      ValueHash hash,
      Consumer<? super Event> out) {
    if (changes.transactions().stream()
        .anyMatch(each -> each.transaction().end().file().isEmpty())) {
      throw new IllegalArgumentException(
          "changes of PostgreSQL are not joined; there txwatch.versions=system needs none");
    }
    Map<String, Database> databases = new LinkedHashMap<>();
    Map<Long, Database> opened = new HashMap<>();
    Set<Long> stated = new HashSet<>();
    for (Event event : history) {
      if (event instanceof Event.SessionOpened open) {
        opened.put(open.session(), open.database());
      } else if (event instanceof Event.WritesStated writes) {
        Database of = opened.get(writes.session());
        if (of != null) {
          databases.put(of.scope(), of);
          stated.add(writes.session());
        }
      }
    }
    if (databases.size() != 1) {
      throw new IllegalArgumentException(
          databases.isEmpty()
              ? "no process recorded with txwatch.versions=statements, whose reads alone are joined"
              : "the history has several databases: " + String.join(", ", databases.keySet()));
    }
    changes.requireEnds();
    requireComplete(changes);
    DebeziumJoin join = new DebeziumJoin(databases.values().iterator().next());
    join.sessions.addAll(stated);
    join.addChanges(changes, hash);
    join.addHistory(history);
    join.requireSameKey();
    join.timed.sort(Comparator.comparingLong(Timed::nanos)); // stable
    join.timed.forEach(each -> out.accept(each.event()));
  }

  /** With a change missing, an older version may have the values that were read. */
  private static void requireComplete(DebeziumTransactions changes) {
    for (ChangeGap gap : changes.gaps()) {
      throw new IllegalArgumentException(
          "changes are missing"
              + (gap.table().isEmpty() ? ": " : " of " + gap.schema() + "." + gap.table() + ": ")
              + gap.detail());
    }
    for (SchemaChange change : changes.schemaChanges()) {
      throw new IllegalArgumentException(
          "the schema was changed at " + change.end() + ": " + change.text());
    }
    for (DebeziumTransactions.Committed committed : changes.transactions()) {
      if (committed.transaction().commitMicros() < 0) {
        throw new IllegalArgumentException("no time of commit at " + committed.transaction().end());
      }
    }
  }

  private void addChanges(DebeziumTransactions changes, ValueHash hash) {
    List<DebeziumTransactions.Committed> all = changes.transactions();
    List<Event> converted = new ArrayList<>();
    ChangeEvents events =
        new ChangeEvents(
            READER,
            "Debezium",
            database,
            false,
            home,
            hash,
            (table, key) -> named.add(table + "#" + key),
            converted::add);
    events.used();
    timed.add(new Timed(Long.MIN_VALUE, converted.get(0)));
    long[] from = new long[all.size() + 1];
    from[all.size()] = Long.MAX_VALUE;
    for (int i = all.size() - 1; i >= 0; i--) {
      from[i] = Math.min(from[i + 1], all.get(i).transaction().commitMicros());
    }
    long last = Long.MIN_VALUE;
    long read = Long.MIN_VALUE;
    for (int i = 0; i < all.size(); i++) {
      ChangedTransaction transaction = all.get(i).transaction();
      read = Math.max(read, all.get(i).readMicros() * NANOS_PER_MICRO + SKEW_NANOS);
      last = Math.max(last, transaction.commitMicros());
      converted.clear();
      events.transaction(transaction);
      for (Event event : converted) {
        timed.add(
            new Timed(
                read,
                event instanceof Event.Changed changed
                    ? new Event.Changed(
                        changed.session(),
                        changed.connection(),
                        changed.position(),
                        read,
                        changed.micros(),
                        changed.changes())
                    : event));
        if (event instanceof Event.Changed changed) {
          changed.changes().forEach(change -> tables.add(change.table()));
        }
      }
      long stamped = i + 1 < all.size() ? Math.max(last, from[i + 1]) : last;
      readThrough.put(read, stamped * NANOS_PER_MICRO - SKEW_NANOS);
    }
  }

  private void addHistory(List<Event> history) {
    Map<Long, Long> offsets = offsets(history);
    Map<Long, Long> times = new HashMap<>();
    long latest = Long.MIN_VALUE;
    for (Event event : history) {
      long node = event.session() >>> Integer.SIZE;
      long offset = offsets.getOrDefault(node, 0L);
      long time = times.getOrDefault(event.session(), Long.MIN_VALUE);
      Event next = event;
      if (event instanceof Event.ValuesObserved e) {
        time = Math.max(time, e.returned() - offset);
        next = rebased(e, offset);
      } else if (event instanceof Event.EndTimed e) {
        time = Math.max(time, e.returned() - offset);
        next =
            new Event.EndTimed(
                e.session(), e.transaction(), e.sent() - offset, e.returned() - offset);
      } else if (event instanceof Event.TransactionBegan e) {
        time = Math.max(time, e.micros() * NANOS_PER_MICRO);
      } else if (event instanceof Event.Gap || event instanceof Event.RowsShed) {
        time = Math.max(time, latest); // what is missing may be another session's
      } else if (event instanceof Event.WritesStated && sessions.contains(event.session())) {
        next = null;
      }
      times.put(event.session(), time);
      latest = Math.max(latest, time);
      if (next != null) {
        timed.add(new Timed(time, next));
      }
    }
    List<Timed> ends =
        timed.stream().filter(each -> each.event() instanceof Event.EndTimed).toList();
    for (Timed end : ends) {
      Map.Entry<Long, Long> last = readThrough.floorEntry(end.nanos());
      if (last != null) {
        addRead(end.nanos(), last.getValue());
      }
    }
    readThrough.forEach(this::addRead);
  }

  /** How far the changes were read is stated as far as other events show the time. */
  private void addRead(long at, long through) {
    timed.add(new Timed(at, new Event.ChangesRead(READER, Math.min(at, through))));
  }

  /** With another key no row is the same one, and no anomaly is found. */
  private void requireSameKey() {
    if (compared > 0 && found == 0) {
      throw new IllegalArgumentException(
          "no row of the history is among the changes; txwatch.value-key must be the key with which"
              + " the history was recorded");
    }
  }

  private void compare(RowValues rows) {
    for (int row = 0; row < rows.size(); row++) {
      if (rows.keys()[row] != 0) {
        compared++;
        found += named.contains(rows.table() + "#" + rows.keys()[row]) ? 1 : 0;
      }
    }
  }

  private Event.@Nullable ValuesObserved rebased(Event.ValuesObserved e, long offset) {
    if (!sessions.contains(e.session())) {
      return e;
    }
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

  /** By process: its clock minus the wall clock, at most by what a statement's text takes. */
  private static Map<Long, Long> offsets(List<Event> history) {
    Map<Long, Long> began = new HashMap<>();
    Map<Long, List<Long>> measured = new HashMap<>();
    for (Event event : history) {
      if (event instanceof Event.TransactionBegan e) {
        began.putIfAbsent(e.transaction(), e.micros());
      } else if (event instanceof Event.ValuesObserved e) {
        Long micros = began.remove(e.transaction());
        if (micros != null) {
          measured
              .computeIfAbsent(e.session() >>> Integer.SIZE, any -> new ArrayList<>())
              .add(e.sent() - micros * NANOS_PER_MICRO);
        }
      }
    }
    Map<Long, Long> offsets = new HashMap<>();
    measured.forEach((node, all) -> offsets.put(node, offset(all)));
    return offsets;
  }

  /** A pause of the process makes one greater, and a clock that was set all of them. */
  private static long offset(List<Long> measured) {
    int half = (measured.size() + 1) / 2;
    long first = Collections.min(measured.subList(0, half));
    long second = Collections.min(measured.subList(measured.size() - half, measured.size()));
    if (Math.abs(first - second) > SKEW_NANOS / 2) {
      throw new IllegalArgumentException("the clock of a process was set while it recorded");
    }
    return Math.min(first, second);
  }
}
