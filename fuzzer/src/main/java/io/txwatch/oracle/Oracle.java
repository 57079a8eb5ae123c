package io.txwatch.oracle;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import java.sql.SQLException;

/** Says whether a DBMS did what it must. */
public interface Oracle {

  /** Its name, as users type it. */
  String name();

  /** True if it judges by what watched connections tell. */
  default boolean needsWatchedConnections() {
    return false;
  }

  /**
   * Judges an execution.
   *
   * @param executor where it may try out other schedules of the same statements
   */
  OracleVerdict judge(CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;
}
