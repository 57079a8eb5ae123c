package io.txwatch.cli;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.Interleaved;
import io.txwatch.schedule.CaseInterleaver;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.TestCase;
import java.nio.file.Path;
import java.sql.SQLException;
import picocli.CommandLine.Option;

/** The options that bound the orders that are executed. */
final class InterleavingBounds {

  private static final String PREEMPTIONS = "--preemptions";
  private static final String EXECUTIONS = "--executions";

  @Option(
      names = PREEMPTIONS,
      paramLabel = "N",
      defaultValue = "3",
      description =
          "how often a session may have to stop although it could go on (default: ${DEFAULT-VALUE})")
  private int preemptions;

  @Option(
      names = EXECUTIONS,
      paramLabel = "N",
      defaultValue = "1000",
      description =
          "how many orders are executed at most; a case with more is undecided"
              + " (default: ${DEFAULT-VALUE})")
  private int executions;

  /**
   * Requires values that leave something to execute.
   *
   * @throws CommandException if they do not
   */
  void require() {
    if (preemptions < 0) {
      throw CommandException.badInput(PREEMPTIONS + ": expected 0 or more, not " + preemptions);
    }
    if (executions < 1) {
      throw CommandException.badInput(EXECUTIONS + ": expected 1 or more, not " + executions);
    }
  }

  /**
   * Requires that a case has as many sessions as can be interleaved; returns it.
   *
   * @throws CommandException if it has fewer or more
   */
  TestCase requireSessions(Path file, TestCase testCase) {
    int sessions = testCase.sessions().size();
    if (sessions < CaseInterleaver.MIN_SESSIONS || sessions > CaseInterleaver.MAX_SESSIONS) {
      throw CommandException.badInput(
          file
              + " has "
              + (sessions == 1 ? "one session" : sessions + " sessions")
              + ", expected "
              + CaseInterleaver.MIN_SESSIONS
              + " to "
              + CaseInterleaver.MAX_SESSIONS);
    }
    return testCase;
  }

  /**
   * Requires that sessions can be interleaved on a DBMS.
   *
   * @throws CommandException if they cannot
   */
  void requireSupport(Dbms dbms) {
    if (!CaseInterleaver.supports(dbms)) {
      throw CommandException.badInput(
          "sessions are not interleaved on "
              + dbms.describe()
              + ": use PostgreSQL, MySQL, MariaDB or H2");
    }
  }

  int preemptions() {
    return preemptions;
  }

  int executions() {
    return executions;
  }

  /** Executes the sessions of a case in every order. */
  InterleavedCase interleave(Dbms dbms, Path file, TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    Interleaved found =
        new CaseInterleaver(dbms, preemptions, executions).interleave(testCase, level);
    String bound =
        found.bound().isEmpty()
            ? "at most " + preemptions + " preemptions, " + executions + " orders"
            : found.bound();
    return new InterleavedCase(file, dbms, level, bound, found);
  }

  /** The orders of a case's statements that may matter. */
  CaseInterleaver.Orders orders(Dbms dbms, TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return new CaseInterleaver(dbms, preemptions, executions).orders(testCase, level);
  }
}
