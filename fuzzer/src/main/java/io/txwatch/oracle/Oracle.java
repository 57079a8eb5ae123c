package io.txwatch.oracle;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import java.sql.SQLException;

/** Decides whether a DBMS behaved correctly. */
public interface Oracle {

  /** Its name, as users type it. */
  String name();

  /** True if it needs the events of watched connections. */
  default boolean needsWatchedConnections() {
    return false;
  }

  /**
   * Judges an execution.
   *
   * @param executor executes other schedules of the same statements
   */
  OracleVerdict judge(CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;
}
