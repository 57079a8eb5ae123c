package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Dbms.MultiStatement;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.wait.WaitMonitor;
import io.txwatch.testcase.StatementText;
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
 * Algorithm 1): submits each step once, in the order of the case, each session from a thread and a
 * connection of its own.
 *
 * <p>After each submission it waits until the sessions are quiescent: each idle, or blocked by an
 * idle one. While a step is blocked, the case continues; later steps of its session are queued and
 * follow as soon as it resumes. Sessions in a deadlock are not quiescent, because the DBMS is about
 * to abort one of them.
 *
 * <p>After an error that ends the transaction, the session rolls back at once and skips the rest of
 * the transaction, as an application would.
 *
 * <p>A case that does not become quiescent is undecided; its sessions are abandoned, and the next
 * case gets new ones. For one thread.
 */
public final class ScheduleExecutor implements AutoCloseable {

  /** How long a cancelled step may take to return. */
  private static final long MAX_CANCEL_MILLIS = 1_000;

  /**
   * The same for a DBMS in this process: the step returns at once or never, because a blocked
   * session ignores a cancel (H2 2.5.252, Transaction.waitForThisToEnd).
   */
  private static final long MAX_EMBEDDED_CANCEL_MILLIS = 50;

  private final Dbms dbms;
  private final Workspace workspace;
  private final WaitMonitor monitor;
  private final SchemaFixture fixture;

  private boolean hasLostSession;

  private final Application application;
  private final JdbcCallStyle style;
  private final BlockingQueue<CaseSession> completed = new LinkedBlockingQueue<>();
  private final Map<String, CaseSession> sessions = new LinkedHashMap<>();
  private final CaseRun.Environment environment;
  private final CaseSession.Context sessionContext;
  private final RejectedStatements rejected;

  /** The application whose sessions a case describes: it opens their connections. */
  public interface Application extends AutoCloseable {

    /** An application that uses the workspace's own connections. */
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
     * Whether the tables of a case with this set-up can be filled again for the next one, instead
     * of being defined again.
     */
    default boolean canRefill(List<String> setup) {
      return true;
    }

    /**
     * Called when a case has been set up, before its sessions start.
     *
     * @param isNew false if its tables are those of the previous case, with other rows
     */
    void prepare(Workspace workspace, boolean isNew) throws SQLException;

    /**
     * Opens a connection for a session of the case, or for the session that reads the final state.
     *
     * @param session its name
     */
    Connection connect(Workspace workspace, String session) throws SQLException;

    /** The events since the case was set up; empty if the connections are not watched. */
    default List<Event> observed() {
      return List.of();
    }

    /** Releases what it has opened for itself; the sessions close their own connections. */
    @Override
    default void close() throws SQLException {}
  }

  /**
   * Creates an executor with connections of its own.
   *
   * @param timeout how long the sessions may take to become quiescent
   */
  public ScheduleExecutor(Dbms dbms, Workspace workspace, Duration timeout) throws SQLException {
    this(dbms, workspace, timeout, new RejectedStatements());
  }

  /**
   * Creates an executor that shares its knowledge of rejected statements with others.
   *
   * @param rejected the statements that any of them has found to be rejected
   */
  public ScheduleExecutor(
      Dbms dbms, Workspace workspace, Duration timeout, RejectedStatements rejected)
      throws SQLException {
    this(
        dbms,
        workspace,
        timeout,
        new Mode(
            Application.PLAIN,
            dbms.hasTransactionStatements()
                ? JdbcCallStyle.SQL_TEXT
                : JdbcCallStyle.SQL_IN_JDBC_TRANSACTIONS),
        rejected);
  }

  /**
   * Creates an executor for an application.
   *
   * @param timeout how long the sessions may take to become quiescent
   * @param style how its sessions use JDBC
   */
  public ScheduleExecutor(
      Dbms dbms,
      Workspace workspace,
      Duration timeout,
      Application application,
      JdbcCallStyle style)
      throws SQLException {
    this(dbms, workspace, timeout, new Mode(application, style), new RejectedStatements());
  }

  /** How sessions connect and use JDBC. */
  private record Mode(Application application, JdbcCallStyle style) {}

  private ScheduleExecutor(
      Dbms dbms, Workspace workspace, Duration timeout, Mode mode, RejectedStatements rejected)
      throws SQLException {
    this.dbms = dbms;
    this.rejected = rejected;
    this.workspace = workspace;
    this.application = mode.application();
    this.style = mode.style();
    this.monitor = workspace.newMonitor();
    this.fixture = new SchemaFixture(dbms, workspace);
    this.environment =
        new CaseRun.Environment(dbms, monitor, completed, timeout, new CpuTimeBudget(!isPlain()));
    this.sessionContext = new CaseSession.Context(dbms, style, completed, canBundle());
  }

  /** The DBMS rejected a set-up statement: the case shows nothing about transactions. */
  public static final class SetupException extends Exception {
    private static final long serialVersionUID = 1;

    private final String sql;
    private final SQLException sqlError;

    SetupException(String sql, SQLException cause) {
      super("the set-up statement '" + sql + "' failed: " + cause.getMessage(), cause);
      this.sql = sql;
      this.sqlError = cause;
    }

    /** The statement that failed. */
    public String sql() {
      return sql;
    }

    /** Its error. */
    public SQLException sqlError() {
      return sqlError;
    }
  }

  /**
   * Sets up the case in the empty workspace, executes it, and reads the final state.
   *
   * @throws SetupException if it cannot be set up
   * @throws SQLException if the DBMS cannot be reached
   */
  public CaseExecution execute(TestCase testCase, IsolationLevel level)
      throws SQLException, SetupException, InterruptedException {
    return execute(testCase, level, StatementProbe.NONE);
  }

  /** The case with the steps that are sent, so that oracles know which reads lock. */
  private TestCase rendered(TestCase testCase) {
    if (testCase.steps().stream().noneMatch(step -> step.sql().contains("{"))) {
      return testCase;
    }
    return testCase.withSteps(
        testCase.steps().stream()
            .map(
                step ->
                    new Step(step.id(), step.session(), step.label(), dbms.renderSql(step.sql())))
            .toList());
  }

  /**
   * The same with reads around the statements.
   *
   * @param probe sends them
   */
  public CaseExecution execute(TestCase given, IsolationLevel level, StatementProbe probe)
      throws SQLException, SetupException, InterruptedException {
    TestCase testCase = rendered(given);
    monitor.awaitHousekeeping();
    boolean changesOnlyRows = SchemaFixture.changesOnlyRows(testCase);
    boolean isProbed = probe != StatementProbe.NONE;
    boolean isSerial = isPlain() && testCase.sessions().size() <= 1 && !isProbed;
    boolean isAlone = isSerial && changesOnlyRows && testCase.sessions().size() == 1;
    List<RenderedStep> restoreStatements =
        isAlone ? fixture.restoreStatements(testCase) : List.of();
    boolean isNew = false;
    if (isSerial && restoreStatements.isEmpty()) {
      fixture.restore(testCase);
    } else if (!isSerial) {
      isNew = setUp(testCase);
    }
    if (!changesOnlyRows) {
      fixture.invalidate();
    }
    application.prepare(workspace, isNew);
    CaseSession reader = session("reader");
    Map<String, CaseSession> caseSessions = readySessions(testCase, level, changesOnlyRows);
    if (isAlone) {
      CaseSession session = caseSessions.values().iterator().next();
      return executeSerial(testCase, level, session, reader, restoreStatements);
    }
    if (isProbed) {
      probe(probe, caseSessions.values());
    }
    CaseRun run = new CaseRun(testCase, level, caseSessions, environment, changesOnlyRows);
    return executeConcurrent(testCase, level, run, reader);
  }

  /**
   * Executes the case with freely threaded sessions.
   *
   * @throws SetupException if it cannot be set up
   * @throws SQLException if the DBMS cannot be reached
   */
  public FreeExecution executeFreely(TestCase given, IsolationLevel level)
      throws SQLException, SetupException, InterruptedException {
    TestCase testCase = rendered(given);
    monitor.awaitHousekeeping();
    boolean changesOnlyRows = SchemaFixture.changesOnlyRows(testCase);
    boolean isNew = setUp(testCase);
    if (!changesOnlyRows) {
      fixture.invalidate();
    }
    application.prepare(workspace, isNew);
    CaseSession reader = session("reader");
    Map<String, CaseSession> caseSessions = readySessions(testCase, level, changesOnlyRows);
    for (CaseSession session : caseSessions.values()) {
      session.prepareToBlock(true);
    }
    FreeRun run = new FreeRun(testCase, caseSessions, environment);
    Optional<String> undecided = run.run();
    List<StepOutcome> finals = List.of();
    if (undecided.isPresent()) {
      if (run.cancel(maxCancelMillis())) {
        caseSessions.values().forEach(this::abandon);
      } else {
        hasLostSession = true;
        caseSessions.values().forEach(CaseSession::abort);
        sessions.keySet().removeAll(caseSessions.keySet());
      }
      fixture.invalidate();
    } else {
      closeIfLocking(testCase, caseSessions.values());
      finals = readFinalState(testCase, reader);
      fixture.release(testCase, run.outcomes());
    }
    fixture.countVersions(run.outcomes());
    List<Integer> order = run.order();
    return new FreeExecution(
        new CaseExecution(
            testCase,
            level,
            run.outcomes(),
            order,
            order.size(),
            finals,
            undecided,
            Optional.empty(),
            application.observed()),
        undecided.isPresent() ? List.of() : run.schedules());
  }

  private boolean setUp(TestCase testCase) throws SQLException, SetupException {
    if (!application.canRefill(testCase.setup())) {
      fixture.invalidate();
    }
    return fixture.setUp(testCase);
  }

  /** Begins to probe the sessions of a case. */
  private void probe(StatementProbe probe, Collection<CaseSession> caseSessions)
      throws SQLException {
    CaseSession observing = session("observer");
    observing.reset();
    observing.setLevel(dbms.levels().get(0), true);
    dbms.refreshSchema(observing.connection());
    StatementProbe.Reader observer =
        queries -> {
          synchronized (observing) { // sessions that are released together may observe together
            return observing.read(queries);
          }
        };
    probe.begin(observer);
    CaseSession.ProbedBy by = new CaseSession.ProbedBy(probe, observer);
    caseSessions.forEach(session -> session.probe(by));
  }

  /** The sessions of a case, at their levels and on its tables. */
  private Map<String, CaseSession> readySessions(
      TestCase testCase, IsolationLevel level, boolean changesOnlyRows)
      throws SQLException, SetupException {
    monitor.expectTableLocks(!changesOnlyRows);
    Map<String, CaseSession> ready = new LinkedHashMap<>();
    for (String name : testCase.sessions()) {
      CaseSession session = session(name);
      session.reset();
      session.setLevel(testCase.levelOf(name, level), changesOnlyRows);
      session.applySettings(testCase.settings());
      session.prepareStatements(
          testCase.header(StatementText.JDBC_HEADER).equals(Optional.of(StatementText.PREPARED)));
      dbms.refreshSchema(session.connection());
      ready.put(name, session);
    }
    return ready;
  }

  private CaseExecution executeConcurrent(
      TestCase testCase, IsolationLevel level, CaseRun run, CaseSession reader)
      throws SQLException, InterruptedException {
    Optional<String> undecided = run.run();
    List<StepOutcome> finals = List.of();
    if (undecided.isPresent()) {
      abandon(run.sessions());
      fixture.invalidate();
    } else {
      closeIfLocking(testCase, run.sessions());
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
   * @param restoreStatements the statements to begin with, if the tables are not set up yet
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
            environment,
            new SerialRun.BundledStatements(
                rejected.texts(testCase), restoreStatements, finalReads(testCase)));
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

  /** True if several statements may be sent as one. A watched connection sees only single ones. */
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
        new CaseSession(name, connection, monitor.sessionId(connection), sessionContext);
    sessions.put(name, opened);
    return opened;
  }

  /** Closes sessions that may have locked tables, because a rollback does not unlock them. */
  private void closeIfLocking(TestCase testCase, Collection<CaseSession> given) {
    if (testCase.steps().stream()
        .anyMatch(step -> StatementText.locksTablesOfSession(step.sql()))) {
      List.copyOf(given).forEach(this::abandon);
    }
  }

  /** Abandons sessions that may block each other: each as soon as its step has returned. */
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
   * True if an abandoned statement, and its transaction, may still run in the workspace, which then
   * has to be {@linkplain Workspace#abandon abandoned}. H2 2.5.252 in memory repeats a statement
   * that finds a row changed since its start, and recompiles it if the tables have changed by then:
   * it locks rows of the next case (CommandContainer.update, Command.filterConcurrentUpdate). A
   * session that is blocked by one that has rolled back to a savepoint searches for the row
   * forever, and ignores cancel, query timeout and lock timeout (Transaction.waitForThisToEnd).
   */
  public boolean hasLostSession() {
    return hasLostSession;
  }

  private List<StepOutcome> readFinalState(TestCase testCase, CaseSession reader)
      throws SQLException, InterruptedException {
    dbms.refreshSchema(reader.connection());
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

  /** The steps that read the final state. */
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
    try (monitor) {
      fixture.close();
    }
  }
}
