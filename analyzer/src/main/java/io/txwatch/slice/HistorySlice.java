package io.txwatch.slice;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.history.Access;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.Cluster;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryBytes;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowShare;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The transactions of one anomaly as a history: their statements in an order that the dependencies
 * allow, with the reads and writes that the dependencies consist of, and nothing else. Anyone who
 * checks it finds the anomaly again, with the same transactions, rows and lines of code.
 *
 * <p>Row versions get the writers that the dependencies imply; what came before is unknown. A
 * transaction ends after its last statement, or at the end of the history if its writes are read
 * and then undone.
 */
public final class HistorySlice {

  /** The header of a topic's record that contains the slice of the anomaly in its value. */
  public static final String HEADER = "txwatch-slice";

  private final Anomaly anomaly;
  private final Accesses accesses;
  private final List<Event> events = new ArrayList<>();
  private final Map<String, Long> sessions = new LinkedHashMap<>();
  private final Set<Long> begun = new HashSet<>();

  private HistorySlice(Anomaly anomaly) {
    this.anomaly = anomaly;
    this.accesses = Accesses.withContext(anomaly);
  }

  /** The events. */
  public static List<Event> events(Anomaly anomaly) {
    HistorySlice slice = new HistorySlice(anomaly);
    slice.addSteps();
    return slice.events;
  }

  /** The content of a history file. */
  public static byte[] bytes(Anomaly anomaly) {
    return HistoryBytes.of("one anomaly", events(anomaly));
  }

  private void addSteps() {
    if (anomaly.phenomenon() == Phenomenon.STALE_READ && !anomaly.transactions().isEmpty()) {
      // The standby is known from the beginning.
      session(anomaly.transactions().get(0));
      session(anomaly.transactions().get(anomaly.transactions().size() - 1));
    }
    List<Accesses.Step> steps = accesses.steps();
    for (int i = 0; i < steps.size(); i++) {
      Accesses.Step step = steps.get(i);
      ObservedTransaction transaction = anomaly.transactions().get(step.column());
      begin(transaction);
      events.add(statement(transaction, step));
      undo(transaction, step.statement());
      boolean last =
          steps.subList(i + 1, steps.size()).stream().noneMatch(s -> s.column() == step.column());
      if (last && endsAtOnce(transaction)) {
        end(transaction, transaction.outcome().orElse(Outcome.COMMITTED));
      }
    }
    if (anomaly.phenomenon() == Phenomenon.DEADLOCK && !anomaly.transactions().isEmpty()) {
      events.add(deadlocked());
    }
    for (ObservedTransaction transaction : anomaly.transactions()) {
      if (begun.contains(transaction.id()) && !endsAtOnce(transaction)) {
        transaction.outcome().ifPresent(outcome -> end(transaction, outcome));
      }
    }
  }

  private Event deadlocked() {
    ObservedTransaction failed = anomaly.transactions().get(0);
    List<Event.Deadlocked.Waiter> others = new ArrayList<>();
    for (int i = 1; i < anomaly.transactions().size(); i++) {
      ObservedTransaction other = anomaly.transactions().get(i);
      if (begun.contains(other.id())) {
        others.add(
            new Event.Deadlocked.Waiter(
                session(other), other.id(), anomaly.cycle().get(i).fromStatement()));
      } else {
        others.add(Event.Deadlocked.Waiter.NOT_WATCHED);
      }
    }
    return new Event.Deadlocked(
        session(failed),
        failed.id(),
        anomaly.cycle().get(0).fromStatement(),
        !anomaly.possible(),
        others);
  }

  private boolean endsAtOnce(ObservedTransaction transaction) {
    if (anomaly.phenomenon() == Phenomenon.DEADLOCK) {
      return false;
    }
    if (anomaly.phenomenon() == Phenomenon.STALE_WRITE
        || anomaly.phenomenon() == Phenomenon.STALE_READ) { // its transactions have all ended
      return true;
    }
    return anomaly.phenomenon() != Phenomenon.ABORTED_READ
        && transaction.outcome().filter(Outcome.COMMITTED::equals).isPresent();
  }

  private long session(ObservedTransaction transaction) {
    return sessions.computeIfAbsent(
        transaction.session() + (isOnStandby(transaction) ? " on a standby" : ""),
        key -> {
          events.add(
              new Event.SessionOpened(
                  transaction.id(), transaction.session(), database(transaction)));
          if (sessions.isEmpty()) {
            addKeys(transaction.id());
          }
          return transaction.id();
        });
  }

  private boolean isOnStandby(ObservedTransaction transaction) {
    return anomaly.phenomenon() == Phenomenon.STALE_READ
        && transaction.equals(anomaly.transactions().get(anomaly.transactions().size() - 1));
  }

  /** The database of a stale read is the standby; its other transactions ran on the primary. */
  private Database database(ObservedTransaction transaction) {
    Database database = anomaly.database();
    return anomaly.phenomenon() == Phenomenon.STALE_READ && !isOnStandby(transaction)
        ? database.in("primary").of(new Cluster(database.cluster().id(), false))
        : database;
  }

  /** The primary keys of its rows, as far as they are known. */
  private void addKeys(long session) {
    anomaly.cycle().stream()
        .filter(edge -> !edge.key().isEmpty())
        .map(edge -> new Event.RowNamed(session, edge.table(), edge.row(), edge.key()))
        .distinct()
        .forEach(events::add);
  }

  private void begin(ObservedTransaction transaction) {
    long session = session(transaction);
    if (begun.add(transaction.id())) {
      events.add(
          new Event.TransactionBegan(
              session,
              transaction.id(),
              transaction.level(),
              transaction.endedMicros(),
              transaction.name(),
              transaction.traceId(),
              RowShare.ALL));
    }
  }

  private void end(ObservedTransaction transaction, Outcome outcome) {
    events.add(
        new Event.TransactionEnded(
            session(transaction), transaction.id(), outcome, transaction.endedMicros()));
  }

  private Event statement(ObservedTransaction transaction, Accesses.Step step) {
    ObservedStatement statement = step.statement();
    List<RowAccess> rows = new ArrayList<>();
    List<VersionSet> sets = new ArrayList<>();
    Place place = new Place(transaction.id(), statement.number());
    step.reads()
        .forEach(
            (row, version) -> {
              if (byPredicate(place, row) || isProvenByPredicate(row)) {
                sets.add(versionSet(row, version));
              }
              if (isReturned(place, row)) {
                rows.add(read(place, row, version));
              }
            });
    for (RowId row : step.writes()) {
      rows.add(write(place, row, statement.kind()));
    }
    return new Event.StatementExecuted(
        session(transaction),
        transaction.id(),
        statement.number(),
        statement.kind(),
        statement.sql(),
        statement.callSite(),
        rows,
        true,
        null,
        sets,
        columnsFor(place));
  }

  private String columnsFor(Place place) {
    return switch (anomaly.phenomenon()) {
      case STALE_WRITE -> columns(place);
      case STALE_READ -> columnsOfStaleRead(place);
      case DEADLOCK -> tables(place);
      default -> "";
    };
  }

  /** The tables of a statement of a deadlock, by which locks are found. */
  private String tables(Place place) {
    return new AccessedColumns(
            anomaly.cycle().stream()
                .filter(edge -> Place.from(edge).equals(place) || Place.to(edge).equals(place))
                .map(Dependency::table)
                .filter(table -> !table.isEmpty())
                .distinct()
                .map(
                    table ->
                        new AccessedColumns.OfTable(
                            table,
                            AccessedColumns.Columns.NONE,
                            AccessedColumns.Columns.NONE,
                            AccessedColumns.Columns.ALL))
                .toList())
        .text();
  }

  /** The columns of a statement of a stale write, which none is without known columns. */
  private String columns(Place place) {
    Dependency edge = anomaly.cycle().get(0);
    AccessedColumns.Columns used =
        edge.columns().isEmpty()
            ? AccessedColumns.Columns.ALL
            : AccessedColumns.Columns.of(edge.columns());
    boolean isRead = Place.from(edge).equals(place);
    return new AccessedColumns(
            List.of(
                new AccessedColumns.OfTable(
                    edge.table(),
                    isRead ? used : AccessedColumns.Columns.NONE,
                    AccessedColumns.Columns.NONE,
                    isRead ? AccessedColumns.Columns.NONE : used)))
        .text();
  }

  /** All statements use the columns in which the versions differ. */
  private String columnsOfStaleRead(Place place) {
    Dependency edge = anomaly.cycle().get(0);
    AccessedColumns.Columns used =
        edge.columns().isEmpty()
            ? AccessedColumns.Columns.ALL
            : AccessedColumns.Columns.of(edge.columns());
    boolean isWrite =
        anomaly.cycle().stream()
            .anyMatch(one -> one.kind() == DependencyKind.RW && Place.to(one).equals(place));
    return new AccessedColumns(
            List.of(
                new AccessedColumns.OfTable(
                    edge.table(),
                    isWrite ? AccessedColumns.Columns.NONE : used,
                    AccessedColumns.Columns.NONE,
                    isWrite ? used : AccessedColumns.Columns.NONE)))
        .text();
  }

  private RowAccess read(Place reader, RowId row, Optional<Place> version) {
    boolean certain =
        anomaly.cycle().stream()
            .filter(edge -> RowId.of(edge).equals(row))
            .filter(edge -> readsAt(edge, reader))
            .noneMatch(edge -> edge.evidence().possible() && !edge.evidence().byPredicate());
    return new RowAccess(Access.READ, row.table(), row.row(), list(row, version), certain);
  }

  private static boolean readsAt(Dependency edge, Place reader) {
    return switch (edge.kind()) {
      case RW -> Place.from(edge).equals(reader);
      case WR -> Place.to(edge).equals(reader);
      case WW, SO, RT, WAITS -> false;
    };
  }

  private boolean byPredicate(Place reader, RowId row) {
    return anomaly.cycle().stream()
        .anyMatch(
            edge ->
                RowId.of(edge).equals(row)
                    && readsAt(edge, reader)
                    && edge.evidence().byPredicate());
  }

  /** True if two statements with one predicate prove that its matches changed. */
  private boolean isProvenByPredicate(RowId row) {
    return anomaly.cycle().stream()
        .filter(edge -> RowId.of(edge).equals(row))
        .anyMatch(edge -> edge.evidence() == EdgeEvidence.PREDICATE);
  }

  /** False for a row that a predicate did not select. */
  private boolean isReturned(Place reader, RowId row) {
    List<Dependency> edges =
        anomaly.cycle().stream()
            .filter(edge -> RowId.of(edge).equals(row) && readsAt(edge, reader))
            .toList();
    return edges.isEmpty() // a read for context
        || edges.stream()
            .anyMatch(edge -> !edge.evidence().byPredicate() || edge.kind() == DependencyKind.WR);
  }

  /** The set has the row in the version that the predicate saw, and no other row. */
  private VersionSet versionSet(RowId row, Optional<Place> version) {
    long predicate = isProvenByPredicate(row) ? 1 : 0;
    boolean exists = version.isPresent() || !isInserted(row);
    return new VersionSet(
        row.table(),
        predicate,
        exists ? new long[] {row.row()} : new long[0],
        exists
            ? version
                .map(writer -> WriterToken.of(writer.transaction(), writer.statement()))
                .orElse(WriterToken.of(0, 0))
            : "",
        true);
  }

  private boolean isInserted(RowId row) {
    return accesses.versions(row).stream()
        .findFirst()
        .filter(place -> kind(place) == StatementKind.INSERT)
        .isPresent();
  }

  private StatementKind kind(Place place) {
    return anomaly.transactions().stream()
        .filter(transaction -> transaction.id() == place.transaction())
        .flatMap(transaction -> transaction.statements().stream())
        .filter(statement -> statement.number() == place.statement())
        .map(ObservedStatement::kind)
        .findFirst()
        .orElse(StatementKind.UPDATE);
  }

  private RowAccess write(Place writer, RowId row, StatementKind kind) {
    List<Place> versions = accesses.versions(row);
    int at = versions.indexOf(writer);
    if (kind == StatementKind.DELETE) {
      Optional<Place> deleted = at == 0 ? Optional.empty() : Optional.of(versions.get(at - 1));
      return new RowAccess(Access.DELETE, row.table(), row.row(), list(row, deleted));
    }
    Access access = at == 0 && kind == StatementKind.INSERT ? Access.INSERT : Access.UPDATE;
    return new RowAccess(access, row.table(), row.row(), list(row, Optional.of(writer)));
  }

  /** The writers of a version. */
  private WriterList list(RowId row, Optional<Place> version) {
    StringBuilder tokens = new StringBuilder();
    if (version.isPresent()) {
      List<Place> all = accesses.versions(row);
      for (Place place : all.subList(0, all.indexOf(version.get()) + 1)) {
        tokens.append(WriterToken.of(place.transaction(), place.statement()));
      }
    }
    int cut = Math.max(0, tokens.length() - WriterList.WINDOW_LENGTH);
    return WriterList.ofColumn(tokens.substring(cut));
  }

  /** What a transaction that committed wrote and undid is read before it is undone. */
  private void undo(ObservedTransaction reader, ObservedStatement statement) {
    if (anomaly.phenomenon() != Phenomenon.ABORTED_READ) {
      return;
    }
    for (Dependency edge : anomaly.cycle()) {
      if (Place.to(edge).equals(new Place(reader.id(), statement.number()))) {
        anomaly.transactions().stream()
            .filter(writer -> writer.id() == edge.from())
            .filter(writer -> writer.outcome().filter(Outcome.COMMITTED::equals).isPresent())
            .forEach(
                writer ->
                    events.add(
                        new Event.StatementsUndone(
                            session(writer),
                            writer.id(),
                            edge.fromStatement(),
                            edge.fromStatement())));
      }
    }
  }
}
