package io.txwatch.oracle;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.Execution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;

/** Where an oracle tries out what a DBMS does with a case of the oracle's own making. */
public interface Laboratory {

  /** The DBMS. */
  Dbms dbms();

  /** Executes a case in an empty workspace. */
  Execution execute(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;
}
