package io.txwatch.oracle;

import io.txwatch.dbms.Failure;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Writes that read uncommitted rows, as the query of an INSERT may at READ UNCOMMITTED: no order of
 * whole statements explains what they store (WriteCheck, section 3.3).
 */
public final class DirtySources {

  private DirtySources() {}

  /**
   * True if a write with a query in it was executed while another transaction had uncommitted
   * writes.
   */
  public static boolean wroteFromUncommitted(CaseExecution execution) {
    Set<String> begun = new HashSet<>();
    Set<String> written = new HashSet<>();
    for (int id : execution.order()) {
      StepOutcome outcome = execution.outcome(id);
      Step step = outcome.step();
      switch (step.role()) {
        case BEGIN -> {
          begun.add(step.session());
          written.remove(step.session());
        }
        case COMMIT, ROLLBACK -> {
          begun.remove(step.session());
          written.remove(step.session());
        }
        case WORK -> {
          boolean others = written.stream().anyMatch(session -> !session.equals(step.session()));
          Failure failure = outcome.failure();
          boolean ran = failure == null || failure.kind() == Failure.Kind.STATEMENT;
          if (ran && others && SqlText.of(step.sql()).isWriteWithRead()) {
            return true;
          }
          boolean returnsRows = !outcome.rows().isEmpty() && !StatementText.isQuery(step.sql());
          boolean wrote = outcome.updateCount() > 0 || returnsRows;
          if (wrote && begun.contains(step.session())) {
            written.add(step.session());
          }
        }
      }
    }
    return false;
  }

  /** True if a write read tables while a write of another session was blocked, half done. */
  static boolean wroteFromPartialStatement(CaseExecution execution) {
    Map<Integer, Integer> completion = new HashMap<>();
    execution.order().forEach(id -> completion.put(id, completion.size()));
    List<StepOutcome> outcomes = execution.outcomes();
    for (int i = 0; i < outcomes.size(); i++) {
      StepOutcome blocked = outcomes.get(i);
      if (!blocked.blocked() || StatementText.isQuery(blocked.step().sql())) {
        continue;
      }
      int end = completion.getOrDefault(blocked.step().id(), Integer.MAX_VALUE);
      for (StepOutcome later : outcomes.subList(i + 1, outcomes.size())) {
        if (!later.step().session().equals(blocked.step().session())
            && completion.getOrDefault(later.step().id(), Integer.MAX_VALUE) < end
            && SqlText.of(later.step().sql()).isWriteWithRead()) {
          return true;
        }
      }
    }
    return false;
  }
}
