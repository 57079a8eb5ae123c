package io.txwatch.oracle;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.Execution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** Where an oracle tries out what a DBMS does with a case of the oracle's own making. */
public interface Laboratory {

  /** The DBMS. */
  Dbms dbms();

  /** Executes a case in an empty workspace. */
  Execution execute(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;

  /**
   * A session in a workspace with the tables of a case, set up; for statements one by one, up to
   * the next execution.
   */
  Connection setUp(TestCase testCase) throws SQLException, ScheduleExecutor.SetupException;

  /** The names of the tables that are there, as statements spell them, sorted. */
  List<String> tables() throws SQLException;

  /** The one that an executor makes. */
  static Laboratory of(Dbms dbms, ScheduleExecutor executor) {
    return new Laboratory() {
      @Override
      public Dbms dbms() {
        return dbms;
      }

      @Override
      public Execution execute(TestCase testCase, IsolationLevel level)
          throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
        return executor.execute(testCase, level);
      }

      @Override
      public Connection setUp(TestCase testCase)
          throws SQLException, ScheduleExecutor.SetupException {
        return executor.setUp(testCase);
      }

      @Override
      public List<String> tables() throws SQLException {
        return executor.tables();
      }
    };
  }
}
