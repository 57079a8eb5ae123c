package io.txwatch.oracle;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.Execution;
import io.txwatch.schedule.Refused;
import io.txwatch.schedule.Sandbox;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.Style;
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
public final class ServerLaboratory implements Laboratory, AutoCloseable {

  private final Dbms dbms;
  private final Duration patience;
  private final Refused refused = new Refused();
  private final Place sideBySide;
  private @Nullable Place alone;
  private final List<Place> watching = new ArrayList<>();

  /** Which of these was asked last. */
  private int watched = -1;

  private @Nullable Sandbox sandbox;

  /**
   * One with workspaces of its own, dropped at the end.
   *
   * @param patience how long the sessions of a case may take to come to rest
   */
  public ServerLaboratory(Dbms dbms, Duration patience) throws SQLException {
    this.dbms = dbms;
    this.patience = patience;
    this.sideBySide = new Place(false);
  }

  @Override
  public Dbms dbms() {
    return dbms;
  }

  @Override
  public Execution execute(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    if (dbms.groundsInTurn() > 1 && testCase.sessions().size() <= 1) {
      Place place = alone == null ? new Place(false) : alone;
      alone = place;
      return place.execute(testCase, level);
    }
    return sideBySide.execute(testCase, level);
  }

  @Override
  public Execution watch(TestCase testCase, IsolationLevel level)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    watched = (watched + 1) % dbms.groundsInTurn();
    if (watched == watching.size()) {
      watching.add(new Place(true));
    }
    return watching.get(watched).execute(testCase, level);
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
    try (Place last = sideBySide) {
      if (sandbox != null) {
        sandbox.close();
      }
      if (alone != null) {
        alone.close();
      }
      for (Place each : watching) {
        each.close();
      }
    }
  }

  /** Where cases are executed one after another, always with equipment that is in order. */
  private final class Place implements AutoCloseable {

    private final boolean isWatched;
    private Equipment equipment;

    Place(boolean isWatched) throws SQLException {
      this.isWatched = isWatched;
      this.equipment = open();
    }

    private Equipment open() throws SQLException {
      Workspace workspace = dbms.newWorkspace();
      try {
        if (!isWatched) {
          return new Equipment(
              workspace, null, new ScheduleExecutor(dbms, workspace, patience, refused));
        }
        WatchedApplication application = new WatchedApplication();
        return new Equipment(
            workspace,
            application,
            new ScheduleExecutor(dbms, workspace, patience, application, Style.SQL_TEXT));
      } catch (SQLException e) {
        workspace.close();
        throw e;
      }
    }

    Execution execute(TestCase testCase, IsolationLevel level)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      Execution execution = equipment.executor.execute(testCase, level);
      if (equipment.executor.hasLostSession()) {
        equipment.abandon();
        equipment = open();
      }
      return execution;
    }

    @Override
    public void close() throws SQLException {
      equipment.close();
    }
  }

  /** What executions need: watched ones, and others. */
  private record Equipment(
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
