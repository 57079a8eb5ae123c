package io.txwatch.oracle.log;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.StepTimes;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A committed transaction of a case: an explicit one, or a statement in autocommit mode.
 *
 * @param begin when it began explicitly; empty in autocommit mode
 * @param work the outcomes of its statements, of those that failed, too
 * @param commit when it committed
 */
record CaseTransaction(
    Optional<StepTimes.Interval> begin, List<StepOutcome> work, StepTimes.Interval commit) {

  /** The committed transactions of an execution, session by session. */
  static List<CaseTransaction> of(CaseExecution execution, StepTimes times) {
    List<CaseTransaction> committed = new ArrayList<>();
    for (String session : execution.testCase().sessions()) {
      StepTimes.@Nullable Interval begin = null;
      List<StepOutcome> work = new ArrayList<>();
      for (StepOutcome outcome : execution.outcomes()) {
        Step step = outcome.step();
        if (!step.session().equals(session)) {
          continue;
        }
        Optional<StepTimes.Interval> time = times.of(step);
        boolean isDone = outcome.succeeded() && time.isPresent();
        if (step.role() == Step.Role.WORK) {
          work.add(outcome);
        }
        if (step.role() == Step.Role.BEGIN && isDone) {
          begin = time.get();
          work.clear();
        } else if (begin == null || step.role() == Step.Role.COMMIT) {
          if (isDone && !work.isEmpty()) {
            committed.add(
                new CaseTransaction(Optional.ofNullable(begin), List.copyOf(work), time.get()));
          }
          begin = null;
          work.clear();
        } else if (step.role() == Step.Role.ROLLBACK || endsTransaction(outcome)) {
          begin = null;
          work.clear();
        }
      }
    }
    return committed;
  }

  private static boolean endsTransaction(StepOutcome outcome) {
    return outcome.failure() != null && outcome.failure().endsTransaction();
  }

  /** True if it may have written a row before a statement; before its end if null. */
  @SuppressWarnings("ReferenceEquality") // another execution may be equal
  boolean mayWriteBefore(@Nullable StepOutcome statement) {
    for (StepOutcome each : work) {
      if (each == statement) {
        return false;
      }
      if (!StatementText.isQuery(each.step().sql()) && !isSavepoint(each.step().sql())) {
        return true;
      }
    }
    return false;
  }

  /** True if it may have rolled back a part of what it wrote. */
  boolean hasSavepoints() {
    return work.stream().anyMatch(each -> isSavepoint(each.step().sql()));
  }

  private static boolean isSavepoint(String sql) {
    return SqlText.of(sql).startsWithAny("SAVEPOINT", "ROLLBACK", "RELEASE");
  }

  /** True if the log has certainly a row of it: an INSERT or DELETE of rows was executed. */
  boolean isCertainlyLogged(Set<String> tables) {
    return !hasSavepoints()
        && work.stream()
            .filter(each -> each.succeeded() && each.updateCount() > 0)
            .map(each -> SqlText.of(each.step().sql()))
            .filter(text -> !text.hasAny("DUPLICATE", "CONFLICT"))
            .flatMap(text -> text.writes().stream().limit(1))
            .anyMatch(
                write ->
                    write.at() == 0
                        && write.is("INSERT", "DELETE")
                        && tables.contains(write.table()));
  }
}
