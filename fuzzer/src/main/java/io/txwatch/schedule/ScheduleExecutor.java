package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Dbms.MultiStatement;
import io.txwatch.dbms.WaitMonitor;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Executes cases on a workspace, one after another (WriteCheck, section 5.3, Algorithm 1; Troc,
 * Algorithm 1): submits each step in the order of the case, each session from a thread and a
 * connection of its own, and sends no step twice.
 *
 * <p>After each submission it waits until every session is at rest: idle, or blocked by one that
 * is. A blocked step is let wait and the case goes on; the later steps of its session queue up and
 * follow as soon as it resumes. Sessions that wait for each other in a circle are not at rest, for
 * the DBMS is about to abort one of them.
 *
 * <p>After an error that ends the transaction the session rolls back at once, and the rest of the
 * transaction is skipped, as an application would.
 *
 * <p>A case that does not come to rest is undecided; its sessions are given up and opened anew for
 * the next. For one thread.
 */
public final class ScheduleExecutor implements AutoCloseable {

  /** How long a step that was cancelled is waited for. */
  private static final long MAX_CANCEL_MILLIS = 1_000;

  /**
   * The same where it runs in this process: it comes back at once, or not at all, for one that
   * waits for a lock does not hear (H2 2.5.252, Transaction.waitForThisToEnd).
   */
  private static final long MAX_EMBEDDED_CANCEL_MILLIS = 50;

  private final Dbms dbms;
  private final Workspace workspace;
  private final WaitMonitor monitor;

  /** Where cases are executed in turn; the first is where they are alone, or watched. */
  private final List<SchemaFixture> fixtures = new ArrayList<>();

  /** The workspaces of all of these but the first. */
  private final List<Workspace> extraWorkspaces = new ArrayList<>();

  private int fixtureIndex;
  private boolean hasLostSession;

  /** Where the case is executed. */
  private SchemaFixture fixture;

  private final Application application;
  private final JdbcCallStyle style;
  private final BlockingQueue<CaseSession> completed = new LinkedBlockingQueue<>();
  private final Map<String, CaseSession> sessions = new LinkedHashMap<>();
  private final CaseRun.Environment environment;
  private final RejectedStatements rejected;

  /** The application whose sessions a case describes: how it comes by connections. */
  public interface Application {

    /** One that uses the workspace's own connections. */
    Application PLAIN =
        new Application() {
          @Override
          public void prepare(Workspace workspace, boolean isNew) {}

          @Override
          public Connection connect(Workspace workspace, String session) throws SQLException {
            return workspace.connect();
          }
        };

    /**
     * A case has been set up; its sessions go to work next.
     *
     * @param isNew false if its tables are those of the case before, with other rows
     */
    void prepare(Workspace workspace, boolean isNew) throws SQLException;

    /**
     * A connection for one of its sessions, or for who reads the final state.
     *
     * @param session its name
     */
    Connection connect(Workspace workspace, String session) throws SQLException;

    /** What was observed since the case was set up; nothing, if nobody watches. */
    default List<Event> observed() {
      return List.of();
    }
  }

  /**
   * An executor of its own connections.
   *
   * @param timeout how long the sessions may take to come to rest
   */
  public ScheduleExecutor(Dbms dbms, Workspace workspace, Duration timeout) throws SQLException {
    this(dbms, workspace, timeout, new RejectedStatements());
  }

  /**
   * The same beside others that execute the same cases.
   *
   * @param rejected what they have learnt of their statements, and this one does
   */
  public ScheduleExecutor(
      Dbms dbms, Workspace workspace, Duration timeout, RejectedStatements rejected)
      throws SQLException {
    this(
        dbms,
        workspace,
        timeout,
        Application.PLAIN,
        dbms.hasTransactionStatements()
            ? JdbcCallStyle.SQL_TEXT
            : JdbcCallStyle.SQL_IN_JDBC_TRANSACTIONS,
        rejected);
  }

  /**
   * An executor for an application.
   *
   * @param timeout how long the sessions may take to come to rest
   * @param style how its sessions speak to their driver
   */
  public ScheduleExecutor(
      Dbms dbms,
      Workspace workspace,
      Duration timeout,
      Application application,
      JdbcCallStyle style)
      throws SQLException {
    this(dbms, workspace, timeout, application, style, new RejectedStatements());
  }

  private ScheduleExecutor(
      Dbms dbms,
      Workspace workspace,
      Duration timeout,
      Application application,
      JdbcCallStyle style,
      RejectedStatements rejected)
      throws SQLException {
    this.dbms = dbms;
    this.rejected = rejected;
    this.workspace = workspace;
    this.application = application;
    this.style = style;
    this.monitor = workspace.newMonitor();
    this.fixture = new SchemaFixture(dbms, workspace);
    fixtures.add(fixture);
    this.environment =
        new CaseRun.Environment(dbms, monitor, completed, timeout, new CpuTimeBudget(!isPlain()));
  }

  /** A set-up statement that the DBMS refused: the case says nothing about transactions. */
  public static final class SetupException extends Exception {
    private static final long serialVersionUID = 1;

    SetupException(String sql, SQLException cause) {
      super("the set-up statement '" + sql + "' failed: " + cause.getMessage(), cause);
    }
  }

  /**
   * Sets the case up in the empty workspace, executes it, and reads the final state.
   *
   * @throws SetupException if it cannot be set up
   * @throws SQLException if the DBMS is out of reach
   */
  public CaseExecution execute(TestCase testCase, IsolationLevel level)
      throws SQLException, SetupException, InterruptedException {
    monitor.awaitHousekeeping();
    boolean changesOnlyRows = SchemaFixture.changesOnlyRows(testCase);
    boolean isSerial = isPlain() && testCase.sessions().size() <= 1;
    fixture = isSerial || !canBundle() ? fixtures.get(0) : nextFixture();
    boolean isAlone = isSerial && changesOnlyRows && testCase.sessions().size() == 1;
    List<RenderedStep> restoreStatements =
        isAlone ? fixture.restoreStatements(testCase) : List.of();
    boolean isNew = false;
    if (isSerial && restoreStatements.isEmpty()) {
      fixture.restore(testCase);
    } else if (!isSerial) {
      isNew = fixture.setUp(testCase);
    }
    if (!changesOnlyRows) {
      fixture.invalidate();
    }
    application.prepare(workspace, isNew);
    CaseSession reader = session("reader");
    Map<String, CaseSession> own = new LinkedHashMap<>();
    for (String name : testCase.sessions()) {
      CaseSession session = session(name);
      session.reset();
      session.switchTo(fixture.switchStatement());
      session.setLevel(level, changesOnlyRows);
      dbms.refreshSchema(session.connection());
      own.put(name, session);
    }
    if (isAlone) {
      return executeSerial(
          testCase, level, own.values().iterator().next(), reader, restoreStatements);
    }
    CaseRun run = new CaseRun(testCase, level, own, environment, changesOnlyRows);
    Optional<String> undecided = run.run();
    List<StepOutcome> finals = List.of();
    if (undecided.isPresent()) {
      abandon(own.values());
      fixture.invalidate();
    } else {
      finals = readFinalState(testCase, reader);
      fixture.release(testCase, run.outcomes());
    }
    fixture.countVersions(run.outcomes());
    rejected.record(testCase, run.outcomes());
    return new CaseExecution(
        testCase,
        level,
        run.outcomes(),
        run.order(),
        run.completedBeforeEnd(),
        finals,
        undecided,
        run.race(),
        application.observed());
  }

  /**
   * Executes a case of one session.
   *
   * @param restoreStatements what it has to begin with, if the tables are not as they should be
   */
  private CaseExecution executeSerial(
      TestCase testCase,
      IsolationLevel level,
      CaseSession session,
      CaseSession reader,
      List<RenderedStep> restoreStatements)
      throws SQLException, SetupException, InterruptedException {
    SerialRun run =
        new SerialRun(
            testCase,
            session,
            dbms,
            monitor,
            rejected.texts(testCase),
            restoreStatements,
            finalReads(testCase));
    boolean isDone = run.canBundle() && run.runBundled();
    boolean isUnknown = !restoreStatements.isEmpty() || (run.canBundle() && !isDone);
    if (isUnknown) {
      fixture.markVersionsUnknown();
    }
    if (!isDone) {
      if (isUnknown) {
        fixture.restore(testCase);
      }
      run.run();
    }
    fixture.countVersions(run.outcomes());
    rejected.record(testCase, run.outcomes());
    return new CaseExecution(
        testCase,
        level,
        run.outcomes(),
        run.order(),
        run.order().size(),
        isDone ? run.finals() : readFinalState(testCase, reader),
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  private SchemaFixture nextFixture() throws SQLException {
    fixtureIndex = (fixtureIndex + 1) % dbms.fixtureCount();
    if (fixtureIndex == fixtures.size()) {
      Workspace other = dbms.newWorkspace();
      extraWorkspaces.add(other);
      fixtures.add(new SchemaFixture(dbms, other));
    }
    return fixtures.get(fixtureIndex);
  }

  /** True if several statements may be sent as one. Who watches sees into one at a time. */
  private boolean canBundle() {
    return isPlain() && style == JdbcCallStyle.SQL_TEXT;
  }

  private boolean isPlain() {
    return application == Application.PLAIN;
  }

  private CaseSession session(String name) throws SQLException {
    CaseSession known = sessions.get(name);
    if (known != null && known.fault() == null) {
      return known;
    }
    if (known != null) {
      known.close();
      sessions.remove(name);
    }
    Connection connection = application.connect(workspace, name);
    CaseSession opened =
        new CaseSession(
            name,
            dbms,
            connection,
            style,
            monitor.sessionId(connection),
            completed,
            workspace.switchStatement(),
            canBundle());
    sessions.put(name, opened);
    return opened;
  }

  /** Ends sessions of which some may wait for others: each as soon as its step has come back. */
  private void abandon(Collection<CaseSession> given) throws InterruptedException {
    List<CaseSession> busy = new ArrayList<>();
    for (CaseSession session : given) {
      if (session.isBusy()) {
        session.cancel();
        busy.add(session);
      } else {
        abandon(session);
      }
    }
    while (!busy.isEmpty()) {
      CaseSession done = completed.poll(maxCancelMillis(), TimeUnit.MILLISECONDS);
      CaseSession next = done == null ? busy.get(0) : done;
      if (busy.remove(next)) {
        abandon(next);
      }
    }
    completed.clear();
  }

  private long maxCancelMillis() {
    return dbms.blocksCallingThread() ? MAX_EMBEDDED_CANCEL_MILLIS : MAX_CANCEL_MILLIS;
  }

  private void abandon(CaseSession session) {
    hasLostSession |= !session.close(maxCancelMillis());
    sessions.remove(session.name());
  }

  /**
   * True if a statement that was given up may go on in the workspace, and its transaction with it:
   * {@linkplain Workspace#abandon abandon} it. H2 2.5.252 in memory executes a statement anew that
   * has met a row changed since, and compiles it anew if the tables are others by then: it locks
   * rows of the next case (CommandContainer.update, Command.filterConcurrentUpdate). Whoever waits
   * for a transaction that has gone back to a savepoint looks for the row again and again, and
   * hears of no cancel, no time limit and no lock timeout (Transaction.waitForThisToEnd).
   */
  public boolean hasLostSession() {
    return hasLostSession;
  }

  private List<StepOutcome> readFinalState(TestCase testCase, CaseSession reader)
      throws SQLException, InterruptedException {
    dbms.refreshSchema(reader.connection());
    reader.switchTo(fixture.switchStatement());
    monitor.awaitHousekeeping();
    List<RenderedStep> script = finalReads(testCase);
    boolean goTogether = canBundle() && dbms.multiStatement() != MultiStatement.UNSUPPORTED;
    Optional<List<StepOutcome>> together =
        script.size() > 1 && goTogether ? reader.executeBundled(script) : Optional.empty();
    if (together.isPresent()) {
      return together.get();
    }
    List<StepOutcome> finals = new ArrayList<>();
    for (RenderedStep read : script) {
      finals.add(reader.query(read.step(), read.text()));
    }
    return finals;
  }

  /** What reads the final state. */
  private List<RenderedStep> finalReads(TestCase testCase) throws SQLException {
    List<String> reads = new ArrayList<>(testCase.finals());
    if (reads.isEmpty()) {
      for (String table : fixture.tables()) {
        reads.add("SELECT * FROM " + table);
      }
    }
    return reads.stream()
        .map(sql -> new RenderedStep(new Step(0, "F", Optional.empty(), sql), dbms.renderSql(sql)))
        .toList();
  }

  @Override
  public void close() throws SQLException {
    sessions.values().forEach(CaseSession::close);
    sessions.clear();
    for (SchemaFixture each : fixtures) {
      each.close();
    }
    for (Workspace own : extraWorkspaces) {
      own.close();
    }
    monitor.close();
  }
}
