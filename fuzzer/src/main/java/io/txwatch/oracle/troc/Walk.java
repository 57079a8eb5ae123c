package io.txwatch.oracle.troc;

import io.txwatch.history.Database;
import io.txwatch.oracle.Verdict;
import io.txwatch.oracle.Verdict.Result;
import io.txwatch.oracle.troc.RowVersions.Version;
import io.txwatch.oracle.troc.RowVersions.View;
import io.txwatch.oracle.troc.RowVersions.Writer;
import io.txwatch.oracle.troc.Semantics.Snapshot;
import io.txwatch.oracle.troc.Semantics.Visibility;
import io.txwatch.schedule.Execution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.Step;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Goes through an execution in the order of completion, expects of each statement what its view
 * lets it do (Troc, section III-E4), and ends at the first that did otherwise, or whose effect
 * cannot be told.
 */
final class Walk {

  /** The end of the walk before the end of the execution. */
  static final class EndException extends Exception {
    private static final long serialVersionUID = 1;
    private final Result result;
    private final String reason;
    private final transient Optional<Step> statement;

    EndException(Result result, String reason, Optional<Step> statement) {
      super(reason);
      this.result = result;
      this.reason = reason;
      this.statement = statement;
    }

    Verdict verdict(String oracle) {
      return new Verdict(oracle, result, reason, statement);
    }
  }

  private static final int NONE = -1;

  /**
   * A plain query.
   *
   * @param moment when it was
   * @param ownUpTo the number of the newest version then: later ones of its transaction it did not
   *     see
   */
  private record Read(StepOutcome outcome, Shape shape, int moment, int ownUpTo) {}

  /** A transaction under way. */
  private static final class Transaction {
    final Writer writer = new Writer();
    final boolean explicit;
    final Map<String, Integer> savepoints = new HashMap<>();

    /** When the snapshot was taken. */
    int snapshot = NONE;

    /** What was read since, while it may be that no read has needed a snapshot yet. */
    final List<Read> reads = new ArrayList<>();

    Transaction(boolean explicit) {
      this.explicit = explicit;
    }
  }

  private final Execution execution;
  private final Semantics semantics;
  private final boolean caseBlind;
  private final Scratch scratch;
  private final RowVersions versions;
  private final Map<String, Transaction> open = new HashMap<>();

  /** When the case came to a step; one whose session was busy began later. */
  private final Map<Integer, Integer> begun = new HashMap<>();

  private final Set<Integer> done = new HashSet<>();

  /** When the last step of a session completed. */
  private final Map<String, Integer> idleSince = new HashMap<>();

  private int now;

  Walk(Execution execution, Semantics semantics, Database database, Scratch scratch) {
    this.execution = execution;
    this.semantics = semantics;
    // Their collations hold 'a' and 'A' to be one: which of them a group shows is not determined.
    this.caseBlind = Set.of("MySQL", "MariaDB", "TiDB").contains(database.product());
    this.scratch = scratch;
    this.versions = new RowVersions(scratch.initial());
  }

  /** Walks to the end. */
  void run() throws SQLException, EndException {
    int submitted = 0;
    List<Step> steps = execution.testCase().steps();
    for (Settlement settlement : Settlement.of(execution)) {
      while (submitted < steps.size() && steps.get(submitted).id() != settlement.submitted().id()) {
        begun.put(steps.get(submitted++).id(), now);
      }
      begun.put(settlement.submitted().id(), now);
      submitted++;
      if (settlement.freed().size() > 1) {
        throw new EndException(
            Result.UNDECIDED,
            "'" + settlement.submitted().sql() + "' set several sessions free at a time",
            Optional.empty());
      }
      endVictims(settlement);
      for (int i = 0; i < settlement.completed().size(); i++) {
        StepOutcome outcome = settlement.completed().get(i);
        now++;
        endAbandoned(settlement, i);
        take(outcome);
        done.add(outcome.step().id());
        idleSince.put(outcome.step().session(), now);
      }
    }
    open.values().forEach(transaction -> versions.rollBack(transaction.writer, 0));
    compareFinalState();
  }

  /** A transaction that was aborted while it waited made way for what completed with it. */
  private void endVictims(Settlement settlement) {
    for (StepOutcome outcome : settlement.completed()) {
      if (outcome.blocked() && outcome.failure() != null && outcome.failure().endsTransaction()) {
        end(outcome.step().session(), false);
      }
    }
  }

  /**
   * At the end of a case those whose steps ended within a transaction are rolled back, and what
   * waited for them goes on.
   */
  private void endAbandoned(Settlement settlement, int next) {
    if (settlement.isLast() && settlement.completed().get(next).blocked()) {
      Set<String> going = new HashSet<>();
      settlement
          .completed()
          .subList(next, settlement.completed().size())
          .forEach(outcome -> going.add(outcome.step().session()));
      Set.copyOf(open.keySet()).stream()
          .filter(session -> !going.contains(session))
          .forEach(session -> end(session, false));
    }
  }

  private void end(String session, boolean commit) {
    Transaction transaction = open.remove(session);
    if (transaction == null) {
      return;
    }
    if (commit) {
      transaction.writer.commit(now);
    } else {
      versions.rollBack(transaction.writer, 0);
    }
  }

  private void take(StepOutcome outcome) throws SQLException, EndException {
    Step step = outcome.step();
    if (outcome.failure() != null) {
      if (outcome.failure().endsTransaction() || step.role() != Step.Role.WORK) {
        end(step.session(), false);
      } else {
        Optional.ofNullable(open.get(step.session()))
            .ifPresent(transaction -> takeSnapshot(transaction, Shape.of(step.sql()), outcome));
      }
      return;
    }
    if (!outcome.succeeded()) {
      return;
    }
    switch (step.role()) {
      case BEGIN -> {
        end(step.session(), true);
        Transaction begun = new Transaction(true);
        open.put(step.session(), begun);
        boolean atOnce = step.sql().toUpperCase(Locale.ROOT).contains("CONSISTENT SNAPSHOT");
        if (semantics.snapshot() == Snapshot.BEGIN || atOnce) {
          begun.snapshot = now;
        }
      }
      case COMMIT -> end(step.session(), true);
      case ROLLBACK -> end(step.session(), false);
      case WORK -> work(outcome);
    }
  }

  private void work(StepOutcome outcome) throws SQLException, EndException {
    Step step = outcome.step();
    Transaction transaction =
        Optional.ofNullable(open.get(step.session())).orElseGet(() -> new Transaction(false));
    Shape shape = Shape.of(step.sql());
    if (shape.kind() == Shape.Kind.SAVEPOINT) {
      savepoint(transaction, step.sql());
      return;
    }
    if (shape.kind() == Shape.Kind.OTHER) {
      throw undecided(outcome, "nothing is expected of such a statement");
    }
    if (shape.hangsOnOrder()) {
      throw undecided(outcome, "what it does hangs on the order of rows");
    }
    if (!scratch.isHidden() && shape.countsColumns()) {
      throw undecided(outcome, "our columns would change what it means");
    }
    takeSnapshot(transaction, shape, outcome);
    if (shape.kind() == Shape.Kind.READ) {
      read(outcome, shape, transaction);
    } else if (shape.kind() == Shape.Kind.LOCKING_READ) {
      lockingRead(outcome, shape, transaction);
    } else {
      write(outcome, shape, transaction);
    }
    if (!transaction.explicit) {
      transaction.writer.commit(now);
    }
  }

  private void savepoint(Transaction transaction, String sql) {
    String[] words = sql.strip().toUpperCase(Locale.ROOT).split("\\s+");
    String name = words[words.length - 1];
    if (words[0].equals("SAVEPOINT")) {
      transaction.savepoints.put(name, versions.savepoint());
    } else if (words[0].equals("ROLLBACK")) {
      versions.rollBack(transaction.writer, transaction.savepoints.getOrDefault(name, 0));
    }
  }

  private void takeSnapshot(Transaction transaction, Shape shape, StepOutcome outcome) {
    boolean takes =
        switch (semantics.snapshot()) {
          case BEGIN -> true;
          case FIRST_STATEMENT ->
              shape.kind() != Shape.Kind.SAVEPOINT && shape.kind() != Shape.Kind.OTHER;
          case FIRST_READ -> shape.kind() == Shape.Kind.READ && outcome.succeeded();
        };
    if (!takes) {
      return;
    }
    int moment = begin(outcome);
    if (transaction.snapshot == NONE) {
      transaction.snapshot = moment;
    }
  }

  /** The moment at which a statement began: versions committed before or at it are seen. */
  private int begin(StepOutcome outcome) {
    if (!outcome.blocked()) {
      return now;
    }
    int submitted = begun.getOrDefault(outcome.step().id(), 0);
    return Math.max(submitted, idleSince.getOrDefault(outcome.step().session(), 0)) + 1;
  }

  // What statements see.

  private BiPredicate<String, Version> seen(
      Visibility visibility, Transaction transaction, StepOutcome outcome) {
    return (table, version) ->
        version.writer() == transaction.writer
            || switch (visibility) {
              case DIRTY -> true;
              case COMMITTED -> version.writer().isCommitted();
              case RECHECKED -> version.writer().isCommittedBefore(begin(outcome));
              case SNAPSHOT ->
                  version
                      .writer()
                      .isCommittedBefore(transaction.snapshot == NONE ? now : transaction.snapshot);
            };
  }

  private View view(Visibility visibility, Transaction transaction, StepOutcome outcome) {
    return versions.view(seen(visibility, transaction, outcome));
  }

  /** A view in which the table that is written, and the others, are seen in different ways. */
  private View view(
      Visibility ofTable,
      String table,
      Visibility ofOthers,
      Transaction transaction,
      StepOutcome outcome) {
    BiPredicate<String, Version> own = seen(ofTable, transaction, outcome);
    BiPredicate<String, Version> others = seen(ofOthers, transaction, outcome);
    return versions.view(
        (name, version) -> (name.equals(table) ? own : others).test(name, version));
  }

  // What they do.

  private void read(StepOutcome outcome, Shape shape, Transaction transaction)
      throws SQLException, EndException {
    View view = view(semantics.reads(), transaction, outcome);
    Scratch.Result expected = scratch.execute(shape.sql(), view, false);
    requireSuccess(expected, outcome);
    if (semantics.readsLock() && transaction.explicit) {
      requireNoDirtyDifference(outcome, shape, transaction, expected);
    }
    transaction.reads.add(new Read(outcome, shape, now, versions.savepoint()));
    if (semantics.reads() == Visibility.DIRTY && isSomeoneHalfDone(outcome)) {
      return; // what a statement that waits has done so far is seen, too
    }
    if (!isSame(outcome, expected) && !isExplainedByLaterSnapshot(transaction)) {
      compare(outcome, expected.rows());
    }
  }

  private boolean isSomeoneHalfDone(StepOutcome but) {
    return execution.outcomes().stream()
        .anyMatch(
            other ->
                other.blocked()
                    && !other.step().session().equals(but.step().session())
                    && begun.containsKey(other.step().id())
                    && !done.contains(other.step().id()));
  }

  /**
   * A query that need not look at any row, since its condition is false whatever they hold, takes
   * no snapshot in InnoDB: then one of a later query explains what all of them returned.
   */
  private boolean isExplainedByLaterSnapshot(Transaction transaction) throws SQLException {
    if (semantics.snapshot() != Snapshot.FIRST_READ || semantics.reads() != Visibility.SNAPSHOT) {
      return false;
    }
    List<Read> reads = transaction.reads;
    View empty = new View(Map.of());
    for (int first = 1; first < reads.size(); first++) {
      Read before = reads.get(first - 1);
      if (!isSame(before.outcome(), scratch.execute(before.shape().sql(), empty, false))) {
        return false;
      }
      int moment = reads.get(first).moment();
      boolean explains = true;
      for (Read read : reads.subList(first, reads.size())) {
        View view =
            versions.view(
                (table, version) ->
                    version.writer() == transaction.writer
                        ? version.number() <= read.ownUpTo()
                        : version.writer().isCommittedBefore(moment));
        explains &= isSame(read.outcome(), scratch.execute(read.shape().sql(), view, false));
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

  private void lockingRead(StepOutcome outcome, Shape shape, Transaction transaction)
      throws SQLException, EndException {
    View view = view(semantics.writes(), transaction, outcome);
    Optional<String> locked = shape.locked(Scratch.rowColumn());
    Optional<String> table = scratch.table(shape.table());
    if (locked.isEmpty() || table.isEmpty()) {
      if (outcome.blocked() || semantics.reads() != semantics.writes()) {
        throw undecided(outcome, "which rows it locks is not clear");
      }
    } else {
      Set<Long> rows = scratch.numbers(locked.get(), view);
      view = recheck(outcome, shape, transaction, view, Map.of(table.get(), rows));
      requireMayTouch(outcome, transaction, table.get(), scratch.numbers(locked.get(), view));
    }
    Scratch.Result expected = scratch.execute(shape.sql(), view, false);
    requireSuccess(expected, outcome);
    compare(outcome, expected.rows());
  }

  private void write(StepOutcome outcome, Shape shape, Transaction transaction)
      throws SQLException, EndException {
    String table =
        scratch
            .table(shape.table())
            .orElseThrow(() -> undecided(outcome, "no table '" + shape.table() + "'"));
    if (outcome.blocked() && shape.hasSubquery()) {
      throw undecided(outcome, "it waited, and when its subquery was answered is not known");
    }
    if (shape.resolvesConflicts()
        && semantics.writes() != Visibility.COMMITTED
        && !view(semantics.writes(), transaction, outcome)
            .equals(view(Visibility.COMMITTED, transaction, outcome))) {
      throw undecided(outcome, "keys are compared with rows that it does not see");
    }
    requireKnownRelatives(outcome, transaction, table);
    boolean othersUnlocked = shape.kind() != Shape.Kind.DELETE && shape.hasSubquery();
    View view =
        othersUnlocked
            ? view(
                semantics.writes(), table, semantics.sameTransactionReads(), transaction, outcome)
            : view(semantics.writes(), transaction, outcome);
    String sql = scratch.adapted(shape, shape.touching(Scratch.touchedColumn()));
    Scratch.Result expected = scratch.execute(sql, view, true);
    if (expected.error().isEmpty()) {
      Map<String, Set<Long>> touched = touched(view, expected);
      View rechecked = recheck(outcome, shape, transaction, view, touched);
      if (!rechecked.equals(view)) {
        view = rechecked;
        expected = scratch.execute(sql, view, true);
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
      throw violation(outcome, "#" + expected.count());
    }
    note(transaction.writer, expected, touched);
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
      throw undecided(outcome, "it waited, and what its foreign keys then met is not known");
    }
    View seen = view(semantics.writes(), transaction, outcome);
    View committed = view(Visibility.COMMITTED, transaction, outcome);
    if (relatives.stream().anyMatch(other -> !seen.rows(other).equals(committed.rows(other)))) {
      throw undecided(outcome, "foreign keys are checked by rows that it does not see");
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

  /**
   * The view of a statement that waited, with the rows that it chose as they are now; the same view
   * if none of them was changed meanwhile, or if that is not how this level goes on.
   */
  private View recheck(
      StepOutcome outcome,
      Shape shape,
      Transaction transaction,
      View view,
      Map<String, Set<Long>> chosen)
      throws EndException {
    if (semantics.writes() != Visibility.RECHECKED || !outcome.blocked()) {
      return view;
    }
    BiPredicate<String, Version> then = seen(Visibility.RECHECKED, transaction, outcome);
    BiPredicate<String, Version> today = seen(Visibility.COMMITTED, transaction, outcome);
    Map<String, Set<Long>> changed = new HashMap<>();
    chosen.forEach(
        (table, rows) ->
            rows.forEach(
                row -> {
                  Optional<Version> before =
                      versions.newest(table, row, version -> then.test(table, version));
                  Optional<Version> after =
                      versions.newest(table, row, version -> today.test(table, version));
                  if (!before.equals(after)) {
                    changed.computeIfAbsent(table, first -> new HashSet<>()).add(row);
                  }
                }));
    if (shape.kind() == Shape.Kind.UPSERT) {
      throw undecided(outcome, "it waited, and what it then met is not known");
    }
    if (changed.isEmpty()) {
      return view;
    }
    Map<String, TreeMap<Long, List<@Nullable Object>>> tables = new HashMap<>();
    view.tables().forEach((table, rows) -> tables.put(table, new TreeMap<>(rows)));
    changed.forEach(
        (table, rows) ->
            rows.forEach(
                row -> {
                  TreeMap<Long, List<@Nullable Object>> of =
                      Objects.requireNonNull(tables.get(table));
                  of.remove(row);
                  versions
                      .newest(table, row, version -> today.test(table, version))
                      .map(Version::data)
                      .ifPresent(data -> of.put(row, data));
                }));
    return new View(tables);
  }

  // What must not be.

  /** Nobody may write or lock a row that another one has changed and not yet committed. */
  private void requireMayTouch(
      StepOutcome outcome, Transaction transaction, String table, Set<Long> rows)
      throws EndException {
    for (long row : rows) {
      Version newest = versions.newest(table, row).orElseThrow();
      if (newest.writer() != transaction.writer && !newest.writer().isCommitted()) {
        throw violated(
            outcome,
            "; it had to wait for a transaction that had written a row of "
                + table
                + " and not ended");
      }
      int snapshot = transaction.snapshot;
      if (semantics.firstUpdaterWins()
          && snapshot != NONE
          && newest.writer() != transaction.writer
          && !newest.writer().isCommittedBefore(snapshot)
          && isOther(newest, table, row, snapshot)) {
        throw violated(
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

  /** A query that locks what it reads must not hang on what is not committed. */
  private void requireNoDirtyDifference(
      StepOutcome outcome, Shape shape, Transaction transaction, Scratch.Result expected)
      throws SQLException, EndException {
    Scratch.Result dirty =
        scratch.execute(shape.sql(), view(Visibility.DIRTY, transaction, outcome), false);
    if (dirty.error().isEmpty() && !bag(dirty.rows()).equals(bag(expected.rows()))) {
      throw violated(outcome, "; it had to wait for a transaction that had changed what it reads");
    }
  }

  private void requireSuccess(Scratch.Result expected, StepOutcome outcome) throws EndException {
    if (expected.error().isPresent()) {
      throw undecided(outcome, "by itself it fails: " + expected.error().get());
    }
  }

  private void compare(StepOutcome outcome, List<List<@Nullable Object>> expected)
      throws EndException {
    if (!bag(outcome.rows()).equals(bag(expected))) {
      throw violation(outcome, Values.bag(expected).toString());
    }
  }

  private List<String> bag(List<List<@Nullable Object>> rows) {
    List<String> bag = Values.bag(rows);
    return caseBlind
        ? bag.stream().map(line -> line.toLowerCase(Locale.ROOT)).sorted().toList()
        : bag;
  }

  private void compareFinalState() throws SQLException, EndException {
    View state = versions.view((table, version) -> version.writer().isCommitted());
    for (StepOutcome read : execution.finalReads()) {
      Shape shape = Shape.of(read.step().sql());
      if (shape.hangsOnOrder() || (!scratch.isHidden() && shape.countsColumns())) {
        continue;
      }
      Scratch.Result expected = scratch.execute(shape.sql(), state, false);
      requireSuccess(expected, read);
      compare(read, expected.rows());
    }
  }

  private static EndException violation(StepOutcome outcome, String expected) {
    return violated(outcome, ", on its view it gives " + expected);
  }

  private static EndException violated(StepOutcome outcome, String what) {
    return new EndException(
        Result.VIOLATION,
        told(outcome) + what,
        Optional.of(outcome.step()).filter(step -> step.id() > 0));
  }

  private static EndException undecided(StepOutcome outcome, String why) {
    return new EndException(
        Result.UNDECIDED,
        outcome.step().session() + ": " + outcome.step().sql() + ": " + why,
        Optional.of(outcome.step()));
  }

  private static String told(StepOutcome outcome) {
    return "'"
        + outcome.step().session()
        + ": "
        + outcome.step().sql()
        + "' gave "
        + (outcome.isQuery() ? Values.bag(outcome.rows()) : "#" + outcome.updateCount());
  }
}
