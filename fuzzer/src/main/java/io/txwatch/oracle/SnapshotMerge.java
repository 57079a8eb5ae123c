package io.txwatch.oracle;

import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutedTransaction;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Decides whether snapshot isolation explains the final state of an execution.
 *
 * <p>Each committed transaction is executed alone on its snapshot: after the transactions that had
 * committed before, and no others. What it adds to and removes from the bag of a table's rows is
 * its change. Two transactions that overlap cannot commit changes of the same row (the first to
 * update or to commit it wins), so the final state is the initial one with all changes, in any
 * order. Rows need no identity for this: a row that two transactions removed is missing once too
 * often, whichever of several equal rows it was.
 *
 * <p>When exactly a transaction takes its snapshot differs by DBMS: it is between BEGIN and the end
 * of its first statement, and all possibilities are tried. An execution is contradicted only if
 * none explains it and nothing else can.
 */
final class SnapshotMerge {

  /** The most combinations of snapshots that are tried. */
  private static final int MAX_COMBINATIONS = 72;

  private static final String[] ORDER_DEPENDENT = {
    "LIMIT",
    "FETCH",
    "TOP",
    "ROWNUM",
    "OVER",
    "STRING_AGG",
    "GROUP_CONCAT",
    "LISTAGG",
    "ARRAY_AGG",
    "ANY_VALUE",
    "FIRST",
    "LAST"
  };
  private static final String[] KEY_DEPENDENT = {
    "CONFLICT", "IGNORE", "REPLACE", "MERGE", "DUPLICATE"
  };
  private static final String[] INEXACT = {"FLOAT", "FLOAT4", "FLOAT8", "DOUBLE", "REAL"};
  private static final String[] SUMS = {"SUM", "AVG"};

  /** Executes steps in one session, one transaction after another. */
  @FunctionalInterface
  interface SerialRuns {
    CaseExecution run(List<Step> steps)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException;
  }

  /** The decision, with its reason. */
  record Decision(Result result, String reason) {}

  private final CaseExecution execution;
  private final SerialRuns runs;
  private final Map<Integer, Integer> positions = new HashMap<>();
  private final boolean hadBlocking;
  private final boolean excludesConflicts;
  private final boolean reportsConflicts;

  /** The committed transactions that may write, in the order of their commits. */
  private final List<ExecutedTransaction> writers;

  private SnapshotMerge(
      CaseExecution execution,
      List<ExecutedTransaction> committed,
      SerialRuns runs,
      boolean excludesConflicts,
      boolean reportsConflicts) {
    this.execution = execution;
    this.excludesConflicts = excludesConflicts;
    this.reportsConflicts = reportsConflicts;
    this.runs = runs;
    this.writers =
        committed.stream()
            .filter(t -> t.work().stream().anyMatch(step -> !StatementText.isQuery(step.sql())))
            .toList();
    execution.order().forEach(id -> positions.put(id, positions.size()));
    this.hadBlocking = execution.hadBlocking();
  }

  /**
   * The decision on an execution: explained (clean), contradicted (a violation) or undecided.
   *
   * @param committed its committed transactions, in the order of their commits
   * @param excludesConflicts true if of two transactions that change the same row one must fail;
   *     otherwise nothing else is contradicted
   * @param reportsConflicts true if it is contradicted that both have changed it
   */
  static Decision of(
      CaseExecution execution,
      List<ExecutedTransaction> committed,
      SerialRuns runs,
      boolean excludesConflicts,
      boolean reportsConflicts)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return new SnapshotMerge(execution, committed, runs, excludesConflicts, reportsConflicts)
        .decide();
  }

  private Decision decide()
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    if (!execution.testCase().finals().stream().allMatch(SnapshotMerge::readsWholeTable)) {
      return undecided("the final state is not read as whole tables");
    }
    List<List<Integer>> combinations = combinations();
    if (combinations.size() > MAX_COMBINATIONS) {
      return undecided("more than " + MAX_COMBINATIONS + " combinations of snapshots");
    }
    Optional<String> unknown = Optional.empty();
    String contradiction = "";
    for (List<Integer> snapshots : combinations) {
      Decision decision = tryOut(snapshots);
      switch (decision.result()) {
        case CLEAN -> {
          return decision;
        }
        case VIOLATION -> contradiction = decision.reason();
        case UNDECIDED, UNSUPPORTED -> unknown = Optional.of(decision.reason());
      }
    }
    Optional<String> doubt = unknown.or(this::doubt);
    return doubt.isPresent()
        ? undecided(doubt.get())
        : new Decision(Result.VIOLATION, contradiction);
  }

  private static Decision undecided(String reason) {
    return new Decision(Result.UNDECIDED, reason);
  }

  private static boolean readsWholeTable(String sql) {
    SqlText text = SqlText.of(sql);
    return text.startsWith("SELECT")
        && text.tokens().isOperator(1, '*')
        && text.tokens().isWord(2, "FROM")
        && text.tokens().nameEnd(3) == text.tokens().count();
  }

  /** For each writer, how many of the first commits its snapshot contains; all combinations. */
  private List<List<Integer>> combinations() {
    List<List<Integer>> combinations = List.of(List.of());
    for (int i = 0; i < writers.size() && combinations.size() <= MAX_COMBINATIONS; i++) {
      List<List<Integer>> longer = new ArrayList<>();
      for (List<Integer> shorter : combinations) {
        for (int count = earliest(i); count <= latest(i); count++) {
          List<Integer> combination = new ArrayList<>(shorter);
          combination.add(count);
          longer.add(combination);
        }
      }
      combinations = longer;
    }
    return combinations;
  }

  /** Where nothing is blocked, a statement sees all that completed before it was sent. */
  private int earliest(int writer) {
    ExecutedTransaction transaction = writers.get(writer);
    return transaction.explicit() || !hadBlocking
        ? commitsBefore(transaction.steps().get(0), writer)
        : 0;
  }

  private int latest(int writer) {
    Step first =
        writers.get(writer).work().stream()
            .filter(step -> !SqlText.of(step.sql()).isSavepoint())
            .findFirst()
            .orElseThrow();
    return commitsBefore(first, writer);
  }

  private int commitsBefore(Step step, int writer) {
    int position = position(step);
    int count = 0;
    while (count < writer && position(commitOf(writers.get(count))) < position) {
      count++;
    }
    return count;
  }

  private static Step commitOf(ExecutedTransaction transaction) {
    return transaction.steps().get(transaction.steps().size() - 1);
  }

  private int position(Step step) {
    return positions.getOrDefault(step.id(), Integer.MAX_VALUE);
  }

  /** Merges the changes of the writers, each on the snapshot with so many commits. */
  private Decision tryOut(List<Integer> snapshots)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    CaseExecution initial = runs.run(List.of());
    if (initial.undecided().isPresent()) {
      return undecided("a serial run is undecided: " + initial.undecided().get());
    }
    List<Map<String, Integer>> start = bags(initial);
    List<List<Map<String, Integer>>> changes = new ArrayList<>();
    String countDifference = "";
    for (int i = 0; i < writers.size(); i++) {
      List<ExecutedTransaction> visible = writers.subList(0, snapshots.get(i));
      CaseExecution before = runs.run(steps(visible));
      List<Step> withOwn = new ArrayList<>(steps(visible));
      withOwn.addAll(writers.get(i).steps());
      CaseExecution after = runs.run(withOwn);
      if (before.undecided().or(after::undecided).isPresent()) {
        return undecided(
            "a serial run is undecided: " + before.undecided().or(after::undecided).get());
      }
      List<Map<String, Integer>> snapshot = merged(start, changes.subList(0, snapshots.get(i)));
      if (!bags(before).equals(snapshot)) {
        return undecided("no serial order leads to a snapshot");
      }
      for (Step step : writers.get(i).work()) {
        StepOutcome real = execution.outcome(step);
        StepOutcome alone = after.outcome(step);
        if (real.succeeded() != alone.succeeded()) {
          return undecided("a statement fails only in one of the executions; '" + step.sql() + "'");
        }
        if (real.updateCount() != alone.updateCount() && !real.isQuery()) {
          countDifference =
              String.format(
                  Locale.ROOT,
                  "'%s' changed %d rows, on its snapshot %d",
                  step.sql(),
                  real.updateCount(),
                  alone.updateCount());
        }
      }
      changes.add(sum(bags(after), snapshot, -1));
    }
    if (!countDifference.isEmpty() && !reportsConflicts) {
      return new Decision(Result.VIOLATION, countDifference);
    }
    List<Map<String, Integer>> expected = merged(start, changes);
    if (bags(execution).equals(expected)) {
      return new Decision(Result.CLEAN, "the changes of each transaction on its snapshot");
    }
    Optional<String> changedTwice = rowChangedTwice(expected);
    if (reportsConflicts && changedTwice.isEmpty()) {
      return undecided("no row was changed by two transactions");
    }
    return new Decision(
        Result.VIOLATION,
        changedTwice
                .map(row -> "two committed transactions changed the row " + row)
                .orElse("the changes of each transaction on its snapshot give " + expected)
            + "; final state "
            + execution.finalState());
  }

  /** A row that was removed more often than it existed. */
  private static Optional<String> rowChangedTwice(List<Map<String, Integer>> expected) {
    return expected.stream()
        .flatMap(bag -> bag.entrySet().stream())
        .filter(entry -> entry.getValue() < 0)
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private static List<Step> steps(List<ExecutedTransaction> transactions) {
    return transactions.stream().flatMap(transaction -> transaction.steps().stream()).toList();
  }

  /** How often each final read returned each row. */
  private static List<Map<String, Integer>> bags(CaseExecution execution) {
    List<Map<String, Integer>> bags = new ArrayList<>();
    for (List<String> rows : execution.finalState()) {
      Map<String, Integer> bag = new TreeMap<>();
      rows.forEach(row -> bag.merge(row, 1, Integer::sum));
      bags.add(bag);
    }
    return bags;
  }

  private static List<Map<String, Integer>> merged(
      List<Map<String, Integer>> start, List<List<Map<String, Integer>>> changes) {
    List<Map<String, Integer>> state = start;
    for (List<Map<String, Integer>> change : changes) {
      state = sum(state, change, 1);
    }
    return state;
  }

  private static List<Map<String, Integer>> sum(
      List<Map<String, Integer>> left, List<Map<String, Integer>> right, int sign) {
    List<Map<String, Integer>> sums = new ArrayList<>();
    for (int i = 0; i < left.size(); i++) {
      Map<String, Integer> sum = new TreeMap<>(left.get(i));
      right.get(i).forEach((row, count) -> sum.merge(row, sign * count, Integer::sum));
      sum.values().removeIf(count -> count == 0);
      sums.add(sum);
    }
    return sums;
  }

  /** Why the execution may be correct all the same. */
  private Optional<String> doubt() {
    List<String> setup = execution.testCase().setup();
    List<String> texts = new ArrayList<>(setup);
    boolean hasBlockedAutocommit = false;
    for (ExecutedTransaction writer : writers) {
      for (Step step : writer.work()) {
        texts.add(step.sql());
        hasBlockedAutocommit |= !writer.explicit() && execution.outcome(step).blocked();
      }
    }
    if (!excludesConflicts && !reportsConflicts) {
      return Optional.of("several transactions may have changed the same row");
    }
    if (hasBlockedAutocommit) {
      return Optional.of("an autocommitted statement was blocked: when it committed is unknown");
    }
    if (texts.stream().map(SqlText::of).anyMatch(SnapshotMerge::dependsOnRowOrder)) {
      return Optional.of("an effect depends on the order of rows");
    }
    if (texts.stream().anyMatch(SnapshotMerge::updatesFromJoin)) {
      return Optional.of("an UPDATE may find several rows to take a value from");
    }
    if (texts.stream().anyMatch(sql -> SqlText.of(sql).hasAny(SUMS))
        && setup.stream().anyMatch(sql -> SqlText.of(sql).hasAny(INEXACT))) {
      return Optional.of("a sum of floating-point numbers depends on the order of rows");
    }
    if (texts.stream().anyMatch(sql -> SqlText.of(sql).hasAny(KEY_DEPENDENT))) {
      return Optional.of("a statement depends on keys outside its snapshot");
    }
    return setup.stream().anyMatch(SnapshotMerge::hasForeignKeyAction)
        ? Optional.of("a foreign key changes rows outside the snapshot")
        : Optional.empty();
  }

  private static boolean dependsOnRowOrder(SqlText text) {
    return text.hasAny(ORDER_DEPENDENT) || text.has("DISTINCT", "ON");
  }

  private static boolean hasForeignKeyAction(String sql) {
    SqlText text = SqlText.of(sql);
    return text.has("ON", "DELETE") || text.has("ON", "UPDATE");
  }

  private static boolean updatesFromJoin(String sql) {
    SqlText text = SqlText.of(sql);
    return text.writes().stream().anyMatch(write -> write.is("UPDATE"))
        && (text.hasAny("JOIN") || text.hasAny("FROM") && hasOuterFrom(text));
  }

  private static boolean hasOuterFrom(SqlText text) {
    for (int at = text.indexOf(0, "FROM"); at >= 0; at = text.indexOf(at + 1, "FROM")) {
      if (text.isOutside(at)) {
        return true;
      }
    }
    return false;
  }
}
