package io.txwatch.campaign;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.FreeExecution;
import io.txwatch.schedule.LoggedExecution;
import io.txwatch.schedule.Sandbox;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StatementProbe;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Shows other threads how long a worker's current operation has been running. Each operation of the
 * executor takes seconds at most, because cases that do not become quiescent are abandoned: only a
 * DBMS that does not respond at all takes longer.
 */
final class WorkerHeartbeat {

  private volatile long last = System.nanoTime();
  private volatile long number = -1;
  private volatile long unfinished = -1;
  private volatile @Nullable Executed executed;

  /** The last case, if its sessions were closed before they had become quiescent. */
  private volatile @Nullable Executed abandoned;

  /** A case that was given to the executor, at its level. */
  record Executed(TestCase testCase, IsolationLevel level) {}

  /**
   * Records that the worker starts a case.
   *
   * @param unfinished the first case that it has not executed and reported
   */
  void begin(long number, long unfinished) {
    this.number = number;
    this.unfinished = unfinished;
    last = System.nanoTime();
  }

  /** Records that the worker waits for another one. */
  void idle() {
    last = System.nanoTime();
  }

  /** The first case that the worker has not executed and reported; -1 before the first one. */
  long unfinished() {
    return unfinished;
  }

  /** The current case; -1 before the first one. */
  long number() {
    return number;
  }

  /** The time since a case started or an operation of the executor ended. */
  Duration silence() {
    return Duration.ofNanos(System.nanoTime() - last);
  }

  /**
   * Records that a later campaign does not repeat the current case, because the server has not
   * survived it.
   */
  void skip() {
    if (unfinished == number) {
      unfinished = number + 1;
    }
  }

  /**
   * The case because of which the server does not respond: the one before the current one, if its
   * sessions were closed while they executed something; empty before the first one.
   */
  Optional<Executed> suspect() {
    Executed before = abandoned;
    return Optional.ofNullable(before == null ? executed : before);
  }

  private void begin(TestCase testCase, IsolationLevel level) {
    executed = new Executed(testCase, level);
    last = System.nanoTime();
  }

  private CaseExecution ended(CaseExecution execution) {
    abandoned = execution.undecided().isPresent() ? executed : null;
    return beat(execution);
  }

  private <T> T beat(T result) {
    last = System.nanoTime();
    return result;
  }

  /** Wraps the worker's executor, so that each operation updates the heartbeat. */
  CaseExecutor monitoring(CaseExecutor executor) {
    return new CaseExecutor() {
      @Override
      public Dbms dbms() {
        return executor.dbms();
      }

      @Override
      public CaseExecution execute(TestCase testCase, IsolationLevel level)
          throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
        begin(testCase, level);
        return ended(executor.execute(testCase, level));
      }

      @Override
      public CaseExecution executeWatched(TestCase testCase, IsolationLevel level)
          throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
        begin(testCase, level);
        return ended(executor.executeWatched(testCase, level));
      }

      @Override
      public FreeExecution executeFreely(TestCase testCase, IsolationLevel level)
          throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
        begin(testCase, level);
        FreeExecution execution = executor.executeFreely(testCase, level);
        ended(execution.execution());
        return execution;
      }

      @Override
      public CaseExecution executeRecorded(TestCase testCase, IsolationLevel level)
          throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
        begin(testCase, level);
        return ended(executor.executeRecorded(testCase, level));
      }

      @Override
      public CaseExecution executeInstrumented(
          TestCase testCase, IsolationLevel level, StatementProbe probe)
          throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
        begin(testCase, level);
        return ended(executor.executeInstrumented(testCase, level, probe));
      }

      @Override
      public LoggedExecution executeLogged(TestCase testCase, IsolationLevel level)
          throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
        begin(testCase, level);
        LoggedExecution execution = executor.executeLogged(testCase, level);
        ended(execution.execution());
        return execution;
      }

      @Override
      public Sandbox sandbox() throws SQLException {
        return beat(executor.sandbox());
      }
    };
  }
}
