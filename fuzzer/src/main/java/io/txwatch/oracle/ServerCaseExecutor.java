package io.txwatch.oracle;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.JdbcCallStyle;
import io.txwatch.schedule.RejectedStatements;
import io.txwatch.schedule.Sandbox;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.WatchedApplication;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The laboratory on a server: a workspace and an executor, and as soon as a watched execution is
 * asked for, or a serial one where those are better apart, others for those. For one thread.
 *
 * <p>Watched executions take turns at as many workspaces as the DBMS is worked in {@linkplain
 * Dbms#groundsInTurn in turn}, each with sessions of its own: a watched session that went over from
 * one to the other would have to ask anew what its tables are.
 */
public final class ServerCaseExecutor implements CaseExecutor, AutoCloseable {

  private final Dbms dbms;
  private final Duration timeout;
  private final RejectedStatements rejected = new RejectedStatements();
  private final ExecutorSlot concurrent;
  private @Nullable ExecutorSlot serial;
  private final List<ExecutorSlot> watched = new ArrayList<>();

  /** Which of these was asked last. */
  private int watchedIndex = -1;

  private @Nullable Sandbox sandbox;

  /**
   * One with workspaces of its own, dropped at the end.
   *
   * @param timeout how long the sessions of a case may take to come to rest
   */
  public ServerCaseExecutor(Dbms dbms, Duration timeout) throws SQLException {
    this.dbms = dbms;
    this.timeout = timeout;
    this.concurrent = new ExecutorSlot(false);
  }

  @Override
  public Dbms dbms() {
    return dbms;
  }

  @Override
  public CaseExecution execute(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    if (dbms.fixtureCount() > 1 && testCase.sessions().size() <= 1) {
      ExecutorSlot slot = serial == null ? new ExecutorSlot(false) : serial;
      serial = slot;
      return slot.execute(testCase, level);
    }
    return concurrent.execute(testCase, level);
  }

  @Override
  public CaseExecution executeWatched(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    watchedIndex = (watchedIndex + 1) % dbms.fixtureCount();
    if (watchedIndex == watched.size()) {
      watched.add(new ExecutorSlot(true));
    }
    return watched.get(watchedIndex).execute(testCase, level);
  }

  @Override
  public Sandbox sandbox() throws SQLException {
    Sandbox open = sandbox;
    if (open == null) {
      open = new Sandbox(dbms);
      sandbox = open;
    }
    return open;
  }

  @Override
  public void close() throws SQLException {
    try (ExecutorSlot last = concurrent) {
      if (sandbox != null) {
        sandbox.close();
      }
      if (serial != null) {
        serial.close();
      }
      for (ExecutorSlot each : watched) {
        each.close();
      }
    }
  }

  /** Where cases are executed one after another, always with equipment that is in order. */
  private final class ExecutorSlot implements AutoCloseable {

    private final boolean isWatched;
    private Resources resources;

    ExecutorSlot(boolean isWatched) throws SQLException {
      this.isWatched = isWatched;
      this.resources = open();
    }

    private Resources open() throws SQLException {
      Workspace workspace = dbms.newWorkspace();
      try {
        if (!isWatched) {
          return new Resources(
              workspace, null, new ScheduleExecutor(dbms, workspace, timeout, rejected));
        }
        WatchedApplication application = new WatchedApplication();
        return new Resources(
            workspace,
            application,
            new ScheduleExecutor(dbms, workspace, timeout, application, JdbcCallStyle.SQL_TEXT));
      } catch (SQLException e) {
        workspace.close();
        throw e;
      }
    }

    CaseExecution execute(TestCase testCase, IsolationLevel level)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      CaseExecution execution = resources.executor.execute(testCase, level);
      if (resources.executor.hasLostSession()) {
        resources.abandon();
        resources = open();
      }
      return execution;
    }

    @Override
    public void close() throws SQLException {
      resources.close();
    }
  }

  /** What executions need: watched ones, and others. */
  private record Resources(
      Workspace workspace, @Nullable WatchedApplication application, ScheduleExecutor executor)
      implements AutoCloseable {

    /** Closes it where a session has been lost. */
    void abandon() throws SQLException {
      workspace.abandon();
      try (application;
          executor) {
        // they are all that is left
      }
    }

    @Override
    public void close() throws SQLException {
      try (workspace;
          application;
          executor) {
        // they are all there is
      }
    }
  }
}
