package io.txwatch.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.arbitraries.StringArbitrary;

/** Any events, without any sense between them: the codec must not care. */
final class Events {

  private static final Arbitrary<Long> ID = Arbitraries.longs();

  private Events() {}

  static Arbitrary<List<Event>> any() {
    return Arbitraries.oneOf(
            List.of(
                opened(),
                closed(),
                began(),
                executed(),
                executed(),
                undone(),
                named(),
                ended(),
                gap(),
                shed(),
                observed(),
                recorded(),
                changed(),
                timed()))
        .list()
        .ofMaxSize(12);
  }

  /** Few, so that they recur, or many; of any characters that have a meaning. */
  static Arbitrary<String> text() {
    StringArbitrary free =
        Arbitraries.strings().withCharRange('\0', '\ud7ff').withCharRange('\ue000', '\uffff');
    return Arbitraries.oneOf(
        Arbitraries.of(
            "",
            "\0",
            "\ud83d\ude00",
            "account",
            "SELECT balance FROM account WHERE id = ?",
            "Bank.java:41"),
        free.ofMaxLength(200));
  }

  static Arbitrary<WriterList> writers() {
    return Combinators.combine(ID, Arbitraries.integers().between(0, WriterToken.MAX_STATEMENT))
        .as(WriterToken::of)
        .list()
        .ofMaxSize(WriterList.WINDOW)
        .flatMap(
            tokens ->
                Arbitraries.of(true, false)
                    .map(complete -> new WriterList(String.join("", tokens), complete)));
  }

  private static Arbitrary<Cluster> cluster() {
    return Combinators.combine(text(), Arbitraries.of(true, false))
        .as((id, isStandby) -> id.isEmpty() ? Cluster.UNKNOWN : new Cluster(id, isStandby));
  }

  private static Arbitrary<Event> opened() {
    Arbitrary<Map<String, String>> settings = Arbitraries.maps(text(), text()).ofMaxSize(3);
    Arbitrary<Database> database =
        Combinators.combine(
                Combinators.combine(text(), text()).as(Product::new),
                settings,
                text(),
                text(),
                cluster())
            .as(Database::new);
    return Combinators.combine(ID, text(), database).as(Event.SessionOpened::new);
  }

  private static Arbitrary<Event> closed() {
    return ID.map(Event.SessionClosed::new);
  }

  private static Arbitrary<Event> began() {
    return Combinators.combine(
            ID, ID, Arbitraries.of(IsolationLevel.class), ID, text(), traceId(), share())
        .as(Event.TransactionBegan::new);
  }

  /** As tracers print it, or any text. */
  private static Arbitrary<String> traceId() {
    return Arbitraries.oneOf(Arbitraries.just("4bf92f3577b34da6a3ce929d0e0e4736"), text());
  }

  private static Arbitrary<Event> executed() {
    Arbitrary<RowAccess> row =
        Combinators.combine(
                Arbitraries.of(Access.class), text(), ID, writers(), Arbitraries.of(true, false))
            .as(RowAccess::new);
    return Combinators.combine(
            ID,
            Arbitraries.integers().greaterOrEqual(0),
            Arbitraries.of(StatementKind.class),
            text(),
            text(),
            row.list().ofMaxSize(5),
            Arbitraries.of(true, false),
            text().injectNull(0.5))
        .as(
            (id, number, kind, sql, site, rows, seen, state) ->
                new Event.StatementExecuted(
                    id,
                    ~id,
                    number,
                    kind,
                    sql,
                    site,
                    rows,
                    seen,
                    state,
                    versionSets(rows),
                    seen ? "" : site,
                    keyValues(rows)));
  }

  private static List<KeyValues> keyValues(List<RowAccess> rows) {
    List<KeyValues> values = new ArrayList<>();
    for (RowAccess row : rows) {
      values.add(new KeyValues(row.table(), "id", List.of(row.row(), ~row.row())));
    }
    return values;
  }

  /** Sets of the versions that the rows have, so that every table and writer occurs. */
  private static List<VersionSet> versionSets(List<RowAccess> rows) {
    List<VersionSet> sets = new ArrayList<>();
    for (RowAccess row : rows) {
      String writer = WriterToken.of(row.row(), row.table().length());
      sets.add(
          new VersionSet(
              row.table(),
              ~row.row(),
              new long[] {row.row(), ~row.row()},
              writer + writer,
              row.certain(),
              row.row() % 2 == 0));
    }
    return sets;
  }

  private static Arbitrary<Event> undone() {
    Arbitrary<Integer> number = Arbitraries.integers().greaterOrEqual(0);
    return Combinators.combine(ID, ID, number, number).as(Event.StatementsUndone::new);
  }

  private static Arbitrary<Event> named() {
    return Combinators.combine(ID, text(), ID, text()).as(Event.RowNamed::new);
  }

  private static Arbitrary<Event> ended() {
    return Combinators.combine(
            ID, ID, Arbitraries.of(Outcome.class), ID, Arbitraries.integers().greaterOrEqual(0))
        .as(Event.TransactionEnded::new);
  }

  private static Arbitrary<RowShare> share() {
    return Arbitraries.integers().between(0, RowShare.MAX_STEPS).map(RowShare::new);
  }

  private static Arbitrary<Event> shed() {
    return Combinators.combine(ID, share(), ID, ID).as(Event.RowsShed::new);
  }

  private static Arbitrary<RowValues> rowValues() {
    return Combinators.combine(
            text(), text().list().ofMaxSize(3), ID.list().ofMaxSize(3), Arbitraries.integers())
        .as(
            (table, columns, keys, seed) ->
                new RowValues(
                    table,
                    columns,
                    keys.stream().mapToLong(Long::longValue).toArray(),
                    new Random(seed).ints((long) keys.size() * columns.size()).toArray()));
  }

  private static Arbitrary<Access> write() {
    return Arbitraries.of(Access.INSERT, Access.UPDATE, Access.DELETE);
  }

  private static Arbitrary<Event> observed() {
    Arbitrary<StatedWrite> stated =
        Combinators.combine(write(), rowValues(), Arbitraries.of(true, false)).as(StatedWrite::new);
    return Combinators.combine(
            ID,
            ID,
            Arbitraries.integers().greaterOrEqual(0),
            ID,
            rowValues().list().ofMaxSize(2),
            stated.list().ofMaxSize(2),
            text())
        .as(
            (session, transaction, number, time, reads, writes, unread) ->
                new Event.ValuesObserved(
                    session, transaction, number, time, ~time, reads, writes, unread));
  }

  private static Arbitrary<Event> recorded() {
    Arbitrary<RecordedValue> value =
        Combinators.combine(Arbitraries.of(RecordedValue.Type.class), text())
            .as(RecordedValue::new);
    return Combinators.combine(
            ID,
            Arbitraries.integers().greaterOrEqual(0),
            text(),
            value.list().ofMaxSize(3),
            ID,
            text().list().ofMaxSize(3),
            value.list().ofMaxSize(3).list().ofMaxSize(3),
            Arbitraries.of(true, false))
        .as(
            (id, number, sql, parameters, count, columns, rows, complete) ->
                new Event.ValuesRecorded(
                    id, ~id, number, sql, parameters, count, columns, rows, complete));
  }

  private static Arbitrary<Event> changed() {
    Arbitrary<int[]> values = Arbitraries.integers().array(int[].class).ofMaxSize(3);
    Arbitrary<RowChange> change =
        Combinators.combine(
                write(),
                text(),
                text().list().ofMaxSize(3),
                ID,
                ID,
                values,
                values,
                Arbitraries.integers().greaterOrEqual(0))
            .as(RowChange::new);
    return Combinators.combine(ID, ID, text(), ID, ID, change.list().ofMaxSize(3))
        .as(Event.Changed::new);
  }

  private static Arbitrary<Event> timed() {
    return Arbitraries.oneOf(
        Combinators.combine(ID, ID, ID, ID).as(Event.EndTimed::new),
        Combinators.combine(ID, ID).as(Event.SessionIdentified::new),
        Combinators.combine(
                ID,
                ID,
                Arbitraries.integers().greaterOrEqual(0),
                Arbitraries.of(true, false),
                waiters())
            .as(Event.Deadlocked::new),
        Combinators.combine(
                ID,
                ID,
                Arbitraries.integers().greaterOrEqual(0),
                Combinators.combine(ID, ID).as(Event.Waited.Holder::new).list().ofMaxSize(3),
                ID,
                ID)
            .as(Event.Waited::new),
        Combinators.combine(ID, ID, text()).as(Event.CommitFailed::new),
        ID.map(Event.WritesStated::new),
        Combinators.combine(ID, ID).as(Event.ChangesRead::new));
  }

  private static Arbitrary<List<Event.Deadlocked.Waiter>> waiters() {
    return Combinators.combine(ID, ID, Arbitraries.integers().greaterOrEqual(0))
        .as(Event.Deadlocked.Waiter::new)
        .list()
        .ofMaxSize(3);
  }

  private static Arbitrary<Event> gap() {
    return Combinators.combine(ID, ID, Arbitraries.of(GapReason.class), text(), ID)
        .as(Event.Gap::new);
  }
}
