package io.txwatch.version;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowChange;
import io.txwatch.history.RowChoice;
import io.txwatch.history.RowCondition;
import io.txwatch.history.RowCondition.Comparison;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.StatementKind;
import io.txwatch.history.ValueHash;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A history by value, written step by step: each call happens 10 ns after the one before. Sessions
 * are numbered from 1, a session's connection is 100 more; rows of table "t" have a key "id" and a
 * value "v".
 */
public final class ValueHistory {

  static final ValueHash HASH = new ValueHash(7);
  static final List<String> COLUMNS = List.of("id", "v");
  static final long READER = 99;

  private final List<Event> events = new ArrayList<>();
  private final Map<Integer, Long> active = new HashMap<>();
  private final Map<Integer, Integer> statements = new HashMap<>();
  private final IsolationLevel level;
  private final boolean numbered;
  private final Database database;
  private long transactions;
  private long time = 1000;

  ValueHistory(String product, IsolationLevel level, boolean numbered, int sessions) {
    this.level = level;
    this.numbered = numbered;
    this.database = new Database(new Product(product, ""), Map.of());
    events.add(new Event.SessionOpened(READER, "record", database));
    events.add(new Event.ChangesRead(READER, time));
    for (int i = 1; i <= sessions; i++) {
      events.add(new Event.SessionOpened(i, "s" + i, database));
      if (numbered) {
        events.add(new Event.SessionIdentified(i, 100 + i));
      }
    }
  }

  private ValueHistory(Database database, IsolationLevel level, int sessions) {
    this.level = level;
    this.numbered = false;
    this.database = database;
    for (int i = 1; i <= sessions; i++) {
      events.add(new Event.SessionOpened(i, "s" + i, database));
      events.add(new Event.WritesStated(i));
    }
  }

  /** Without a record of changes. */
  static ValueHistory stated(String product, IsolationLevel level, int sessions) {
    return new ValueHistory(new Database(new Product(product, ""), Map.of()), level, sessions);
  }

  /** INSERT INTO t (id) VALUES (?), a batch that is executed with these keys. */
  ValueHistory insertBatch(int session, long... keys) {
    for (long key : keys) {
      time -= key == keys[0] ? 0 : 9; // sent before the one before it returned
      insert(session, key);
    }
    return this;
  }

  /** Without a record of changes, at READ COMMITTED. */
  static ValueHistory stated(int sessions) {
    return stated("PostgreSQL", IsolationLevel.READ_COMMITTED, sessions);
  }

  /** Its sessions are opened once more, after {@link #closed}. */
  ValueHistory reopened(int sessions) {
    boolean stated = events.stream().anyMatch(Event.WritesStated.class::isInstance);
    ValueHistory again =
        stated
            ? new ValueHistory(database, level, sessions)
            : new ValueHistory(database.product().name(), level, numbered, sessions);
    events.addAll(again.events);
    return this;
  }

  /** All sessions are closed. */
  ValueHistory closed() {
    List<Long> opened =
        events.stream()
            .filter(Event.SessionOpened.class::isInstance)
            .map(event -> ((Event.SessionOpened) event).session())
            .distinct()
            .toList();
    opened.forEach(session -> add(new Event.SessionClosed(session)));
    return this;
  }

  /** Without a record of changes, at READ COMMITTED. */
  static ValueHistory stated(Database database, int sessions) {
    return new ValueHistory(database, IsolationLevel.READ_COMMITTED, sessions);
  }

  public ValueHistory(int sessions) {
    this("MySQL", IsolationLevel.READ_COMMITTED, true, sessions);
  }

  ValueHistory add(Event event) {
    events.add(event);
    return this;
  }

  ValueHistory begin(int session) {
    active.put(session, ++transactions);
    statements.put(session, 0);
    return add(new Event.TransactionBegan(session, transactions, level, 0));
  }

  ValueHistory read(int session, long key, long value) {
    return read(session, StatementKind.SELECT, key, value);
  }

  ValueHistory read(int session, StatementKind kind, long key, long value) {
    return statement(session, kind, List.of(row(key, value)), List.of());
  }

  /** SELECT id FROM t WHERE v > least: rows with these keys. */
  ValueHistory choose(int session, long least, long... keys) {
    long[] hashes = Arrays.stream(keys).map(HASH::ofKey).toArray();
    RowValues rows = new RowValues("t", List.of(), hashes, new int[0]);
    RowCondition condition =
        new RowCondition.Compare(
            new RowCondition.Column("v"), Comparison.GREATER, new RowCondition.Constant(0));
    RowChoice choice = new RowChoice("t", condition, List.of(least), Set.of("id"), true);
    statement(session, StatementKind.SELECT, List.of(), List.of());
    Event.ValuesObserved none = (Event.ValuesObserved) events.remove(events.size() - 1);
    return add(
        new Event.ValuesObserved(
            session,
            none.transaction(),
            none.statement(),
            none.sent(),
            none.returned(),
            List.of(rows),
            List.of(),
            "",
            List.of(choice)));
  }

  /** UPDATE t SET v = value WHERE id = key. */
  ValueHistory write(int session, long key, long value) {
    RowValues assigned =
        new RowValues("t", List.of("v"), new long[] {HASH.ofKey(key)}, new int[] {HASH.of(value)});
    return statement(
        session,
        StatementKind.UPDATE,
        List.of(),
        List.of(new StatedWrite(Access.UPDATE, assigned, true)));
  }

  /** UPDATE t SET v = v + 1 WHERE id = key. */
  ValueHistory increment(int session, long key) {
    RowValues assigned =
        new RowValues(
            "t", List.of("v"), new long[] {HASH.ofKey(key)}, new int[] {ValueHash.UNKNOWN});
    return statement(
        session,
        StatementKind.UPDATE,
        List.of(),
        List.of(new StatedWrite(Access.UPDATE, assigned, true)));
  }

  /** INSERT INTO t (id) VALUES (key). */
  ValueHistory insert(int session, long key) {
    RowValues inserted = new RowValues("t", List.of(), new long[] {HASH.ofKey(key)}, new int[0]);
    return statement(
        session,
        StatementKind.INSERT,
        List.of(),
        List.of(new StatedWrite(Access.INSERT, inserted, true)));
  }

  /** DELETE FROM t WHERE id = key. */
  ValueHistory delete(int session, long key) {
    RowValues deleted = new RowValues("t", List.of(), new long[] {HASH.ofKey(key)}, new int[0]);
    return statement(
        session,
        StatementKind.DELETE,
        List.of(),
        List.of(new StatedWrite(Access.DELETE, deleted, true)));
  }

  /** UPDATE t SET v = 1 WHERE grp = 2. */
  ValueHistory writeSome(int session) {
    RowValues none = new RowValues("t", List.of("v"), new long[0], new int[0]);
    return statement(
        session,
        StatementKind.UPDATE,
        List.of(),
        List.of(new StatedWrite(Access.UPDATE, none, false)));
  }

  ValueHistory statement(
      int session, StatementKind kind, List<RowValues> reads, List<StatedWrite> writes) {
    long transaction = Objects.requireNonNull(active.get(session));
    int number = statements.merge(session, 1, Integer::sum);
    time += 10;
    add(
        new Event.StatementExecuted(
            session, transaction, number, kind, kind + " " + number, "", List.of(), true, null));
    return add(
        new Event.ValuesObserved(session, transaction, number, time, time + 5, reads, writes, ""));
  }

  ValueHistory commit(int session) {
    return end(session, Outcome.COMMITTED);
  }

  ValueHistory rollback(int session) {
    return end(session, Outcome.ABORTED);
  }

  /** The last statement was committed with its execution. */
  ValueHistory autocommitted(int session) {
    time -= 10;
    return end(session, Outcome.COMMITTED);
  }

  private ValueHistory end(int session, Outcome outcome) {
    time += 10;
    add(new Event.EndTimed(session, Objects.requireNonNull(active.get(session)), time, time + 5));
    return add(
        new Event.TransactionEnded(
            session,
            Objects.requireNonNull(active.get(session)),
            outcome,
            0,
            1 + Objects.requireNonNull(statements.get(session))));
  }

  /** The record shows a committed transaction. */
  ValueHistory changed(int session, RowChange... changes) {
    time += 10;
    return add(
        new Event.Changed(READER, numbered ? 100 + session : 0, "", time, 0, List.of(changes)));
  }

  /** The record was read up to now. */
  ValueHistory recorded() {
    time += 10;
    return add(new Event.ChangesRead(READER, time));
  }

  long time() {
    return time;
  }

  /** Time passes. */
  ValueHistory passes(long nanos) {
    time += nanos;
    return this;
  }

  static RowValues row(long key, long value) {
    return new RowValues(
        "t", COLUMNS, new long[] {HASH.ofKey(key)}, new int[] {HASH.of(key), HASH.of(value)});
  }

  static RowChange update(long key, long before, long after, int group) {
    return new RowChange(
        Access.UPDATE,
        "t",
        COLUMNS,
        HASH.ofKey(key),
        HASH.ofKey(key),
        image(key, before),
        image(key, after),
        group,
        new Object[] {key, before},
        new Object[] {key, after});
  }

  static RowChange insert(long key, long value, int group) {
    return new RowChange(
        Access.INSERT, "t", COLUMNS, 0, HASH.ofKey(key), new int[0], image(key, value), group);
  }

  static RowChange delete(long key, long value, int group) {
    return new RowChange(
        Access.DELETE, "t", COLUMNS, HASH.ofKey(key), 0, image(key, value), new int[0], group);
  }

  private static int[] image(long key, long value) {
    return new int[] {HASH.of(key), HASH.of(value)};
  }

  /** Session 1 changes a row that connection 155, which is not watched, changed since it read. */
  public ValueHistory lostToOther() {
    return begin(1)
        .read(1, 1, 10)
        .changed(55, update(1, 10, 11, 0))
        .recorded()
        .write(1, 1, 12)
        .commit(1)
        .changed(1, update(1, 11, 12, 0))
        .recorded();
  }

  public List<Event> events() {
    return events;
  }

  List<Anomaly> anomalies() {
    return anomalies(events);
  }

  public static List<Anomaly> anomalies(List<Event> events) {
    List<Anomaly> found = new ArrayList<>();
    Analyzer analyzer = new Analyzer(Judge.DBMS, found::add);
    events.forEach(analyzer::accept);
    analyzer.close();
    return found;
  }
}
