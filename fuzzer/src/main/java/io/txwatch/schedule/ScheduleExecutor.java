package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Dbms.Several;
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
  private static final long MOST_CANCELLING_MILLIS = 1_000;

  /**
   * The same where it runs in this process: it comes back at once, or not at all, for one that
   * waits for a lock does not hear (H2 2.5.252, Transaction.waitForThisToEnd).
   */
  private static final long MOST_CANCELLING_HERE_MILLIS = 50;

  private final Dbms dbms;
  private final Workspace workspace;
  private final WaitMonitor monitor;

  /** Where cases are executed in turn; the first is where they are alone, or watched. */
  private final List<Ground> grounds = new ArrayList<>();

  /** The workspaces of all of these but the first. */
  private final List<Workspace> others = new ArrayList<>();

  private int turn;
  private boolean hasLostSession;

  /** Where the case is executed. */
  private Ground ground;

  private final Application application;
  private final Style style;
  private final BlockingQueue<Session> completed = new LinkedBlockingQueue<>();
  private final Map<String, Session> sessions = new LinkedHashMap<>();
  private final CaseRun.Surroundings surroundings;
  private final Refused refused;

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
   * @param patience how long the sessions may take to come to rest
   */
  public ScheduleExecutor(Dbms dbms, Workspace workspace, Duration patience) throws SQLException {
    this(dbms, workspace, patience, new Refused());
  }

  /**
   * The same beside others that execute the same cases.
   *
   * @param refused what they have learnt of their statements, and this one does
   */
  public ScheduleExecutor(Dbms dbms, Workspace workspace, Duration patience, Refused refused)
      throws SQLException {
    this(
        dbms,
        workspace,
        patience,
        Application.PLAIN,
        dbms.beginsBySql() ? Style.SQL_TEXT : Style.SQL_IN_JDBC_TRANSACTIONS,
        refused);
  }

  /**
   * An executor for an application.
   *
   * @param patience how long the sessions may take to come to rest
   * @param style how its sessions speak to their driver
   */
  public ScheduleExecutor(
      Dbms dbms, Workspace workspace, Duration patience, Application application, Style style)
      throws SQLException {
    this(dbms, workspace, patience, application, style, new Refused());
  }

  private ScheduleExecutor(
      Dbms dbms,
      Workspace workspace,
      Duration patience,
      Application application,
      Style style,
      Refused refused)
      throws SQLException {
    this.dbms = dbms;
    this.refused = refused;
    this.workspace = workspace;
    this.application = application;
    this.style = style;
    this.monitor = workspace.newMonitor();
    this.ground = new Ground(dbms, workspace);
    grounds.add(ground);
    this.surroundings =
        new CaseRun.Surroundings(dbms, monitor, completed, patience, new Pace(!isPlain()));
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
  public Execution execute(TestCase testCase, IsolationLevel level)
      throws SQLException, SetupException, InterruptedException {
    monitor.awaitHousekeeping();
    boolean keeps = Ground.isKeptBy(testCase);
    boolean isSerial = isPlain() && testCase.sessions().size() <= 1;
    ground = isSerial || !mayBundle() ? grounds.get(0) : nextGround();
    boolean isAlone = isSerial && keeps && testCase.sessions().size() == 1;
    List<Sent> restoring = isAlone ? ground.restoring(testCase) : List.of();
    boolean isNew = false;
    if (isSerial && restoring.isEmpty()) {
      ground.restore(testCase);
    } else if (!isSerial) {
      isNew = ground.build(testCase);
    }
    if (!keeps) {
      ground.forget();
    }
    application.prepare(workspace, isNew);
    Session reader = session("reader");
    Map<String, Session> own = new LinkedHashMap<>();
    for (String name : testCase.sessions()) {
      Session session = session(name);
      session.reset();
      session.enter(ground.entering());
      session.setLevel(level, keeps);
      dbms.refresh(session.connection());
      own.put(name, session);
    }
    if (isAlone) {
      return alone(testCase, level, own.values().iterator().next(), reader, restoring);
    }
    CaseRun run = new CaseRun(testCase, level, own, surroundings, keeps);
    Optional<String> undecided = run.run();
    List<StepOutcome> finals = List.of();
    if (undecided.isPresent()) {
      giveUp(own.values());
      ground.forget();
    } else {
      finals = readFinals(testCase, reader);
      ground.leave(testCase, run.outcomes());
    }
    ground.note(run.outcomes());
    refused.note(testCase, run.outcomes());
    return new Execution(
        testCase,
        level,
        run.outcomes(),
        run.order(),
        run.ended(),
        finals,
        undecided,
        run.race(),
        application.observed());
  }

  /**
   * Executes a case of one session.
   *
   * @param restoring what it has to begin with, if the tables are not as they should be
   */
  private Execution alone(
      TestCase testCase,
      IsolationLevel level,
      Session session,
      Session reader,
      List<Sent> restoring)
      throws SQLException, SetupException, InterruptedException {
    SerialRun run =
        new SerialRun(
            testCase, session, dbms, monitor, refused.of(testCase), restoring, reads(testCase));
    boolean isDone = run.canGoTogether() && run.runTogether();
    boolean isUnknown = !restoring.isEmpty() || (run.canGoTogether() && !isDone);
    if (isUnknown) {
      ground.noteUnknown();
    }
    if (!isDone) {
      if (isUnknown) {
        ground.restore(testCase);
      }
      run.run();
    }
    ground.note(run.outcomes());
    refused.note(testCase, run.outcomes());
    return new Execution(
        testCase,
        level,
        run.outcomes(),
        run.order(),
        run.order().size(),
        isDone ? run.finals() : readFinals(testCase, reader),
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  private Ground nextGround() throws SQLException {
    turn = (turn + 1) % dbms.groundsInTurn();
    if (turn == grounds.size()) {
      Workspace other = dbms.newWorkspace();
      others.add(other);
      grounds.add(new Ground(dbms, other));
    }
    return grounds.get(turn);
  }

  /** True if several statements may be sent as one. Who watches sees into one at a time. */
  private boolean mayBundle() {
    return isPlain() && style == Style.SQL_TEXT;
  }

  private boolean isPlain() {
    return application == Application.PLAIN;
  }

  private Session session(String name) throws SQLException {
    Session known = sessions.get(name);
    if (known != null && known.fault() == null) {
      return known;
    }
    if (known != null) {
      known.close();
      sessions.remove(name);
    }
    Connection connection = application.connect(workspace, name);
    Session opened =
        new Session(
            name,
            dbms,
            connection,
            style,
            monitor.sessionOf(connection),
            completed,
            workspace.entering(),
            mayBundle());
    sessions.put(name, opened);
    return opened;
  }

  /** Ends sessions of which some may wait for others: each as soon as its step has come back. */
  private void giveUp(Collection<Session> given) throws InterruptedException {
    List<Session> busy = new ArrayList<>();
    for (Session session : given) {
      if (session.isBusy()) {
        session.cancel();
        busy.add(session);
      } else {
        giveUp(session);
      }
    }
    while (!busy.isEmpty()) {
      Session done = completed.poll(mostCancellingMillis(), TimeUnit.MILLISECONDS);
      Session next = done == null ? busy.get(0) : done;
      if (busy.remove(next)) {
        giveUp(next);
      }
    }
    completed.clear();
  }

  private long mostCancellingMillis() {
    return dbms.waitsInCallingThread() ? MOST_CANCELLING_HERE_MILLIS : MOST_CANCELLING_MILLIS;
  }

  private void giveUp(Session session) {
    hasLostSession |= !session.close(mostCancellingMillis());
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

  private List<StepOutcome> readFinals(TestCase testCase, Session reader)
      throws SQLException, InterruptedException {
    dbms.refresh(reader.connection());
    reader.enter(ground.entering());
    monitor.awaitHousekeeping();
    List<Sent> script = reads(testCase);
    boolean goTogether = mayBundle() && dbms.several() != Several.NOT;
    Optional<List<StepOutcome>> together =
        script.size() > 1 && goTogether ? reader.executeTogether(script) : Optional.empty();
    if (together.isPresent()) {
      return together.get();
    }
    List<StepOutcome> finals = new ArrayList<>();
    for (Sent read : script) {
      finals.add(reader.query(read.step(), read.text()));
    }
    return finals;
  }

  /** What reads the final state. */
  private List<Sent> reads(TestCase testCase) throws SQLException {
    List<String> reads = new ArrayList<>(testCase.finals());
    if (reads.isEmpty()) {
      for (String table : ground.tables()) {
        reads.add("SELECT * FROM " + table);
      }
    }
    return reads.stream()
        .map(sql -> new Sent(new Step(0, "F", Optional.empty(), sql), dbms.spell(sql)))
        .toList();
  }

  @Override
  public void close() throws SQLException {
    sessions.values().forEach(Session::close);
    sessions.clear();
    for (Ground each : grounds) {
      each.close();
    }
    for (Workspace own : others) {
      own.close();
    }
    monitor.close();
  }
}
