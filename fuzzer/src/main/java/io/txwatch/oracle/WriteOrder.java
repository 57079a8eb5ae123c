package io.txwatch.oracle;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutedTransaction;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.StatementText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * In which order single writes stand by what they saw, where each sees what was committed when it
 * began: one that looks for rows stands before those of others that write the same table and had
 * not committed then, or came later, and behind those that had. Where these and the order of each
 * transaction contradict each other, no order of the statements need explain what is left behind,
 * and the level has it so. A write that a key refused has written nothing, and has looked at what
 * was in its way, be it in a table that a foreign key ties to its own.
 *
 * <p>Of tables and not of rows: it errs towards contradiction. Of what a statement saw that waited
 * nothing is said: it is of two moments.
 */
final class WriteOrder {

  private static final Pattern WRITTEN =
      Pattern.compile("(?i)\\b(?:INTO|UPDATE|DELETE\\s+FROM)\\s+([\\w\"`.]+)");

  /** What looks at no row: an INSERT of values that says nothing of what is in its way. */
  private static final Pattern PLAIN_INSERT =
      Pattern.compile("(?is)^\\s*INSERT\\s+INTO\\b(?!.*\\b(SELECT|CONFLICT|DUPLICATE)\\b).*");

  /** By a statement's number, those that it stands before. */
  private final Map<Integer, Set<Integer>> before = new HashMap<>();

  private final ForeignKeyGraph references;

  private WriteOrder(CaseExecution execution) {
    this.references = ForeignKeyGraph.of(execution.testCase().setup());
  }

  /** True if what the writes of committed transactions saw allows no order of them. */
  static boolean isContradictory(CaseExecution execution) {
    WriteOrder order = new WriteOrder(execution);
    List<ExecutedTransaction> transactions =
        execution.transactions().stream().filter(ExecutedTransaction::committed).toList();
    for (ExecutedTransaction first : transactions) {
      for (StepOutcome earlier : writes(execution, first)) {
        for (ExecutedTransaction second : transactions) {
          for (StepOutcome later : writes(execution, second)) {
            if (position(execution, earlier) < position(execution, later)) {
              boolean same = first.equals(second);
              boolean seen = same || end(execution, first) < position(execution, later);
              order.put(earlier, later, seen, same);
            }
          }
        }
      }
    }
    Set<Integer> done = new HashSet<>();
    return order.before.keySet().stream()
        .anyMatch(id -> order.isOnCycle(id, new HashSet<>(), done));
  }

  private static List<StepOutcome> writes(
      CaseExecution execution, ExecutedTransaction transaction) {
    List<StepOutcome> writes = new ArrayList<>();
    transaction.work().stream()
        .map(execution::outcome)
        .filter(outcome -> outcome.succeeded() || wasRejectedByConstraint(outcome))
        .filter(outcome -> !StatementText.isQuery(outcome.step().sql()))
        .forEach(writes::add);
    return writes;
  }

  /** True if a constraint refused it (SQLSTATE class 23), and its transaction went on. */
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

  private void put(StepOutcome earlier, StepOutcome later, boolean seen, boolean same) {
    if (same || reads(earlier, later) || (seen && !later.blocked() && reads(later, earlier))) {
      put(earlier, later);
    }
    if (!seen && !later.blocked() && reads(later, earlier)) {
      put(later, earlier);
    }
  }

  private void put(StepOutcome first, StepOutcome second) {
    before.computeIfAbsent(first.step().id(), none -> new HashSet<>()).add(second.step().id());
  }

  /** True if one looks for rows in the table that the other one writes. */
  private boolean reads(StepOutcome reader, StepOutcome writer) {
    String sql = reader.step().sql();
    Matcher written = WRITTEN.matcher(writer.step().sql());
    if (!writer.succeeded() || !written.find()) {
      return false;
    }
    String table = written.group(1);
    return wasRejectedByConstraint(reader)
        ? namesTable(sql, table) || isRelated(sql, table)
        : !PLAIN_INSERT.matcher(sql).matches() && namesTable(sql, table);
  }

  private static boolean namesTable(String sql, String table) {
    return Pattern.compile("(?i)\\b" + Pattern.quote(table) + "\\b").matcher(sql).find();
  }

  /** True if a foreign key ties the table that a statement writes to that one. */
  private boolean isRelated(String sql, String table) {
    Matcher written = WRITTEN.matcher(sql);
    return written.find()
        && references.relatedTables(written.group(1)).stream().anyMatch(table::equalsIgnoreCase);
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
