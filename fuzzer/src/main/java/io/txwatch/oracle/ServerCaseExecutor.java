package io.txwatch.oracle;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.FreeExecution;
import io.txwatch.schedule.JdbcCallStyle;
import io.txwatch.schedule.LoggedApplication;
import io.txwatch.schedule.LoggedExecution;
import io.txwatch.schedule.RejectedStatements;
import io.txwatch.schedule.Sandbox;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.ScheduleExecutor.Application;
import io.txwatch.schedule.StatementProbe;
import io.txwatch.schedule.StepTimes;
import io.txwatch.schedule.WatchedApplication;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Executes cases on a server: in one workspace, and in others for executions whose tables have more
 * columns or triggers. For one thread.
 */
public final class ServerCaseExecutor implements CaseExecutor, AutoCloseable {

  private final Dbms dbms;
  private final Duration timeout;
  private final RejectedStatements rejected = new RejectedStatements();
  private final RejectedStatements rejectedInstrumented = new RejectedStatements();
  private final ExecutorSlot plain;

  /** The workspaces for other purposes, as far as they were needed. */
  private final Map<Purpose, ExecutorSlot> others = new EnumMap<>(Purpose.class);

  /** What a workspace is for; all but the first one are opened when they are first needed. */
  private enum Purpose {
    PLAIN,
    WATCHED,
    RECORDED,
    INSTRUMENTED,
    LOGGED
  }

  private @Nullable Sandbox sandbox;

  /**
   * Creates an executor with workspaces of its own, which are dropped at the end.
   *
   * @param timeout how long the sessions of a case may take to become quiescent
   */
  public ServerCaseExecutor(Dbms dbms, Duration timeout) throws SQLException {
    this.dbms = dbms;
    this.timeout = timeout;
    this.plain = new ExecutorSlot(Purpose.PLAIN, rejected);
  }

  @Override
  public Dbms dbms() {
    return dbms;
  }

  @Override
  public CaseExecution execute(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return plain.execute(testCase, level);
  }

  private ExecutorSlot slot(Purpose purpose) throws SQLException {
    ExecutorSlot known = others.get(purpose);
    if (known == null) {
      known =
          new ExecutorSlot(
              purpose, purpose == Purpose.INSTRUMENTED ? rejectedInstrumented : rejected);
      others.put(purpose, known);
    }
    return known;
  }

  @Override
  public CaseExecution executeWatched(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return slot(Purpose.WATCHED).execute(testCase, level);
  }

  @Override
  public FreeExecution executeFreely(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return slot(Purpose.WATCHED).executeFreely(testCase, level);
  }

  @Override
  public CaseExecution executeRecorded(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return slot(Purpose.RECORDED).execute(testCase, level);
  }

  @Override
  public CaseExecution executeInstrumented(
      TestCase testCase, IsolationLevel level, StatementProbe probe)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return slot(Purpose.INSTRUMENTED).execute(testCase, level, probe);
  }

  @Override
  public LoggedExecution executeLogged(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return slot(Purpose.LOGGED).executeLogged(testCase, level);
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
    try (ExecutorSlot last = plain) {
      if (sandbox != null) {
        sandbox.close();
      }
      for (ExecutorSlot each : others.values()) {
        each.close();
      }
    }
  }

  /** Executes cases one after another; replaces its resources after a lost session. */
  private final class ExecutorSlot implements AutoCloseable {

    private final Purpose purpose;
    private final RejectedStatements rejected;
    private Resources resources;

    ExecutorSlot(Purpose purpose, RejectedStatements rejected) throws SQLException {
      this.purpose = purpose;
      this.rejected = rejected;
      this.resources = open();
    }

    private Resources open() throws SQLException {
      Workspace workspace = dbms.newWorkspace();
      try {
        if (purpose != Purpose.WATCHED && purpose != Purpose.LOGGED) {
          return new Resources(
              workspace,
              Application.PLAIN,
              new ScheduleExecutor(dbms, workspace, timeout, rejected));
        }
        Application application =
            purpose == Purpose.WATCHED
                ? new WatchedApplication(dbms.fillsHiddenColumns())
                : new LoggedApplication(dbms.changeLog().orElseThrow());
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
      return execute(testCase, level, StatementProbe.NONE);
    }

    CaseExecution execute(TestCase testCase, IsolationLevel level, StatementProbe probe)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      CaseExecution execution = resources.executor.execute(testCase, level, probe);
      replaceIfLost();
      return execution;
    }

    LoggedExecution executeLogged(TestCase testCase, IsolationLevel level)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      StepTimes times = new StepTimes();
      CaseExecution execution = resources.executor.execute(testCase, level, times);
      if (!(resources.application instanceof LoggedApplication application)) {
        throw new IllegalStateException("the log is not read for " + purpose);
      }
      LoggedExecution logged = application.completed(execution, times);
      replaceIfLost();
      return logged;
    }

    FreeExecution executeFreely(TestCase testCase, IsolationLevel level)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      FreeExecution execution = resources.executor.executeFreely(testCase, level);
      replaceIfLost();
      return execution;
    }

    private void replaceIfLost() throws SQLException {
      if (resources.executor.hasLostSession()) {
        resources.abandon(dbms);
        resources = open();
      }
    }

    @Override
    public void close() throws SQLException {
      resources.close();
    }
  }

  /** A workspace with its executor. */
  private record Resources(Workspace workspace, Application application, ScheduleExecutor executor)
      implements AutoCloseable {

    /**
     * Closes the resources after a lost session. The workspace may end its database: some versions
     * then reject the closing of the other connections, which is no crash.
     */
    void abandon(Dbms dbms) throws SQLException {
      workspace.abandon();
      try (application;
          executor) {
        // closes the rest
      } catch (SQLException e) {
        if (dbms.failure(e).kind() != Failure.Kind.CONNECTION_LOST) {
          throw e;
        }
      }
    }

    @Override
    public void close() throws SQLException {
      try (workspace;
          application;
          executor) {
        // closes in reverse order
      }
    }
  }
}
