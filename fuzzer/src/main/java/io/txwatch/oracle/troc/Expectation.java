package io.txwatch.oracle.troc;

import io.txwatch.history.Database;
import io.txwatch.oracle.troc.RowVersions.Version;
import io.txwatch.oracle.troc.RowVersions.View;
import io.txwatch.oracle.troc.RowVersions.Writer;
import io.txwatch.oracle.troc.Semantics.Snapshot;
import io.txwatch.oracle.troc.Semantics.Visibility;
import io.txwatch.schedule.Execution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What each statement has to do: what it does by itself on its view (Troc, section III-E4), and to
 * no row that it had to wait for.
 */
final class Expectation {

  private final Semantics semantics;
  private final boolean caseBlind;
  private final Scratch scratch;
  private final RowVersions versions;
  private final Timeline timeline;
  private final Sight sight;

  Expectation(
      Semantics semantics,
      Database database,
      Scratch scratch,
      RowVersions versions,
      Timeline timeline) {
    this.semantics = semantics;
    // Their collations hold 'a' and 'A' to be one: which of them a group shows is not determined.
    this.caseBlind = Set.of("MySQL", "MariaDB", "TiDB").contains(database.product());
    this.scratch = scratch;
    this.versions = versions;
    this.timeline = timeline;
    this.sight = new Sight(semantics, versions, timeline);
  }

  /** A plain query. */
  void read(StepOutcome outcome, Shape shape, Transaction transaction)
      throws SQLException, EndException {
    View view = sight.view(semantics.reads(), transaction, outcome);
    Scratch.Result expected = scratch.query(shape.sql(), view);
    requireSuccess(expected, outcome);
    if (semantics.readsLock() && transaction.explicit) {
      requireNoDirtyDifference(outcome, shape, transaction, expected);
    }
    transaction.reads.add(
        new Transaction.Read(outcome, shape, timeline.now(), versions.savepoint()));
    if (semantics.reads() == Visibility.DIRTY && timeline.isSomeoneHalfDone(outcome)) {
      return; // what a statement that waits has done so far is seen, too
    }
    if (!isSame(outcome, expected) && !isExplainedByLaterSnapshot(transaction)) {
      compare(outcome, expected.rows());
    }
  }

  /**
   * A query that need not look at any row, since its condition is false whatever they hold, takes
   * no snapshot in InnoDB: then one of a later query explains what all of them returned.
   */
  private boolean isExplainedByLaterSnapshot(Transaction transaction) throws SQLException {
    if (semantics.snapshot() != Snapshot.FIRST_READ || semantics.reads() != Visibility.SNAPSHOT) {
      return false;
    }
    List<Transaction.Read> reads = transaction.reads;
    View empty = new View(Map.of());
    for (int first = 1; first < reads.size(); first++) {
      Transaction.Read before = reads.get(first - 1);
      if (!isSame(before.outcome(), scratch.query(before.shape().sql(), empty))) {
        return false;
      }
      int moment = reads.get(first).moment();
      boolean explains = true;
      for (Transaction.Read read : reads.subList(first, reads.size())) {
        View view =
            versions.view(
                (table, version) ->
                    version.writer() == transaction.writer
                        ? version.number() <= read.ownUpTo()
                        : version.writer().isCommittedBefore(moment));
        explains &= isSame(read.outcome(), scratch.query(read.shape().sql(), view));
      }
      if (explains) {
        transaction.snapshot = moment;
        return true;
      }
    }
    return false;
  }

  private boolean isSame(StepOutcome outcome, Scratch.Result expected) {
    return expected.error().isEmpty() && bag(outcome.rows()).equals(bag(expected.rows()));
  }

  /** A query that locks what it reads. */
  void lockingRead(StepOutcome outcome, Shape shape, Transaction transaction)
      throws SQLException, EndException {
    View view = sight.view(semantics.writes(), transaction, outcome);
    Optional<String> locked = shape.locked(WideTables.ROW);
    Optional<String> table = scratch.table(shape.table());
    if (locked.isEmpty() || table.isEmpty()) {
      if (outcome.blocked() || semantics.reads() != semantics.writes()) {
        throw EndException.undecided(outcome, "which rows it locks is not clear");
      }
    } else {
      Set<Long> rows = scratch.numbers(locked.get(), view);
      view = sight.recheck(outcome, shape, transaction, view, Map.of(table.get(), rows));
      if (!locksIndexEntries(shape)) {
        requireMayTouch(outcome, transaction, table.get(), scratch.numbers(locked.get(), view));
      }
    }
    Scratch.Result expected = scratch.query(shape.sql(), view);
    requireSuccess(expected, outcome);
    if (locksIndexEntries(shape)) {
      requireNoDirtyDifference(outcome, shape, transaction, expected);
    }
    compare(outcome, expected.rows());
  }

  /**
   * True if a query may lock no more than the entries of an index that holds all that it reads, as
   * a shared lock of InnoDB's does ({@code row_search_mvcc}): it does not meet a write that left
   * these columns as they were.
   */
  private boolean locksIndexEntries(Shape shape) {
    return semantics.snapshot() == Snapshot.FIRST_READ && shape.locksShared();
  }

  /** A statement that writes: what it wrote is noted. */
  void write(StepOutcome outcome, Shape shape, Transaction transaction)
      throws SQLException, EndException {
    String table =
        scratch
            .table(shape.table())
            .orElseThrow(() -> EndException.undecided(outcome, "no table '" + shape.table() + "'"));
    if (outcome.blocked() && shape.hasSubquery()) {
      throw EndException.undecided(
          outcome, "it waited, and when its subquery was answered is not known");
    }
    if (shape.joins()) {
      requireOneSightOfOthers(outcome, transaction, table);
    }
    if (shape.resolvesConflicts()
        && semantics.writes() != Visibility.COMMITTED
        && !sight
            .view(semantics.writes(), transaction, outcome)
            .equals(sight.view(Visibility.COMMITTED, transaction, outcome))) {
      throw EndException.undecided(outcome, "keys are compared with rows that it does not see");
    }
    requireKnownRelatives(outcome, transaction, table);
    boolean othersUnlocked = shape.kind() != Shape.Kind.DELETE && shape.hasSubquery();
    View view =
        othersUnlocked
            ? sight.view(
                semantics.writes(), table, semantics.sameTransactionReads(), transaction, outcome)
            : sight.view(semantics.writes(), transaction, outcome);
    String sql = scratch.adapted(shape, shape.touching(WideTables.TOUCHED));
    Scratch.Result expected = scratch.write(sql, view, table);
    if (expected.error().isEmpty()) {
      Map<String, Set<Long>> touched = touched(view, expected);
      View rechecked = sight.recheck(outcome, shape, transaction, view, touched);
      if (!rechecked.equals(view)) {
        view = rechecked;
        expected = scratch.write(sql, view, table);
      }
    }
    requireSuccess(expected, outcome);
    Map<String, Set<Long>> touched = touched(view, expected);
    for (Map.Entry<String, Set<Long>> rows : touched.entrySet()) {
      requireMayTouch(outcome, transaction, rows.getKey(), rows.getValue());
    }
    if (outcome.isQuery()) {
      compare(outcome, expected.rows());
    }
    if (shape.kind() != Shape.Kind.UPSERT && expected.count() != outcome.updateCount()) {
      throw EndException.violation(outcome, "#" + expected.count());
    }
    note(transaction.writer, expected, touched);
  }

  /**
   * A write that joins its table with others: InnoDB reads those with locks or without, as versions
   * and binary logs have it.
   */
  private void requireOneSightOfOthers(StepOutcome outcome, Transaction transaction, String table)
      throws EndException {
    if (outcome.blocked()) {
      throw EndException.undecided(outcome, "it waited, and when it joined is not known");
    }
    if (semantics.snapshot() != Snapshot.FIRST_READ) {
      return;
    }
    View seen = sight.view(Visibility.SNAPSHOT, transaction, outcome);
    for (Visibility visibility : List.of(Visibility.DIRTY, Visibility.COMMITTED)) {
      View view = sight.view(visibility, transaction, outcome);
      for (String other : scratch.tables()) {
        if (!other.equals(table) && !view.rows(other).equals(seen.rows(other))) {
          throw EndException.undecided(outcome, "how it reads " + other + " is not known");
        }
      }
    }
  }

  /**
   * Foreign keys are checked, and their actions taken, by what is committed, whatever the statement
   * sees (PostgreSQL: ri_triggers.c, "detectNewRows"). Where it waits, that is another moment.
   */
  private void requireKnownRelatives(StepOutcome outcome, Transaction transaction, String table)
      throws EndException {
    Set<String> relatives = scratch.relatives(table);
    if (relatives.isEmpty() || semantics.writes() == Visibility.COMMITTED) {
      return;
    }
    if (outcome.blocked()) {
      throw EndException.undecided(
          outcome, "it waited, and what its foreign keys then met is not known");
    }
    View seen = sight.view(semantics.writes(), transaction, outcome);
    View committed = sight.view(Visibility.COMMITTED, transaction, outcome);
    if (relatives.stream().anyMatch(other -> !seen.rows(other).equals(committed.rows(other)))) {
      throw EndException.undecided(
          outcome, "foreign keys are checked by rows that it does not see");
    }
  }

  /** The rows that a write updated or deleted. */
  private Map<String, Set<Long>> touched(View view, Scratch.Result result) {
    Map<String, Set<Long>> touched = new HashMap<>();
    for (String table : scratch.tables()) {
      Set<Long> rows = new HashSet<>(result.updated().getOrDefault(table, Set.of()));
      TreeMap<Long, List<@Nullable Object>> after =
          result.after().getOrDefault(table, new TreeMap<>());
      view.rows(table)
          .forEach(
              (row, data) -> {
                if (!data.equals(after.get(row))) {
                  rows.add(row);
                }
              });
      touched.put(table, rows);
    }
    return touched;
  }

  private void note(Writer writer, Scratch.Result result, Map<String, Set<Long>> touched) {
    touched.forEach(
        (table, rows) -> {
          TreeMap<Long, List<@Nullable Object>> after =
              result.after().getOrDefault(table, new TreeMap<>());
          rows.stream().sorted().forEach(row -> versions.write(table, row, after.get(row), writer));
        });
    result
        .inserted()
        .forEach((table, rows) -> rows.forEach(row -> versions.insert(table, row, writer)));
  }

  // What must not be.

  /** Nobody may write or lock a row that another one has changed and not yet committed. */
  private void requireMayTouch(
      StepOutcome outcome, Transaction transaction, String table, Set<Long> rows)
      throws SQLException, EndException {
    for (long row : rows) {
      Version newest = versions.newest(table, row).orElseThrow();
      if (newest.writer() != transaction.writer && !newest.writer().isCommitted()) {
        if (timeline.awaitsVictim()) {
          throw EndException.undecided(
              outcome, "a deadlock's victim is under way, and when it has ended is not known");
        }
        throw EndException.violated(
            outcome,
            "; it had to wait for a transaction that had written a row of "
                + table
                + " and not ended");
      }
      int snapshot = transaction.snapshot;
      if (semantics.firstUpdaterWins()
          && snapshot != Transaction.NONE
          && newest.writer() != transaction.writer
          && !newest.writer().isCommittedBefore(snapshot)
          && isOther(newest, table, row, snapshot)) {
        if (isBack(newest, table, row, snapshot)) {
          throw EndException.undecided(
              outcome, "a row is back as it was, which H2 takes for the same row");
        }
        if (mayHaveNoSnapshot(transaction)) {
          throw EndException.undecided(outcome, "whether there is a snapshot is not known");
        }
        throw EndException.violated(
            outcome, "; a row of " + table + " was changed since the snapshot: it had to fail");
      }
    }
  }

  /** True if a version holds other values than the one of the snapshot: H2 writes no equal ones. */
  private boolean isOther(Version newest, String table, long row, int snapshot) {
    return versions
        .newest(table, row, version -> version.writer().isCommittedBefore(snapshot))
        .filter(then -> Objects.equals(then.data(), newest.data()))
        .isEmpty();
  }

  /** True if no query so far need have looked at a row: such a one takes no snapshot in InnoDB. */
  private boolean mayHaveNoSnapshot(Transaction transaction) throws SQLException {
    if (semantics.snapshot() != Snapshot.FIRST_READ) {
      return false;
    }
    View empty = new View(Map.of());
    for (Transaction.Read read : transaction.reads) {
      if (!isSame(read.outcome(), scratch.query(read.shape().sql(), empty))) {
        return false;
      }
    }
    return true;
  }

  /** True if a row was deleted since the snapshot, and another one has its values now. */
  private boolean isBack(Version newest, String table, long row, int snapshot) {
    View today = versions.view((name, version) -> version.writer().isCommitted());
    return newest.data() == null
        && versions
            .newest(table, row, version -> version.writer().isCommittedBefore(snapshot))
            .filter(then -> today.rows(table).containsValue(then.data()))
            .isPresent();
  }

  /** A query that locks what it reads must not hang on what is not committed. */
  private void requireNoDirtyDifference(
      StepOutcome outcome, Shape shape, Transaction transaction, Scratch.Result expected)
      throws SQLException, EndException {
    Scratch.Result dirty =
        scratch.query(shape.sql(), sight.view(Visibility.DIRTY, transaction, outcome));
    if (dirty.error().isEmpty() && !bag(dirty.rows()).equals(bag(expected.rows()))) {
      throw EndException.violated(
          outcome, "; it had to wait for a transaction that had changed what it reads");
    }
  }

  private void requireSuccess(Scratch.Result expected, StepOutcome outcome) throws EndException {
    if (expected.error().isPresent()) {
      throw EndException.undecided(outcome, "by itself it fails: " + expected.error().get());
    }
  }

  private void compare(StepOutcome outcome, List<List<@Nullable Object>> expected)
      throws EndException {
    if (!bag(outcome.rows()).equals(bag(expected))) {
      throw EndException.violation(outcome, Values.bag(expected).toString());
    }
  }

  private List<String> bag(List<List<@Nullable Object>> rows) {
    List<String> bag = Values.bag(rows);
    return caseBlind
        ? bag.stream().map(line -> line.toLowerCase(Locale.ROOT)).sorted().toList()
        : bag;
  }

  /** What is there when all is over. */
  void compareFinalState(Execution execution) throws SQLException, EndException {
    View state = versions.view((table, version) -> version.writer().isCommitted());
    for (StepOutcome read : execution.finalReads()) {
      Shape shape = Shape.of(read.step().sql());
      if (shape.hangsOnOrder() || (!scratch.isHidden() && shape.countsColumns())) {
        continue;
      }
      Scratch.Result expected = scratch.query(shape.sql(), state);
      requireSuccess(expected, read);
      compare(read, expected.rows());
    }
  }
}
