package io.txwatch.oracle.known;

import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutedTransaction;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The order of single writes that follows from what they read, if each one sees what was committed
 * when it began. A write that searches a table precedes the writes of other transactions to that
 * table that committed later, and follows those that had committed. If this contradicts the order
 * within the transactions, no serial order of the statements exists, and a level that permits the
 * reads permits the result. A write that a constraint rejected has written nothing but has read the
 * conflicting rows, possibly in a table that a foreign key relates.
 *
 * <p>The order is by table, not by row, so it errs towards a contradiction. What a blocked
 * statement read is left out, because it read at two points in time.
 */
final class WriteOrder {

  /** For each statement id, the ids of the statements that follow it. */
  private final Map<Integer, Set<Integer>> before = new HashMap<>();

  private final ForeignKeyGraph references;

  /**
   * A write of a committed transaction.
   *
   * @param position its position in the order of completion
   */
  private record Write(ExecutedTransaction transaction, StepOutcome outcome, int position) {}

  private WriteOrder(CaseExecution execution) {
    this.references = ForeignKeyGraph.of(execution.testCase().setup());
  }

  /** True if no order of the committed writes is consistent with what they read. */
  static boolean isContradictory(CaseExecution execution) {
    List<Write> writes = new ArrayList<>();
    execution.transactions().stream()
        .filter(ExecutedTransaction::committed)
        .forEach(transaction -> addWrites(execution, transaction, writes));
    WriteOrder order = new WriteOrder(execution);
    for (Write earlier : writes) {
      for (Write later : writes) {
        if (earlier.position() < later.position()) {
          order.put(earlier, later, end(execution, earlier.transaction()));
        }
      }
    }
    Set<Integer> done = new HashSet<>();
    return order.before.keySet().stream()
        .anyMatch(id -> order.isOnCycle(id, new HashSet<>(), done));
  }

  private static void addWrites(
      CaseExecution execution, ExecutedTransaction transaction, List<Write> writes) {
    transaction.work().stream()
        .map(execution::outcome)
        .filter(outcome -> outcome.succeeded() || wasRejectedByConstraint(outcome))
        .filter(outcome -> !StatementText.isQuery(outcome.step().sql()))
        .map(outcome -> new Write(transaction, outcome, position(execution, outcome)))
        .forEach(writes::add);
  }

  /** True if a constraint rejected it (SQLSTATE class 23). */
  private static boolean wasRejectedByConstraint(StepOutcome outcome) {
    return outcome.status() == StepOutcome.Status.ERROR && outcome.sqlState().startsWith("23");
  }

  private static int position(CaseExecution execution, StepOutcome outcome) {
    return execution.order().indexOf(outcome.step().id());
  }

  private static int end(CaseExecution execution, ExecutedTransaction transaction) {
    return position(
        execution, execution.outcome(transaction.steps().get(transaction.steps().size() - 1)));
  }

  /**
   * Adds the order of two writes that completed one after the other.
   *
   * @param end the position at which the transaction of the earlier write ended
   */
  private void put(Write earlier, Write later, int end) {
    StepOutcome first = earlier.outcome();
    StepOutcome second = later.outcome();
    boolean same = earlier.transaction().equals(later.transaction());
    boolean seen = same || end < later.position();
    boolean readsFirst = !second.blocked() && reads(second, first);
    if (same || reads(first, second) || (seen && readsFirst)) {
      put(first, second);
    }
    if (!seen && readsFirst) {
      put(second, first);
    }
  }

  private void put(StepOutcome first, StepOutcome second) {
    before.computeIfAbsent(first.step().id(), none -> new HashSet<>()).add(second.step().id());
  }

  /** True if the reader searches the table that the writer writes. */
  private boolean reads(StepOutcome reader, StepOutcome writer) {
    SqlText text = SqlText.of(reader.step().sql());
    return writer.succeeded()
        && SqlText.of(writer.step().sql()).writes().stream()
            .map(SqlText.Write::table)
            .anyMatch(
                table ->
                    wasRejectedByConstraint(reader)
                        ? text.hasName(table) || isRelated(text, table)
                        : !isPlainInsert(text) && text.hasName(table));
  }

  /** True if it reads no rows: an INSERT of values without a conflict clause. */
  private static boolean isPlainInsert(SqlText text) {
    return text.startsWith("INSERT", "INTO") && !text.hasAny("SELECT", "CONFLICT", "DUPLICATE");
  }

  /** True if a foreign key relates the table that a statement writes to the other table. */
  private boolean isRelated(SqlText text, String table) {
    return text.writes().stream()
        .anyMatch(write -> references.relatedTables(write.table()).contains(table));
  }

  private boolean isOnCycle(int id, Set<Integer> path, Set<Integer> done) {
    if (done.contains(id)) {
      return false;
    }
    if (!path.add(id)) {
      return true;
    }
    for (int next : before.getOrDefault(id, Set.of())) {
      if (isOnCycle(next, path, done)) {
        return true;
      }
    }
    path.remove(id);
    done.add(id);
    return false;
  }
}
