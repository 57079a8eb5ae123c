package io.txwatch.oracle;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.Sandbox;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;

/** Where an oracle tries out what a DBMS does with a case of the oracle's own making. */
public interface CaseExecutor {

  /** The DBMS. */
  Dbms dbms();

  /** Executes a case in an empty workspace. */
  CaseExecution execute(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;

  /** The same on watched connections: the execution holds their events. */
  CaseExecution executeWatched(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;

  /** Executes a case as that oracle wants to see it. */
  default CaseExecution execute(TestCase testCase, IsolationLevel level, Oracle oracle)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return oracle.needsWatchedConnections()
        ? executeWatched(testCase, level)
        : execute(testCase, level);
  }

  /** Tables of a case for statements one by one. */
  Sandbox sandbox() throws SQLException;
}
