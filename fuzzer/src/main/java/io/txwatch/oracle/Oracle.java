package io.txwatch.oracle;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;

/** Decides whether a DBMS behaved correctly. */
public interface Oracle {

  /** Its name, as users type it. */
  String name();

  /** True if it needs the events of watched connections. */
  default boolean needsWatchedConnections() {
    return false;
  }

  /** True if it judges cases that are generated from anomaly patterns. */
  default boolean needsPatterns() {
    return false;
  }

  /** True if a campaign should let it judge this case; its judgement takes further executions. */
  default boolean judges(TestCase testCase) {
    return true;
  }

  /** True if it judges cases whose sessions have different levels. */
  default boolean judgesMixedLevels() {
    return true;
  }

  /**
   * Of how many groups of cases it judges one if others judge them as well: more than 1 if its
   * executions would take most of the time. Cases of its own kind are all judged. An odd number,
   * because the kinds of cases alternate.
   */
  default int mixInterval() {
    return 1;
  }

  /**
   * Judges an execution.
   *
   * @param executor executes other schedules of the same statements
   */
  OracleVerdict judge(CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;
}
