package io.txwatch.oracle;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.FreeExecution;
import io.txwatch.schedule.LoggedExecution;
import io.txwatch.schedule.Sandbox;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StatementProbe;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;

/** Executes cases on a DBMS for oracles. */
public interface CaseExecutor {

  Dbms dbms();

  /** The DBMS with the settings of the case. */
  default Database database(TestCase testCase) {
    return dbms().database().with(testCase.settings());
  }

  /** Executes a case in an empty workspace. */
  CaseExecution execute(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;

  /** The same on watched connections: the execution has their events. */
  CaseExecution executeWatched(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;

  /**
   * Executes a case on watched connections, each of whose sessions sends its next step as soon as
   * the previous one has returned.
   */
  FreeExecution executeFreely(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;

  /**
   * Executes a case with further definitions, in a workspace that keeps its tables for the next.
   */
  CaseExecution executeRecorded(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;

  /**
   * Executes a case whose tables and statements were instrumented, in workspaces for such cases.
   *
   * @param probe sends reads around the statements
   */
  CaseExecution executeInstrumented(TestCase testCase, IsolationLevel level, StatementProbe probe)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;

  /** Executes a case on a DBMS that has a log, which is read meanwhile. */
  LoggedExecution executeLogged(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;

  /** Executes a case on the connections that the oracle needs. */
  default CaseExecution execute(TestCase testCase, IsolationLevel level, Oracle oracle)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return oracle.needsWatchedConnections() && dbms().whyUnwatchable().isEmpty()
        ? executeWatched(testCase, level)
        : execute(testCase, level);
  }

  /** The tables of a case for single statements. */
  Sandbox sandbox() throws SQLException;
}
