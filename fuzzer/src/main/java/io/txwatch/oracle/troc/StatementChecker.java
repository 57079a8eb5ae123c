package io.txwatch.oracle.troc;

import io.txwatch.dbms.Semantics.Snapshot;
import io.txwatch.dbms.Semantics.Visibility;
import io.txwatch.oracle.troc.ChangeHistory.Version;
import io.txwatch.oracle.troc.ChangeHistory.View;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the result of each statement: it must be the one that the statement has on its view (Troc,
 * section III-E4), and the statement must not write or lock rows for which it should have blocked.
 */
final class StatementChecker {

  private final ResultBags bags;
  private final ViewExecutor executor;
  private final ChangeHistory versions;
  private final Timeline timeline;
  private final TableReads tableReads;
  private final ViewResolver views;

  StatementChecker(ViewExecutor executor, ChangeHistory versions, Timeline timeline) {
    this.bags = new ResultBags(executor.dbms().comparesCaseInsensitively());
    this.executor = executor;
    this.versions = versions;
    this.timeline = timeline;
    this.tableReads = executor.tableReads();
    this.views = new ViewResolver(versions, timeline);
  }

  /** Checks a plain query. */
  void read(StepOutcome outcome, StatementForm form, OpenTransaction transaction)
      throws SQLException, EarlyVerdictException {
    View view = views.view(transaction.semantics.reads(), transaction, outcome);
    ViewExecutor.Outcome expected = executor.query(form.sql(), view);
    requireSuccess(expected, outcome);
    if (transaction.semantics.plainReadsLock() && transaction.explicit) {
      requireNoDirtyDifference(outcome, form, transaction, expected);
      requireResultOfSnapshot(outcome, form, transaction, expected);
    }
    transaction.reads.add(
        new OpenTransaction.Read(outcome, form, timeline.now(), versions.savepoint()));
    if (transaction.semantics.reads() == Visibility.DIRTY
        && timeline.hasPartiallyExecutedPeer(outcome)) {
      return; // partial effects of blocked statements are visible, too
    }
    if (!isSame(outcome, expected) && !isExplainedByLaterSnapshot(transaction)) {
      compare(outcome, expected.rows());
    }
  }

  /**
   * In InnoDB a query whose condition is constantly false reads no row and takes no snapshot. The
   * snapshot of a later query may then explain the results of all queries.
   */
  private boolean isExplainedByLaterSnapshot(OpenTransaction transaction) throws SQLException {
    if (transaction.semantics.snapshot() != Snapshot.FIRST_READ
        || transaction.semantics.reads() != Visibility.SNAPSHOT) {
      return false;
    }
    List<OpenTransaction.Read> reads = transaction.reads;
    View empty = new View(Map.of());
    for (int first = 1; first < reads.size(); first++) {
      OpenTransaction.Read before = reads.get(first - 1);
      if (!isSame(before.outcome(), executor.query(before.form().sql(), empty))) {
        return false;
      }
      int moment = reads.get(first).moment();
      boolean explains = true;
      for (OpenTransaction.Read read : reads.subList(first, reads.size())) {
        View view =
            versions.view(
                (table, version) ->
                    version.writer() == transaction.writer
                        ? version.number() <= read.newestOwnVersion()
                        : version.writer().isCommittedBefore(moment));
        explains &= isSame(read.outcome(), executor.query(read.form().sql(), view));
      }
      if (explains) {
        transaction.snapshot = SnapshotTimes.at(moment);
        return true;
      }
    }
    return false;
  }

  private boolean isSame(StepOutcome outcome, ViewExecutor.Outcome expected) {
    return expected.error().isEmpty() && bags.areEqual(outcome.rows(), expected.rows());
  }

  /** Checks a query that locks the rows it reads. */
  void lockingRead(StepOutcome outcome, StatementForm form, OpenTransaction transaction)
      throws SQLException, EarlyVerdictException {
    View view = views.view(transaction.semantics.writes(), transaction, outcome);
    Optional<String> locked = form.lockedRowsQuery(AugmentedTables.ROW);
    Optional<String> table = executor.tableNamed(form.table());
    if (locked.isEmpty() || table.isEmpty()) {
      if (outcome.blocked() || transaction.semantics.reads() != transaction.semantics.writes()) {
        throw EarlyVerdictException.undecided(outcome, "the rows that it locks are unknown");
      }
    } else {
      Set<Long> rows = executor.numbers(locked.get(), view);
      view = views.recheck(outcome, form, transaction, view, Map.of(table.get(), rows));
      if (!locksIndexEntries(form, transaction)) {
        requireMayTouch(outcome, transaction, table.get(), executor.numbers(locked.get(), view));
      }
    }
    ViewExecutor.Outcome expected = executor.query(form.sql(), view);
    requireSuccess(expected, outcome);
    if (locksIndexEntries(form, transaction)) {
      requireNoDirtyDifference(outcome, form, transaction, expected);
    }
    requireResultOfSnapshot(outcome, form, transaction, expected);
    compare(outcome, expected.rows());
  }

  /**
   * True if a query may lock only the entries of an index that covers it, as InnoDB's shared locks
   * do ({@code row_search_mvcc}): it then does not conflict with a write that leaves these columns
   * unchanged.
   */
  private static boolean locksIndexEntries(StatementForm form, OpenTransaction transaction) {
    return transaction.semantics.locksIndexEntries() && form.locksShared();
  }

  /** Checks a write and records its row versions. */
  void write(StepOutcome outcome, StatementForm form, OpenTransaction transaction)
      throws SQLException, EarlyVerdictException {
    String table =
        executor
            .tableNamed(form.table())
            .orElseThrow(
                () -> EarlyVerdictException.undecided(outcome, "no table '" + form.table() + "'"));
    requireKnownView(outcome, form, transaction, table);
    View view = viewOfWrite(outcome, form, transaction, table);
    String sql = executor.adapt(form, form.withTouchedMark(AugmentedTables.TOUCHED));
    ViewExecutor.Outcome expected = executor.write(sql, view, table);
    if (expected.error().isEmpty()) {
      View rechecked =
          views.recheck(outcome, form, transaction, view, executor.touched(view, expected));
      if (!rechecked.equals(view)) {
        view = rechecked;
        expected = executor.write(sql, view, table);
      }
    }
    requireSuccess(expected, outcome);
    Map<String, Set<Long>> touched = executor.touched(view, expected);
    for (Map.Entry<String, Set<Long>> rows : touched.entrySet()) {
      requireMayTouch(outcome, transaction, rows.getKey(), rows.getValue());
    }
    if (form.hasSubquery() && transaction.semantics.subqueriesLock()) {
      requireNoDirtySubquery(outcome, transaction, sql, table, expected);
    }
    if (outcome.isQuery()) {
      compare(outcome, expected.rows());
    }
    if (form.kind() != StatementForm.Kind.UPSERT && expected.count() != outcome.updateCount()) {
      if (transaction.semantics.reads() == Visibility.DIRTY
          && timeline.hasPartiallyExecutedPeer(outcome)) {
        throw EarlyVerdictException.undecided(
            outcome, "it may have seen what a blocked statement had done so far");
      }
      throw EarlyVerdictException.mismatch(outcome, "#" + expected.count());
    }
    versions.record(transaction.writer, expected, touched);
  }

  /** Checks that the order of completion determines what a write sees. */
  private void requireKnownView(
      StepOutcome outcome, StatementForm form, OpenTransaction transaction, String table)
      throws EarlyVerdictException {
    if (outcome.blocked() && form.hasSubquery() && !knowsWhatSubqueryReads(form, transaction)) {
      throw EarlyVerdictException.undecided(
          outcome, "it was blocked, and when its subquery was evaluated is unknown");
    }
    if (form.hasSubquery()
        && transaction.semantics.subqueries() == Visibility.DIRTY
        && timeline.hasPartiallyExecutedPeer(outcome)) {
      throw EarlyVerdictException.undecided(
          outcome, "its query may have read what a blocked statement had done so far");
    }
    if (outcome.blocked()
        && transaction.semantics.snapshot() == Snapshot.FIRST_READ_OF_TABLE
        && transaction.snapshot.of(table) == SnapshotTimes.NONE
        && form.kind() != StatementForm.Kind.INSERT) {
      throw EarlyVerdictException.undecided(
          outcome, "it was blocked, and has no snapshot of the table that it writes");
    }
    if (form.joins()) {
      requireKnownJoinVisibility(outcome, transaction, table);
    }
    if (outcome.blocked()
        && form.resolvesConflicts()
        && transaction.semantics.checksLocksAgainstSnapshot()) {
      throw EarlyVerdictException.undecided(
          outcome, "it was blocked, and whether it had taken a snapshot before is unknown");
    }
    if (form.resolvesConflicts()
        && transaction.semantics.writes() != Visibility.COMMITTED
        && !views
            .view(transaction.semantics.writes(), transaction, outcome)
            .equals(views.view(Visibility.COMMITTED, transaction, outcome))) {
      throw EarlyVerdictException.undecided(
          outcome, "keys are compared with rows that it does not see");
    }
    requireKnownForeignKeyState(outcome, transaction, table);
  }

  /**
   * True if the order of completion determines what the subquery of a blocked write reads: the
   * snapshot of its transaction or, unless it reads the written table, of its command; or rows that
   * it locks, so that they stay as they were.
   */
  private boolean knowsWhatSubqueryReads(StatementForm form, OpenTransaction transaction) {
    return switch (transaction.semantics.writes()) {
      case SNAPSHOT -> true;
      case RECHECKED ->
          form.kind() == StatementForm.Kind.INSERT || !tableReads.readsTargetInQuery(form);
      case COMMITTED ->
          transaction.semantics.subqueriesLock() && !tableReads.readsTargetInQuery(form);
      case DIRTY -> false;
    };
  }

  private View viewOfWrite(
      StepOutcome outcome, StatementForm form, OpenTransaction transaction, String table) {
    boolean readsOthersUnlocked = form.kind() != StatementForm.Kind.DELETE && form.hasSubquery();
    return readsOthersUnlocked
        ? views.view(
            transaction.semantics.writes(),
            table,
            transaction.semantics.subqueries(),
            transaction,
            outcome)
        : views.view(transaction.semantics.writes(), transaction, outcome);
  }

  /**
   * Checks a write that joins its table with others: whether InnoDB locks the other tables' rows
   * depends on the version and on the binary log's format.
   */
  private void requireKnownJoinVisibility(
      StepOutcome outcome, OpenTransaction transaction, String table) throws EarlyVerdictException {
    if (outcome.blocked()) {
      throw EarlyVerdictException.undecided(
          outcome, "it was blocked, and when it read the joined tables is unknown");
    }
    if (!transaction.semantics.locksIndexEntries()) {
      return;
    }
    View seen = views.view(Visibility.SNAPSHOT, transaction, outcome);
    for (Visibility visibility : List.of(Visibility.DIRTY, Visibility.COMMITTED)) {
      View view = views.view(visibility, transaction, outcome);
      for (String other : executor.tables()) {
        if (!other.equals(table) && !view.rows(other).equals(seen.rows(other))) {
          throw EarlyVerdictException.undecided(outcome, "how it reads " + other + " is unknown");
        }
      }
    }
  }

  /**
   * Checks that foreign keys see the same rows as the statement: they are checked, and their
   * actions taken, by what is committed (PostgreSQL: ri_triggers.c, "detectNewRows"). A blocked
   * statement does so at a later time.
   */
  private void requireKnownForeignKeyState(
      StepOutcome outcome, OpenTransaction transaction, String table) throws EarlyVerdictException {
    Set<String> relatedTables = executor.relatedTables(table);
    if (relatedTables.isEmpty() || transaction.semantics.writes() == Visibility.COMMITTED) {
      return;
    }
    if (outcome.blocked()) {
      throw EarlyVerdictException.undecided(
          outcome, "it was blocked, and the rows that its foreign keys then found are unknown");
    }
    View seen = views.view(transaction.semantics.writes(), transaction, outcome);
    View committed = views.view(Visibility.COMMITTED, transaction, outcome);
    if (relatedTables.stream().anyMatch(other -> !seen.rows(other).equals(committed.rows(other)))) {
      throw EarlyVerdictException.undecided(
          outcome, "foreign keys are checked against rows that it does not see");
    }
  }

  // Checks for forbidden effects.

  /** A statement must not write or lock a row with uncommitted changes of another transaction. */
  private void requireMayTouch(
      StepOutcome outcome, OpenTransaction transaction, String table, Set<Long> rows)
      throws SQLException, EarlyVerdictException {
    for (long row : rows) {
      Version newest = versions.newest(table, row).orElseThrow();
      if (newest.writer() != transaction.writer) {
        requireCommitted(outcome, newest, table);
        if (wasChangedSinceSnapshot(transaction, newest, table, row)) {
          throw conflictWithSnapshot(outcome, transaction, newest, table, row);
        }
      }
    }
  }

  private void requireCommitted(StepOutcome outcome, Version newest, String table)
      throws EarlyVerdictException {
    if (newest.writer().isCommitted()) {
      return;
    }
    if (timeline.isDeadlockVictimPending()) {
      throw EarlyVerdictException.undecided(
          outcome, "a deadlock victim is being aborted, and when it ends is unknown");
    }
    throw EarlyVerdictException.violation(
        outcome,
        "; it should have waited for an open transaction that had written a row of " + table);
  }

  private boolean wasChangedSinceSnapshot(
      OpenTransaction transaction, Version newest, String table, long row) {
    int snapshot = transaction.snapshot.of(table);
    return transaction.semantics.firstUpdaterWins()
        && snapshot != SnapshotTimes.NONE
        && !newest.writer().isCommittedBefore(snapshot)
        && hasOtherValues(newest, table, row, snapshot);
  }

  private EarlyVerdictException conflictWithSnapshot(
      StepOutcome outcome, OpenTransaction transaction, Version newest, String table, long row)
      throws SQLException {
    if (isRestored(newest, table, row, transaction.snapshot.of(table))) {
      return EarlyVerdictException.undecided(
          outcome, "a row was restored, and the DBMS treats it as the same row");
    }
    if (mayHaveNoSnapshot(transaction)) {
      return EarlyVerdictException.undecided(outcome, "whether there is a snapshot is unknown");
    }
    return EarlyVerdictException.violation(
        outcome, "; a row of " + table + " was changed since the snapshot: it should have failed");
  }

  /**
   * True if a version's values differ from those of the snapshot: H2 writes no version if the
   * values are equal.
   */
  private boolean hasOtherValues(Version newest, String table, long row, int snapshot) {
    return versions
        .newest(table, row, version -> version.writer().isCommittedBefore(snapshot))
        .filter(then -> Objects.equals(then.data(), newest.data()))
        .isEmpty();
  }

  /** True if no query so far need have read a row: such a query takes no snapshot in InnoDB. */
  private boolean mayHaveNoSnapshot(OpenTransaction transaction) throws SQLException {
    if (transaction.semantics.snapshot() != Snapshot.FIRST_READ) {
      return false;
    }
    View empty = new View(Map.of());
    for (OpenTransaction.Read read : transaction.reads) {
      if (!isSame(read.outcome(), executor.query(read.form().sql(), empty))) {
        return false;
      }
    }
    return true;
  }

  /**
   * True if a row was deleted since the snapshot, or is another one by its key, and a row has its
   * values now.
   */
  private boolean isRestored(Version newest, String table, long row, int snapshot) {
    View current = versions.view((name, version) -> version.writer().isCommitted());
    RowIdentity identity = executor.rowIdentity();
    return versions
        .newest(table, row, version -> version.writer().isCommittedBefore(snapshot))
        .map(Version::data)
        .filter(
            then ->
                newest.data() == null
                    || !identity.key(table, then).equals(identity.key(table, newest.data())))
        .filter(then -> current.rows(table).containsValue(then))
        .isPresent();
  }

  /** The result of a query that locks rows must not depend on uncommitted changes. */
  private void requireNoDirtyDifference(
      StepOutcome outcome,
      StatementForm form,
      OpenTransaction transaction,
      ViewExecutor.Outcome expected)
      throws SQLException, EarlyVerdictException {
    ViewExecutor.Outcome dirty =
        executor.query(form.sql(), views.view(Visibility.DIRTY, transaction, outcome));
    if (dirty.error().isEmpty() && !bags.areEqual(dirty.rows(), expected.rows())) {
      throw EarlyVerdictException.violation(
          outcome, "; it should have waited for a transaction that had changed rows it reads");
    }
  }

  /** What a write does must not depend on uncommitted rows if its subquery locks what it reads. */
  private void requireNoDirtySubquery(
      StepOutcome outcome,
      OpenTransaction transaction,
      String sql,
      String table,
      ViewExecutor.Outcome expected)
      throws SQLException, EarlyVerdictException {
    View dirty =
        views.view(transaction.semantics.writes(), table, Visibility.DIRTY, transaction, outcome);
    if (timeline.isDeadlockVictimPending()
        || dirty.equals(views.view(transaction.semantics.writes(), transaction, outcome))) {
      return;
    }
    ViewExecutor.Outcome ofDirty;
    try {
      ofDirty = executor.write(sql, dirty, table);
    } catch (ViewExecutor.BrokenViewException e) {
      return; // uncommitted rows that no table could have show nothing
    }
    if (ofDirty.error().isEmpty() && !ofDirty.doesSameTo(table, expected)) {
      throw EarlyVerdictException.violation(
          outcome, "; it should have waited for a transaction that had changed rows it reads");
    }
  }

  /**
   * Where locks are checked against the snapshot, a query that locks what it reads must fail if its
   * result is not that of the snapshot.
   */
  private void requireResultOfSnapshot(
      StepOutcome outcome,
      StatementForm form,
      OpenTransaction transaction,
      ViewExecutor.Outcome expected)
      throws SQLException, EarlyVerdictException {
    if (!transaction.semantics.checksLocksAgainstSnapshot()
        || transaction.snapshot.equals(SnapshotTimes.NO_SNAPSHOT)) {
      return;
    }
    ViewExecutor.Outcome ofSnapshot =
        executor.query(form.sql(), views.view(Visibility.SNAPSHOT, transaction, outcome));
    if (ofSnapshot.error().isEmpty()
        && !bags.areEqual(ofSnapshot.rows(), expected.rows())
        && !mayHaveNoSnapshot(transaction)) {
      throw EarlyVerdictException.violation(
          outcome, "; rows that it reads were changed since the snapshot: it should have failed");
    }
  }

  private void requireSuccess(ViewExecutor.Outcome expected, StepOutcome outcome)
      throws EarlyVerdictException {
    if (expected.error().isPresent()) {
      throw EarlyVerdictException.undecided(
          outcome, "it fails when executed alone: " + expected.error().get().message());
    }
  }

  private void compare(StepOutcome outcome, List<List<@Nullable Object>> expected)
      throws EarlyVerdictException {
    if (!bags.areEqual(outcome.rows(), expected)) {
      throw EarlyVerdictException.mismatch(outcome, Values.bag(expected).toString());
    }
  }

  /** Checks the final state. */
  void compareFinalState(CaseExecution execution) throws SQLException, EarlyVerdictException {
    View state = versions.view((table, version) -> version.writer().isCommitted());
    for (StepOutcome read : execution.finalReads()) {
      StatementForm form = StatementForm.of(read.step().sql());
      if (form.dependsOnRowOrder() || (!executor.isHidden() && form.dependsOnColumnCount())) {
        continue;
      }
      ViewExecutor.Outcome expected = executor.query(form.sql(), state);
      requireSuccess(expected, read);
      compare(read, expected.rows());
    }
  }
}
