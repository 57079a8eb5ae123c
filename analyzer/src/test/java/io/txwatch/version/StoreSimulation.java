package io.txwatch.version;

import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowChange;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.StatementKind;
import io.txwatch.history.ValueHash;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A multi-version store with row locks, and random transactions on it. Each history is written
 * twice: exactly, with writers' lists, and by values with the store's record of changes.
 *
 * <p>Rows are those of table "t" by key, and of table "log", which a trigger on "t" writes. A
 * statement takes effect at a time between the one at which it was sent and the one at which it
 * returned; so does COMMIT. The record shows a transaction some time after its COMMIT, and has its
 * id as the time on the clock.
 */
final class StoreSimulation {

  /** What a history is like. */
  record Shape(
      IsolationLevel level,
      boolean numbered,
      int sessions,
      int rows,
      int values,
      int steps,
      boolean unwatched,
      boolean triggers,
      boolean restructures) {}

  private static final Database DATABASE = new Database(new Product("MySQL", "9.7"), Map.of());
  private static final ValueHash HASH = new ValueHash(3);
  private static final List<String> COLUMNS = List.of("id", "v");
  private static final long JITTER = 200;

  /** The ids of transactions that are not watched are above this. */
  static final long UNWATCHED = 1_000_000;

  /** A committed or uncommitted version. */
  private record Image(
      String table, long key, long row, long value, boolean deleted, Tx by, WriterList writers) {}

  private static final class Tx {
    final long id;
    final int session;
    final boolean watched;
    int left;
    int statement;
    int group;
    int events = 1;
    final Map<String, List<Image>> writes = new LinkedHashMap<>();
    final List<RowChange> changes = new ArrayList<>();
    @Nullable Map<String, Image> snapshot;
    int savepoint = -1;
    int savepointChanges;
    Map<String, List<Image>> savepointWrites = Map.of();

    Tx(long id, int session, boolean watched, int left) {
      this.id = id;
      this.session = session;
      this.watched = watched;
      this.left = left;
    }
  }

  /** What a read truly returned. */
  record Truth(long transaction, int statement, String place, long writer) {}

  /** The writers of each row's committed versions, in order; 0 for the first one. */
  Map<String, List<Long>> orders() {
    return orders;
  }

  private record Arrival(long at, long order, Event event) {}

  private final Map<String, List<Long>> orders = new HashMap<>();
  private final Random random;
  private final Shape shape;
  private final Map<String, Image> committed = new HashMap<>();
  private final Map<String, Tx> locks = new HashMap<>();
  private final Tx[] current;
  private final long[] free;
  private final List<Arrival> arrivals = new ArrayList<>();
  private final List<Event> exact = new ArrayList<>();
  private final List<Truth> truths = new ArrayList<>();
  private long clock = 1_000_000;
  private long order;
  private long ids;
  private long rowIds = 1000;
  private long recordAt;

  /** Whether an UPDATE that changes nothing makes a version: no record shows which is true. */
  private final boolean noOpsWrite;

  StoreSimulation(Shape shape, long seed) {
    this(shape, seed, false);
  }

  StoreSimulation(Shape shape, long seed, boolean noOpsWrite) {
    this.noOpsWrite = noOpsWrite;
    this.random = new Random(seed);
    this.shape = shape;
    this.current = new Tx[shape.sessions() + (shape.unwatched() ? 1 : 0)];
    this.free = new long[current.length];
  }

  List<Event> exact() {
    return exact;
  }

  List<Truth> truths() {
    return truths;
  }

  List<Event> byValue() {
    arrivals.sort(Comparator.comparingLong(Arrival::at).thenComparingLong(Arrival::order));
    return arrivals.stream().map(Arrival::event).toList();
  }

  StoreSimulation run() {
    Tx initial = new Tx(0, 0, true, 0);
    for (int key = 0; key < shape.rows(); key++) {
      put(new Image("t", key, HASH.ofKey(key), value(), false, initial, WriterList.INITIAL));
    }
    put(new Image("log", 0, HASH.ofKey(0), 0, false, initial, WriterList.INITIAL));
    arrive(0, new Event.SessionOpened(99, "record", DATABASE));
    arrive(0, new Event.ChangesRead(99, clock));
    for (int s = 0; s < current.length; s++) {
      Event opened = new Event.SessionOpened(s + 1, "s" + s, DATABASE);
      exact.add(opened);
      if (s >= shape.sessions()) {
        continue;
      }
      arrive(1, opened);
      if (shape.numbered()) {
        arrive(1, new Event.SessionIdentified(s + 1, 100 + s));
      }
    }
    for (int step = 0; step < shape.steps(); step++) {
      clock += 1 + random.nextInt((int) JITTER);
      step(random.nextInt(current.length));
    }
    for (int s = 0; s < current.length; s++) {
      if (current[s] != null) {
        clock += JITTER;
        end(current[s], false);
      }
    }
    arrive(clock + 100_000, new Event.ChangesRead(99, clock + 10_000));
    return this;
  }

  private long value() {
    return random.nextInt(shape.values());
  }

  private void put(Image image) {
    committed.put(place(image.table(), image.key()), image);
    orders
        .computeIfAbsent(place(image.table(), image.key()), p -> new ArrayList<>())
        .add(image.by().id);
  }

  private static String place(String table, long key) {
    return table + key;
  }

  private void arrive(long at, Event event) {
    arrivals.add(new Arrival(at, order++, event));
  }

  private void step(int session) {
    if (clock < free[session]) {
      return; // it still waits for an answer
    }
    boolean watched = session < shape.sessions();
    Tx tx = current[session];
    if (tx == null) {
      tx = new Tx(watched ? ++ids : UNWATCHED + ++ids, session, watched, 2 + random.nextInt(3));
      current[session] = tx;
      Event began = new Event.TransactionBegan(session + 1, tx.id, shape.level(), 0);
      exact.add(began);
      if (watched) {
        arrive(clock, began);
      }
      return;
    }
    if (tx.left == 0) {
      end(tx, random.nextInt(10) > 0);
      return;
    }
    if (tx.watched && tx.savepoint < 0 && random.nextInt(8) == 0) {
      tx.savepoint = tx.statement;
      tx.savepointChanges = tx.changes.size();
      tx.savepointWrites = copy(tx.writes);
    } else if (tx.savepoint >= 0 && tx.savepoint < tx.statement && random.nextInt(4) == 0) {
      Event undone = new Event.StatementsUndone(session + 1, tx.id, tx.savepoint + 1, tx.statement);
      exact.add(undone);
      arrive(clock, undone);
      tx.events++;
      tx.changes.subList(tx.savepointChanges, tx.changes.size()).clear();
      tx.writes.clear();
      tx.writes.putAll(copy(tx.savepointWrites));
      tx.savepoint = -1;
      return;
    }
    long key = random.nextInt(shape.rows());
    int action = random.nextInt(shape.restructures() ? 12 : 10);
    boolean done;
    if (action < 5) {
      done = read(tx, key, false);
    } else if (action == 5) {
      done = read(tx, key, true);
    } else if (action < 10) {
      done = write(tx, key, action == 9, -1);
    } else if (action == 10) {
      done = insertOrDelete(tx, key);
    } else {
      done = write(tx, key, false, random.nextInt(shape.rows()));
    }
    if (done) {
      tx.left--;
    } else if (random.nextInt(4) == 0) {
      end(tx, false); // a deadlock, perhaps
    }
  }

  private static Map<String, List<Image>> copy(Map<String, List<Image>> writes) {
    Map<String, List<Image>> copy = new LinkedHashMap<>();
    writes.forEach((place, images) -> copy.put(place, new ArrayList<>(images)));
    return copy;
  }

  private boolean lock(Tx tx, String place) {
    Tx holder = locks.putIfAbsent(place, tx);
    return holder == null || holder == tx;
  }

  private @Nullable Image own(Tx tx, String place) {
    List<Image> images = tx.writes.get(place);
    return images == null || images.isEmpty() ? null : images.get(images.size() - 1);
  }

  private @Nullable Image newest(Tx tx, String place) {
    Image own = own(tx, place);
    return own != null ? own : committed.get(place);
  }

  private boolean read(Tx tx, long key, boolean locking) {
    String place = place("t", key);
    boolean serializable = shape.level() == IsolationLevel.SERIALIZABLE;
    if ((locking || serializable) && !lock(tx, place)) {
      return false;
    }
    boolean snapshot = shape.level() == IsolationLevel.REPEATABLE_READ && !locking;
    if (snapshot && tx.snapshot == null) {
      tx.snapshot = new HashMap<>(committed);
    }
    Map<String, Image> seen = tx.snapshot;
    Image own = own(tx, place);
    Image image =
        own != null ? own : snapshot && seen != null ? seen.get(place) : committed.get(place);
    List<RowAccess> rows = new ArrayList<>();
    List<RowValues> values = new ArrayList<>();
    if (image != null && !image.deleted()) {
      rows.add(new RowAccess(Access.READ, "t", image.row(), image.writers()));
      values.add(row("t", key, image.value()));
      if (tx.watched) {
        truths.add(new Truth(tx.id, tx.statement + 1, place, image.by().id));
      }
    }
    executed(
        tx, locking ? StatementKind.LOCKING_SELECT : StatementKind.SELECT, rows, values, List.of());
    return true;
  }

  private static RowValues row(String table, long key, long value) {
    return new RowValues(
        table, COLUMNS, new long[] {HASH.ofKey(key)}, new int[] {HASH.of(key), HASH.of(value)});
  }

  private boolean write(Tx tx, long key, boolean stated, long newKey) {
    String place = place("t", key);
    boolean moves = newKey >= 0 && newKey != key;
    boolean triggers = shape.triggers() && key % 2 == 0;
    if (!lock(tx, place)
        || moves && !lock(tx, place("t", newKey))
        || triggers && !lock(tx, place("log", 0))) {
      return false;
    }
    Image before = newest(tx, place);
    Image there = moves ? newest(tx, place("t", newKey)) : null;
    if (before == null || before.deleted() || there != null && !there.deleted()) {
      return true;
    }
    long value = stated ? (before.value() + 1) % Math.max(2, shape.values()) : value();
    List<RowAccess> rows = new ArrayList<>();
    int number = tx.statement + 1;
    tx.group++;
    if (moves) {
      change(tx, before, null, rows);
      change(tx, null, image("t", newKey, value, tx, number, null), rows);
      RowChange deleted = tx.changes.remove(tx.changes.size() - 2);
      RowChange inserted = tx.changes.remove(tx.changes.size() - 1);
      tx.changes.add(
          new RowChange(
              Access.UPDATE,
              "t",
              COLUMNS,
              deleted.keyBefore(),
              inserted.keyAfter(),
              deleted.before(),
              inserted.after(),
              tx.group));
    } else if (value != before.value()) {
      change(tx, before, image("t", key, value, tx, number, before), rows);
      if (triggers) {
        Image log = Objects.requireNonNull(newest(tx, place("log", 0)));
        change(tx, log, image("log", 0, log.value() + 1, tx, number, log), rows);
      }
    } else if (noOpsWrite) {
      change(tx, before, image("t", key, value, tx, number, before), rows);
      tx.changes.remove(tx.changes.size() - 1);
    }
    RowValues assigned =
        new RowValues(
            "t",
            moves ? COLUMNS : List.of("v"),
            new long[] {HASH.ofKey(key)},
            moves
                ? new int[] {HASH.of(newKey), HASH.of(value)}
                : new int[] {stated ? ValueHash.UNKNOWN : HASH.of(value)});
    executed(
        tx,
        StatementKind.UPDATE,
        rows,
        List.of(),
        List.of(new StatedWrite(Access.UPDATE, assigned, !moves)));
    return true;
  }

  private boolean insertOrDelete(Tx tx, long key) {
    String place = place("t", key);
    if (!lock(tx, place)) {
      return false;
    }
    Image before = newest(tx, place);
    boolean insert = before == null || before.deleted();
    List<RowAccess> rows = new ArrayList<>();
    int number = tx.statement + 1;
    tx.group++;
    long value = value();
    change(
        tx, insert ? null : before, insert ? image("t", key, value, tx, number, null) : null, rows);
    executed(
        tx,
        insert ? StatementKind.INSERT : StatementKind.DELETE,
        rows,
        List.of(),
        List.of(
            new StatedWrite(
                insert ? Access.INSERT : Access.DELETE,
                insert
                    ? row("t", key, value)
                    : new RowValues("t", List.of(), new long[] {HASH.ofKey(key)}, new int[0]),
                true)));
    return true;
  }

  private Image image(
      String table, long key, long value, Tx tx, int statement, @Nullable Image before) {
    String token = WriterToken.of(tx.id, statement);
    WriterList writers =
        before == null || before.writers().tokens().isEmpty()
            ? new WriterList(token, true)
            : new WriterList(
                before
                        .writers()
                        .tokens()
                        .substring(before.writers().tokens().length() - WriterToken.LENGTH)
                    + token,
                false);
    long row = before == null ? ++rowIds : before.row();
    return new Image(table, key, row, value, false, tx, writers);
  }

  private void change(Tx tx, @Nullable Image before, @Nullable Image after, List<RowAccess> rows) {
    Image of = after == null ? before : after;
    if (of == null) {
      return;
    }
    Access access = before == null ? Access.INSERT : after == null ? Access.DELETE : Access.UPDATE;
    rows.add(new RowAccess(access, of.table(), of.row(), of.writers()));
    tx.changes.add(
        new RowChange(
            access,
            of.table(),
            COLUMNS,
            before == null ? 0 : HASH.ofKey(of.key()),
            after == null ? 0 : HASH.ofKey(of.key()),
            values(before),
            values(after),
            tx.group));
    tx.writes
        .computeIfAbsent(place(of.table(), of.key()), p -> new ArrayList<>())
        .add(
            after != null
                ? after
                : new Image(of.table(), of.key(), of.row(), 0, true, tx, of.writers()));
  }

  private static int[] values(@Nullable Image image) {
    return image == null ? new int[0] : new int[] {HASH.of(image.key()), HASH.of(image.value())};
  }

  /** A statement takes effect now; it was sent and returns at some time around. */
  private void executed(
      Tx tx,
      StatementKind kind,
      List<RowAccess> rows,
      List<RowValues> reads,
      List<StatedWrite> writes) {
    tx.statement++;
    tx.events++;
    exact.add(
        new Event.StatementExecuted(
            tx.session + 1, tx.id, tx.statement, kind, "", "", rows, true, null));
    if (!tx.watched) {
      return;
    }
    long sent = Math.max(free[tx.session], clock - random.nextInt((int) (3 * JITTER)));
    long returned = clock + random.nextInt((int) JITTER);
    free[tx.session] = returned;
    arrive(
        returned,
        new Event.StatementExecuted(
            tx.session + 1, tx.id, tx.statement, kind, "", "", List.of(), true, null));
    arrive(
        returned,
        new Event.ValuesObserved(
            tx.session + 1, tx.id, tx.statement, sent, returned, reads, writes, ""));
  }

  private void end(Tx tx, boolean commit) {
    current[tx.session] = null;
    long sent = Math.max(free[tx.session], clock - random.nextInt((int) JITTER));
    long returned = clock + random.nextInt((int) (5 * JITTER));
    free[tx.session] = returned;
    if (commit) {
      tx.writes
          .values()
          .forEach(
              images -> {
                if (!images.isEmpty()) {
                  put(images.get(images.size() - 1));
                }
              });
      if (!tx.changes.isEmpty()) {
        recordAt = Math.max(recordAt, clock) + 1 + random.nextInt((int) (10 * JITTER));
        long connection = !shape.numbered() ? 0 : 100 + tx.session;
        arrive(
            recordAt,
            new Event.Changed(99, connection, "", recordAt, tx.id, List.copyOf(tx.changes)));
        arrive(recordAt, new Event.ChangesRead(99, clock));
      }
    }
    locks.values().removeIf(holder -> holder == tx);
    Outcome outcome = commit ? Outcome.COMMITTED : Outcome.ABORTED;
    Event ended = new Event.TransactionEnded(tx.session + 1, tx.id, outcome, 0, tx.events);
    exact.add(ended);
    if (tx.watched) {
      arrive(returned, new Event.EndTimed(tx.session + 1, tx.id, sent, returned));
      arrive(returned, ended);
    }
  }
}
