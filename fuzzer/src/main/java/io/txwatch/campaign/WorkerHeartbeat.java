package io.txwatch.campaign;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.Sandbox;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.time.Duration;

/**
 * By this another thread can tell for how long a worker has been at one thing. Whatever is done in
 * a laboratory is done within seconds, for cases that do not come to rest are given up: only a DBMS
 * that does not answer at all makes it longer.
 */
final class WorkerHeartbeat {

  private volatile long last = System.nanoTime();
  private volatile long number = -1;

  /** The worker turns to a case. */
  void begin(long number) {
    this.number = number;
    last = System.nanoTime();
  }

  /** The case that it turned to last; -1 before the first. */
  long number() {
    return number;
  }

  /** For how long no case has begun, and nothing in the laboratory has ended. */
  Duration silence() {
    return Duration.ofNanos(System.nanoTime() - last);
  }

  private <T> T beat(T result) {
    last = System.nanoTime();
    return result;
  }

  /** The worker's laboratory. */
  CaseExecutor monitoring(CaseExecutor executor) {
    return new CaseExecutor() {
      @Override
      public Dbms dbms() {
        return executor.dbms();
      }

      @Override
      public CaseExecution execute(TestCase testCase, IsolationLevel level)
          throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
        return beat(executor.execute(testCase, level));
      }

      @Override
      public CaseExecution executeWatched(TestCase testCase, IsolationLevel level)
          throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
        return beat(executor.executeWatched(testCase, level));
      }

      @Override
      public Sandbox sandbox() throws SQLException {
        return beat(executor.sandbox());
      }
    };
  }
}
