package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.txcheck.StatementDependency.Kind;
import io.txwatch.oracle.txcheck.StatementTrace.Form;
import io.txwatch.oracle.txcheck.TracedVersion.Row;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Infers statement dependencies from version sets and writes (TxCheck, lemmas 1 to 7).
 *
 * <p>The lemmas compare the outputs of the inserted reads, which list the versions that exist. A
 * row that a statement could not use because it was not inserted yet, or because it was deleted
 * already, is in no output; but it is in the statement's version set as an unborn or dead version
 * (Adya, section 4.1). The same two dependencies follow from it: a query precedes the INSERT whose
 * row it does not find, and follows the DELETE.
 *
 * <p>InnoDB stores rows by their keys: a write of a transaction hides the row that had its key in
 * the transaction's snapshot, although another transaction has meanwhile given it another key. A
 * query that finds such a row neither before that change nor after it precedes and follows the
 * change: no order without transactions has its result.
 *
 * <p>A write that decides for each row separately whether to change it has the same result before
 * and after the DELETE of a row that it does not change: it does not precede this DELETE.
 *
 * <p>The result may contain dependencies that do not exist, never fewer than exist: it permits
 * fewer orders than are equivalent (section 3.3).
 */
final class StatementDependencyInference {

  private final List<StatementTrace> traces;
  private final boolean writesMayHideRows;
  private final TreeSet<StatementDependency> dependencies = new TreeSet<>();
  private final Map<Row, StatementTrace> births = new HashMap<>();
  private final Map<Row, StatementTrace> deaths = new HashMap<>();

  /** The rows that were inserted or deleted. */
  private final Set<Row> changedRows = new HashSet<>();

  private StatementDependencyInference(List<StatementTrace> traces, boolean writesMayHideRows) {
    this.traces = traces;
    this.writesMayHideRows = writesMayHideRows;
    for (StatementTrace trace : traces) {
      for (RowWrite write : trace.writes()) {
        if (write.isInsert()) {
          births.put(write.row(), trace);
        }
        if (write.isDelete()) {
          deaths.put(write.row(), trace);
        }
      }
    }
    changedRows.addAll(births.keySet());
    changedRows.addAll(deaths.keySet());
  }

  /**
   * The graph of the committed statements of an execution.
   *
   * @param traces in the order of execution
   * @param writesMayHideRows {@link ReadPolicy#writesMayHideRows}
   */
  static StatementGraph graph(List<StatementTrace> traces, boolean writesMayHideRows) {
    StatementDependencyInference inference =
        new StatementDependencyInference(traces, writesMayHideRows);
    for (StatementTrace writer : traces) {
      for (RowWrite write : writer.writes()) {
        inference.addWritten(writer, write);
        inference.addReplaced(writer, write);
      }
    }
    traces.forEach(inference::addAbsentRows);
    traces.stream().filter(inference::mayHideRows).forEach(inference::addHiddenRows);
    return new StatementGraph(
        traces.stream().map(StatementTrace::id).toList(), inference.dependencies);
  }

  /** Adds the statements that use a version after it was written. */
  private void addWritten(StatementTrace writer, RowWrite write) {
    Optional<TracedVersion> written = write.written();
    if (written.isEmpty()) {
      return;
    }
    for (StatementTrace user : traces) {
      if (user.read().contains(written.get())) {
        add(writer, user, Kind.ITEM_READ);
      }
      if (user.writes().stream().anyMatch(other -> other.replaced().equals(written))) {
        add(writer, user, Kind.ITEM_WRITE);
      }
      if (uses(user, written.get())) {
        addUse(writer, user, user.form(), Kind.PREDICATE_READ);
      }
    }
  }

  /** Adds the statements that used a version before it was replaced. */
  private void addReplaced(StatementTrace writer, RowWrite write) {
    Optional<TracedVersion> replaced = write.replaced();
    if (replaced.isEmpty()) {
      return;
    }
    for (StatementTrace user : traces) {
      if (user.read().contains(replaced.get())) {
        add(user, writer, Kind.ITEM_ANTI);
      }
      if (uses(user, replaced.get()) && !(write.isDelete() && user.isIndependentOf(write.row()))) {
        addUse(user, writer, user.form(), Kind.PREDICATE_ANTI);
      }
    }
  }

  private static boolean uses(StatementTrace user, TracedVersion version) {
    return user.versionSets().stream().anyMatch(set -> set.contains(version));
  }

  /** Adds the dependencies of a statement on rows that its version sets do not list. */
  private void addAbsentRows(StatementTrace user) {
    for (TracedVersionSet set : user.versionSets()) {
      changedRows.stream()
          .filter(row -> row.table().equals(set.table()) && !set.rows().containsKey(row))
          .forEach(row -> addAbsent(user, set, births.get(row), deaths.get(row)));
    }
  }

  private void addAbsent(
      StatementTrace user,
      TracedVersionSet set,
      @Nullable StatementTrace birth,
      @Nullable StatementTrace death) {
    if (isSame(user, birth) || isSame(user, death)) {
      return;
    }
    boolean unborn = birth != null;
    boolean dead = death != null;
    if (birth != null && death != null) {
      Optional<Boolean> known = isDeadTo(user, set.source(), birth, death);
      unborn = known.isEmpty() || !known.get();
      dead = known.isEmpty() || known.get();
    }
    if (birth != null && unborn) {
      addUse(user, birth, user.form(), Kind.PREDICATE_ANTI);
    }
    if (death != null && dead) {
      addUse(death, user, user.form(), Kind.PREDICATE_READ);
    }
  }

  /** Whether a statement is a query of a snapshot in a transaction that has written before. */
  private boolean mayHideRows(StatementTrace query) {
    return writesMayHideRows
        && query.form() == Form.QUERY
        && traces.stream()
            .anyMatch(
                other ->
                    other.transaction().equals(query.transaction())
                        && other.position() < query.position()
                        && !other.writes().isEmpty());
  }

  /** Adds the dependencies of a query on rows that exist and that it does not find. */
  private void addHiddenRows(StatementTrace query) {
    for (TracedVersionSet set : query.versionSets()) {
      for (StatementTrace writer : traces) {
        boolean changedHidden =
            writer.writes().stream()
                .map(RowWrite::row)
                .anyMatch(
                    row ->
                        row.table().equals(set.table())
                            && !set.rows().containsKey(row)
                            && !changedRows.contains(row));
        if (changedHidden) {
          add(query, writer, Kind.PREDICATE_ANTI);
          add(writer, query, Kind.PREDICATE_READ);
        }
      }
    }
  }

  /**
   * Whether a row that was inserted and deleted was absent because it was deleted; empty if it may
   * be either: a snapshot may be older than the INSERT.
   */
  private static Optional<Boolean> isDeadTo(
      StatementTrace user,
      TracedVersionSet.Source source,
      StatementTrace birth,
      StatementTrace death) {
    if (user.position() < birth.position()) {
      return Optional.of(false);
    }
    if (user.transaction().equals(death.transaction())) {
      return Optional.of(user.position() > death.position());
    }
    int visibleBefore =
        source == TracedVersionSet.Source.CURRENT ? user.position() : user.transaction().begin();
    if (death.transaction().end() < visibleBefore) {
      return Optional.of(true);
    }
    return source == TracedVersionSet.Source.CURRENT ? Optional.of(false) : Optional.empty();
  }

  /** Adds a dependency of a statement that uses versions, by the form of that statement. */
  private void addUse(StatementTrace from, StatementTrace to, Form user, Kind ofQuery) {
    switch (user) {
      case QUERY -> add(from, to, ofQuery);
      case INSERT -> add(from, to, Kind.VALUE_WRITE);
      case DELETE -> add(from, to, Kind.PREDICATE_WRITE);
      case UPDATE -> {
        add(from, to, Kind.PREDICATE_WRITE);
        add(from, to, Kind.VALUE_WRITE);
      }
    }
  }

  private static boolean isSame(StatementTrace trace, @Nullable StatementTrace other) {
    return other != null && trace.id() == other.id();
  }

  private void add(StatementTrace from, StatementTrace to, Kind kind) {
    if (!isSame(from, to)) {
      dependencies.add(new StatementDependency(from.id(), to.id(), kind));
    }
  }
}
