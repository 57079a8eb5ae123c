package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.WaitMonitor;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.StepOutcome.Status;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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

  /** When the DBMS is first asked whether a statement that has not completed is blocked. */
  private static final long FIRST_LOOK_MICROS = 300;

  /** Who was set free may run into the next lock at once, and be let through there. */
  private static final int LOOKS_AFTER_AN_END = 2;

  /** A statement that is not blocked then is slow: it is asked for less and less often. */
  private static final long LAST_LOOK_MICROS = 5_000;

  private final Dbms dbms;
  private final Workspace workspace;
  private final WaitMonitor monitor;

  /** Sets cases up; the application knows nothing of it. */
  private final Connection founder;

  private final Duration patience;
  private final Ground ground;
  private final Application application;
  private final Style style;
  private final BlockingQueue<Session> completed = new LinkedBlockingQueue<>();
  private final Map<String, Session> sessions = new LinkedHashMap<>();

  /** The application whose sessions a case describes: how it comes by connections. */
  public interface Application {

    /** One that uses the workspace's own connections. */
    Application PLAIN =
        new Application() {
          @Override
          public void prepare(Workspace workspace) {}

          @Override
          public Connection connect(Workspace workspace, String session) throws SQLException {
            return workspace.connect();
          }
        };

    /** A case has been set up; its sessions go to work next. */
    void prepare(Workspace workspace) throws SQLException;

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
    this(
        dbms,
        workspace,
        patience,
        Application.PLAIN,
        dbms.beginsBySql() ? Style.SQL_TEXT : Style.SQL_IN_JDBC_TRANSACTIONS);
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
    this.dbms = dbms;
    this.workspace = workspace;
    this.patience = patience;
    this.application = application;
    this.style = style;
    this.monitor = workspace.newMonitor();
    this.founder = workspace.connect();
    this.ground = new Ground(dbms, workspace, founder);
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
    if (application != Application.PLAIN) { // what it prepares are new tables
      ground.forget();
      ground.build(testCase);
    } else if (testCase.sessions().size() > 1) {
      ground.build(testCase);
    } else {
      ground.restore(testCase);
    }
    boolean keeps = Ground.isKeptBy(testCase);
    if (!keeps) {
      ground.forget();
    }
    application.prepare(workspace);
    Session reader = session("reader");
    Map<String, Session> own = new LinkedHashMap<>();
    for (String name : testCase.sessions()) {
      Session session = session(name);
      session.reset();
      session.setLevel(level, keeps);
      dbms.refresh(session.connection());
      own.put(name, session);
    }
    Run run = new Run(testCase, own, keeps);
    Optional<String> undecided = run.run();
    List<StepOutcome> finals = List.of();
    if (undecided.isPresent()) {
      giveUp(own.values());
      ground.forget();
    } else {
      dbms.refresh(reader.connection());
      finals = readFinals(testCase, reader);
    }
    return new Execution(
        testCase, level, run.outcomes(), run.order, finals, undecided, application.observed());
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
        new Session(name, dbms, connection, style, monitor.sessionOf(connection), completed);
    sessions.put(name, opened);
    return opened;
  }

  private void giveUp(Collection<Session> given) {
    for (Session session : given) {
      session.close();
      sessions.remove(session.name());
    }
    completed.clear();
  }

  private List<StepOutcome> readFinals(TestCase testCase, Session reader) throws SQLException {
    List<String> reads = new ArrayList<>(testCase.finals());
    if (reads.isEmpty()) {
      for (String table : ground.tables()) {
        reads.add("SELECT * FROM " + table);
      }
    }
    List<StepOutcome> finals = new ArrayList<>();
    for (String sql : reads) {
      Step step = new Step(0, "F", Optional.empty(), sql);
      finals.add(reader.query(step, dbms.spell(sql)));
    }
    return finals;
  }

  /** One case on its way. */
  private final class Run {
    private final TestCase testCase;
    private final Map<String, Session> own;

    /** True if the case changes nothing but rows. */
    private final boolean keeps;

    private final Map<Integer, StepOutcome> outcomes = new HashMap<>();
    private final List<Integer> order = new ArrayList<>();

    /** What has completed since the sessions were last at rest. */
    private final List<StepOutcome> settling = new ArrayList<>();

    Run(TestCase testCase, Map<String, Session> own, boolean keeps) {
      this.testCase = testCase;
      this.own = own;
      this.keeps = keeps;
    }

    /** Runs; says why the outcome cannot be told, if so. */
    Optional<String> run() throws SQLException, InterruptedException {
      for (Step step : testCase.steps()) {
        Objects.requireNonNull(own.get(step.session())).enqueue(step);
        if (!goOn()) {
          return Optional.of("does not come to rest after '" + step.sql() + "'");
        }
      }
      while (isSomeoneBusy()) {
        // Those who still wait, wait for somebody whose case has ended within a transaction.
        Optional<Session> idle =
            own.values().stream()
                .filter(session -> !session.isBusy() && session.isInTransaction())
                .findFirst();
        if (idle.isEmpty()) {
          return Optional.of("sessions wait that nobody blocks");
        }
        idle.get().rollBack();
        if (!settle(Optional.empty(), false) || !goOn()) {
          return Optional.of("does not come to rest at its end");
        }
      }
      own.values().stream().filter(Session::isInTransaction).forEach(Session::rollBack);
      return settle(Optional.empty(), true)
          ? Optional.empty()
          : Optional.of("does not come to rest at its end");
    }

    /**
     * Submits what can be: one step, and when all are at rest again the next, so that what runs
     * beside what does not hang on who is faster.
     */
    private boolean goOn() throws SQLException, InterruptedException {
      for (Optional<Step> step = submitNext(); step.isPresent(); step = submitNext()) {
        if (!settle(step, false)) {
          return false;
        }
      }
      return true;
    }

    private boolean isSomeoneBusy() {
      return own.values().stream().anyMatch(Session::isBusy);
    }

    /**
     * Waits until every session is idle, or, unless all must be, blocked by one that is.
     *
     * @param submitted the step that was submitted since they were
     */
    private boolean settle(Optional<Step> submitted, boolean allIdle)
        throws SQLException, InterruptedException {
      long deadline = System.nanoTime() + patience.toNanos();
      long pause = FIRST_LOOK_MICROS;
      int looks = 1;
      try {
        while (true) {
          List<Session> busy = own.values().stream().filter(Session::isBusy).toList();
          if (busy.isEmpty()) {
            return true;
          }
          Session done = completed.poll(pause, TimeUnit.MICROSECONDS);
          if (done != null) {
            boolean mayFree = take(done);
            pause = mayFree ? FIRST_LOOK_MICROS : 0;
            looks = mayFree ? LOOKS_AFTER_AN_END : looks;
          } else if (!allIdle && areAtRest(busy)) {
            if (--looks == 0) {
              return true;
            }
          } else if (System.nanoTime() > deadline) {
            return false;
          } else {
            pause = Math.min(Math.max(2 * pause, FIRST_LOOK_MICROS), LAST_LOOK_MICROS);
          }
        }
      } finally {
        note(submitted);
      }
    }

    /** The step that was sent; empty if nobody has one who could send it. */
    private Optional<Step> submitNext() {
      for (Session session : own.values()) {
        while (!session.isBusy() && session.next().isPresent()) {
          Step step = session.next().get();
          if (!session.isBroken()) {
            session.submit(step, dbms.spell(step.sql()), cannotBlock(step));
            return Optional.of(step);
          }
          outcomes.put(step.id(), StepOutcome.without(step, Status.SKIPPED));
          session.skip(step);
        }
      }
      return Optional.empty();
    }

    /** True if a step cannot but come back soon: nobody else is there, or it only begins. */
    private boolean cannotBlock(Step step) {
      return keeps && (own.size() == 1 || step.role() == Step.Role.BEGIN);
    }

    /** Takes what has completed; true if it may have set others free. */
    private boolean take(Session session) {
      Optional<StepOutcome> taken = session.takeOutcome();
      if (taken.isEmpty()) {
        return true;
      }
      StepOutcome outcome = taken.get();
      outcomes.put(outcome.step().id(), outcome);
      settling.add(outcome);
      if (session.owesRollback()) {
        session.rollBack();
      }
      return !outcome.succeeded()
          || !session.isInTransaction()
          || own.values().stream().anyMatch(other -> other.isBusy() && !other.isBlocked());
    }

    /**
     * Notes in which order the steps completed: that in which they are heard of is another one. A
     * COMMIT was before what it set free; the victim of a deadlock before the step that it made way
     * for; those that were set free at the same time are in the order in which they came.
     */
    private void note(Optional<Step> submitted) {
      int sender = submitted.map(Step::id).orElse(0);
      boolean ends = submitted.filter(step -> step.role() != Step.Role.WORK).isPresent();
      settling.sort(
          Comparator.<StepOutcome>comparingInt(
                  outcome -> {
                    boolean isVictim =
                        outcome.failure() != null
                            && outcome.failure().kind() == Failure.Kind.DEADLOCK;
                    return isVictim && !ends ? 0 : outcome.step().id() == sender ? 1 : 2;
                  })
              .thenComparingInt(outcome -> outcome.step().id()));
      settling.forEach(outcome -> order.add(outcome.step().id()));
      settling.clear();
    }

    /** True if each of the sessions is blocked by one that is idle, directly or over others. */
    private boolean areAtRest(Collection<Session> busy) throws SQLException {
      Map<Long, Set<Long>> waiting = monitor.waiting();
      if (!busy.stream().allMatch(session -> waiting.containsKey(session.key()))
          || !completed.isEmpty()
          || isInCircle(waiting)) {
        return false;
      }
      busy.forEach(Session::noteBlocked);
      return true;
    }

    /** True if some of our sessions wait in a circle, or for those that do. */
    private boolean isInCircle(Map<Long, Set<Long>> waiting) {
      Set<Long> stuck = new HashSet<>();
      own.values().stream().map(Session::key).filter(waiting::containsKey).forEach(stuck::add);
      boolean shrinks = true;
      while (shrinks) {
        shrinks =
            stuck.removeIf(
                session ->
                    waiting.getOrDefault(session, Set.of()).stream().noneMatch(stuck::contains));
      }
      return !stuck.isEmpty();
    }

    List<StepOutcome> outcomes() {
      return testCase.steps().stream()
          .map(
              step -> outcomes.getOrDefault(step.id(), StepOutcome.without(step, Status.UNDECIDED)))
          .toList();
    }
  }

  @Override
  public void close() throws SQLException {
    sessions.values().forEach(Session::close);
    sessions.clear();
    founder.close();
    monitor.close();
  }
}
