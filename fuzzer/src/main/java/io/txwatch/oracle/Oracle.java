package io.txwatch.oracle;

import io.txwatch.schedule.Execution;
import io.txwatch.schedule.ScheduleExecutor;
import java.sql.SQLException;

/** Says whether a DBMS did what it must. */
public interface Oracle {

  /** Its name, as users type it. */
  String name();

  /** True if it judges by what watched connections tell. */
  default boolean watches() {
    return false;
  }

  /**
   * Judges an execution.
   *
   * @param laboratory where it may try out other schedules of the same statements
   */
  Verdict judge(Execution execution, Laboratory laboratory)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;
}
