package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.StableErrorMessages;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.StepOutcome.Status;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A session: a connection, the only thread that uses it, and a queue of steps. It serves many
 * cases, one after another. The executor's thread calls all methods; results of the session's own
 * thread are handed over through the completion queue.
 */
final class CaseSession implements AutoCloseable {

  private static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();

  /** How long the session's thread may take to end. */
  private static final long MAX_CLOSE_MILLIS = 1_000;

  /** The task that ends the session's thread. */
  private static final Runnable END = () -> {};

  private final String name;
  private final Dbms dbms;
  private final Connection connection;
  private final JdbcCallStyle style;
  private final long key;
  private final BlockingQueue<CaseSession> completed;
  private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
  private final Thread thread;

  private final boolean canBundle;

  private final Queue<Step> waiting = new ArrayDeque<>();

  private @Nullable IsolationLevel level;

  /** The settings that differ from the server's. */
  private Map<String, String> settings = Map.of();

  private boolean prepares;

  /** The reads around the steps of the current case. */
  private ProbedBy probedBy = ProbedBy.NOTHING;

  /** Statements that precede the next one in the same round trip; mostly none. */
  private final List<String> pendingStatements = new ArrayList<>();

  /** True if the last of the pending statements begins a transaction. */
  private boolean hasPendingBegin;

  private @Nullable Step running;
  private boolean rollingBack;
  private boolean blocked;
  private boolean inTransaction;
  private boolean aborted;
  private boolean needsRollback;
  private boolean holdsLocks;

  /** True if it may hold locks outside of transactions, too. */
  private boolean keepsLocks;

  private long cpuNanosBefore;

  /** Whether the session was prepared with other sessions blocked; null if that is unknown. */
  private @Nullable Boolean preparedWithWaiters;

  /**
   * Written by the session's thread before it signals completion, read by the executor afterwards.
   */
  private @Nullable StepOutcome outcome;

  /** True while its thread executes a step or is blocked within one. */
  private volatile boolean atWork;

  private volatile @Nullable SQLException fault;
  private volatile @Nullable Statement statement;

  /**
   * What all sessions of an executor share.
   *
   * @param style how they use JDBC
   * @param completed receives a session when its step has completed
   * @param canBundle true if several statements may be sent as one
   */
  record Context(
      Dbms dbms, JdbcCallStyle style, BlockingQueue<CaseSession> completed, boolean canBundle) {}

  /**
   * The probe of a case and the session that it observes with.
   *
   * @param observer reads for one session at a time
   */
  record ProbedBy(StatementProbe probe, StatementProbe.Reader observer) {
    static final ProbedBy NOTHING = new ProbedBy(StatementProbe.NONE, queries -> List.of());
  }

  /**
   * Starts a session.
   *
   * @param key the session id of the DBMS
   */
  CaseSession(String name, Connection connection, long key, Context context) {
    this.name = name;
    this.dbms = context.dbms();
    this.connection = connection;
    this.style = context.style();
    this.key = key;
    this.completed = context.completed();
    this.canBundle = context.canBundle();
    this.thread = new Thread(this::serve, "session " + name);
    this.thread.setDaemon(true);
    this.thread.start();
  }

  private void serve() {
    try {
      for (Runnable next = work.take(); next != END; next = work.take()) {
        atWork = true;
        next.run();
        atWork = false;
        completed.add(this);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  String name() {
    return name;
  }

  /** The session id of the DBMS. */
  long key() {
    return key;
  }

  Connection connection() {
    return connection;
  }

  /** True if it begins and ends transactions by SQL. */
  boolean usesSqlTransactions() {
    return style == JdbcCallStyle.SQL_TEXT;
  }

  void enqueue(Step step) {
    waiting.add(step);
  }

  Optional<Step> next() {
    return Optional.ofNullable(waiting.peek());
  }

  boolean isBusy() {
    return running != null || rollingBack;
  }

  /** True after an error that ended the transaction, up to the step that would have ended it. */
  boolean isAborted() {
    return aborted;
  }

  /** Skips the next step. */
  void skip(Step step) {
    waiting.remove();
    if (step.role() == Step.Role.COMMIT || step.role() == Step.Role.ROLLBACK) {
      aborted = false;
    }
  }

  /**
   * Sends the next step.
   *
   * @param inline true if nothing can block it: the calling thread executes it
   */
  void submit(Step step, String sql, boolean inline) {
    waiting.remove();
    running = step;
    blocked = false;
    Runnable task = () -> outcome = execute(step, sql);
    if (inline) {
      runInline(task);
    } else {
      restartCpuClock();
      work.add(task);
    }
  }

  /**
   * Prepares the session for a step that may block.
   *
   * @see Dbms#prepareToBlock
   */
  void prepareToBlock(boolean othersBlocked) throws SQLException {
    if (preparedWithWaiters == null || preparedWithWaiters != othersBlocked) {
      dbms.prepareToBlock(connection, othersBlocked);
      preparedWithWaiters = othersBlocked;
    }
  }

  private void runInline(Runnable task) {
    task.run();
    completed.add(this);
  }

  private StepOutcome execute(Step step, String sql) {
    try {
      probedBy.probe().before(step, this::read, probedBy.observer());
      if (step.role() == Step.Role.BEGIN && canPiggybackBegin(step)) {
        pendingStatements.add(sql);
        hasPendingBegin = true;
        return StepOutcome.ofCount(step, 0);
      }
      StepOutcome executed =
          style.controlTransaction(connection, step.role())
              ? StepOutcome.ofCount(step, 0)
              : query(step, sql);
      probedBy.probe().after(executed, this::read, probedBy.observer());
      return executed;
    } catch (SQLException e) {
      return new StepOutcome(
          step,
          Status.ERROR,
          false,
          dbms.failure(e),
          Objects.requireNonNullElse(e.getSQLState(), ""),
          e.getErrorCode(),
          StableErrorMessages.of(e),
          -1,
          List.of(),
          List.of());
    }
  }

  private boolean canPiggybackBegin(Step step) {
    return canBundle
        && !inTransaction
        && dbms.canPiggybackBegin()
        && step.sql().strip().equalsIgnoreCase("BEGIN");
  }

  /** Executes queries, in one round trip if possible. */
  List<StepOutcome> read(List<String> queries) throws SQLException {
    if (!canBundle || dbms.multiStatement() == Dbms.MultiStatement.UNSUPPORTED) {
      List<StepOutcome> results = new ArrayList<>();
      for (String sql : queries) {
        results.add(query(SerialRun.INTERNAL, sql));
      }
      return results;
    }
    return queries.isEmpty()
        ? List.of()
        : executeTogether(
            queries.stream().map(sql -> new RenderedStep(SerialRun.INTERNAL, sql)).toList());
  }

  /** Executes a step as SQL and reads its result to the end. */
  StepOutcome query(Step step, String sql) throws SQLException {
    if (prepares && step.role() == Step.Role.WORK && !step.equals(SerialRun.INTERNAL)) {
      return queryPrepared(step, sql);
    }
    try (Statement executing = style.open(connection, sql)) {
      statement = executing;
      boolean isQuery =
          pendingStatements.isEmpty()
              ? style.execute(executing, sql)
              : executeAfterPending(executing, sql);
      if (isQuery) {
        try (ResultSet result = executing.getResultSet()) {
          return StepOutcome.ofQuery(step, result);
        }
      }
      return StepOutcome.ofCount(step, executing.getUpdateCount());
    } finally {
      statement = null;
    }
  }

  private StepOutcome queryPrepared(Step step, String sql) throws SQLException {
    if (!pendingStatements.isEmpty()) {
      try (Statement pending = connection.createStatement()) {
        String text = String.join(";\n", pendingStatements);
        pendingStatements.clear();
        hasPendingBegin = false;
        pending.execute(text);
      }
    }
    try (PreparedStatement executing = PreparedText.of(sql).prepare(connection)) {
      statement = executing;
      if (executing.execute()) {
        try (ResultSet result = executing.getResultSet()) {
          return StepOutcome.ofQuery(step, result);
        }
      }
      return StepOutcome.ofCount(step, executing.getUpdateCount());
    } finally {
      statement = null;
    }
  }

  /** Sends statements after the pending ones; returns true if the first one returned rows. */
  private boolean executeAfterPending(Statement executing, String sql) throws SQLException {
    int more = pendingStatements.size();
    String whole = more == 0 ? sql : String.join(";\n", pendingStatements) + ";\n" + sql;
    pendingStatements.clear();
    hasPendingBegin = false;
    boolean isQuery = executing.execute(whole);
    for (int i = 0; i < more; i++) {
      isQuery = executing.getMoreResults();
    }
    return isQuery;
  }

  /**
   * Executes the next step in the calling thread, with no other session active. If its error ended
   * the transaction, the transaction has been rolled back.
   */
  StepOutcome executeNext(String sql) {
    Step step = waiting.remove();
    running = step;
    blocked = false;
    outcome = execute(step, sql);
    StepOutcome taken = takeOutcome().orElseThrow();
    if (needsRollback) {
      rollBackInline();
    }
    return taken;
  }

  /**
   * Executes several steps in one round trip, with no other session active. No transaction is open
   * before the first one or after the last one.
   *
   * @return the outcomes; empty if one failed: what has been executed is then unknown, and no
   *     transaction is open
   */
  Optional<List<StepOutcome>> executeBundled(List<RenderedStep> script) {
    try {
      return Optional.of(executeTogether(script));
    } catch (SQLException e) {
      rollBackInline();
      return Optional.empty();
    }
  }

  private List<StepOutcome> executeTogether(List<RenderedStep> script) throws SQLException {
    List<StepOutcome> outcomes = new ArrayList<>(script.size());
    try (Statement executing = connection.createStatement()) {
      boolean isQuery =
          executeAfterPending(
              executing,
              script.stream().map(RenderedStep::text).collect(Collectors.joining(";\n")));
      for (RenderedStep sent : script) {
        if (isQuery) {
          try (ResultSet result = executing.getResultSet()) {
            outcomes.add(StepOutcome.ofQuery(sent.step(), result));
          }
        } else {
          outcomes.add(StepOutcome.ofCount(sent.step(), executing.getUpdateCount()));
        }
        isQuery = executing.getMoreResults();
      }
      return outcomes;
    }
  }

  /**
   * Executes a step that is sent singly among others that are sent together.
   *
   * @return its outcome; empty if its error ended the transaction: no transaction is open then
   */
  Optional<StepOutcome> executeSingle(RenderedStep sent) {
    StepOutcome executed = execute(sent.step(), sent.text());
    if (executed.failure() != null && executed.failure().endsTransaction()) {
      rollBackInline();
      return Optional.empty();
    }
    return Optional.of(executed);
  }

  /** Rolls back at once: after an error that ended the transaction, or at the end of a case. */
  void rollBack() {
    rollingBack = true;
    leaveTransaction();
    runInline(this::undo);
  }

  /** Rolls back without signalling completion. */
  void rollBackInline() {
    leaveTransaction();
    undo();
  }

  private void leaveTransaction() {
    inTransaction = false;
    needsRollback = false;
    holdsLocks = false;
    preparedWithWaiters = null;
  }

  private void undo() {
    if (hasPendingBegin) { // the transaction has not begun
      pendingStatements.remove(pendingStatements.size() - 1);
      hasPendingBegin = false;
      return;
    }
    try {
      style.rollBack(connection);
    } catch (SQLException e) {
      fault = e;
    }
  }

  /** True if its thread waits within a step or has completed it; false if it has not started it. */
  boolean isThreadWaiting() {
    if (!atWork) {
      return false;
    }
    Thread.State state = thread.getState();
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }

  /** Records that the session may have been released: its CPU time counts from now on. */
  void restartCpuClock() {
    cpuNanosBefore = TIMES.getThreadCpuTime(thread.getId());
  }

  /** Its CPU time in this process since its step was sent or since it may have been released. */
  long cpuNanos() {
    return TIMES.getThreadCpuTime(thread.getId()) - cpuNanosBefore;
  }

  /** True if it was found to be blocked and has not returned. */
  boolean isBlocked() {
    return blocked && isBusy();
  }

  /** True if the error of the last completed step ended the transaction. */
  boolean needsRollback() {
    return needsRollback;
  }

  /** Records that the DBMS reports the running step as blocked. */
  void markBlocked() {
    blocked = true;
  }

  /** After completion: the outcome of the step; empty if it was a rollback. */
  Optional<StepOutcome> takeOutcome() {
    if (rollingBack) {
      rollingBack = false;
      return Optional.empty();
    }
    Step step = Objects.requireNonNull(running);
    running = null;
    StepOutcome result = Objects.requireNonNull(outcome);
    outcome = null;
    boolean ended = result.failure() != null && result.failure().endsTransaction();
    needsRollback = ended && inTransaction;
    switch (step.role()) {
      case BEGIN -> {
        inTransaction |= result.succeeded();
        aborted |= ended && !inTransaction; // a lock that it was to take, and did not get
      }
      case COMMIT, ROLLBACK -> inTransaction &= !result.succeeded();
      case WORK -> aborted |= needsRollback;
    }
    holdsLocks = inTransaction && (holdsLocks || step.role() == Step.Role.WORK);
    keepsLocks |= StatementText.mayKeepLocks(step.sql());
    if (!result.succeeded() || step.role() == Step.Role.ROLLBACK) {
      preparedWithWaiters = null; // the end of a transaction reverts its settings
    }
    return Optional.of(blocked ? result.asBlocked() : result);
  }

  /** True if a step has begun a transaction and none has ended it. */
  boolean isInTransaction() {
    return inTransaction;
  }

  /** True if it may block other sessions. */
  boolean holdsLocks() {
    return holdsLocks || keepsLocks || isBusy();
  }

  /**
   * Sets the level of the transactions to come.
   *
   * @param lasting false if the case may change it
   */
  void setLevel(IsolationLevel wanted, boolean lasting) throws SQLException {
    if (level != wanted) {
      Optional<String> statement = canBundle ? dbms.levelStatement(wanted) : Optional.empty();
      if (statement.isPresent()) {
        pendingStatements.add(statement.get());
      } else {
        dbms.setLevel(connection, wanted);
      }
    }
    level = lasting ? wanted : null;
  }

  /**
   * Gives the session the settings of a case; all others become the server's.
   *
   * @throws ScheduleExecutor.SetupException if the DBMS does not have one of them
   */
  void applySettings(Map<String, String> wanted) throws ScheduleExecutor.SetupException {
    if (wanted.equals(settings)) {
      return;
    }
    Set<String> names = new TreeSet<>(settings.keySet());
    names.addAll(wanted.keySet());
    for (String name : names) {
      Optional<String> value = Optional.ofNullable(wanted.get(name));
      try (Statement setting = connection.createStatement()) {
        setting.execute(
            dbms.settingStatement(name, value)
                .orElseThrow(() -> new SQLException("no such settings on this DBMS", "0A000")));
      } catch (SQLException e) {
        throw new ScheduleExecutor.SetupException(name, e);
      }
    }
    settings = wanted;
  }

  /** Determines whether the current case's statements are sent as prepared ones. */
  void prepareStatements(boolean prepares) {
    this.prepares = prepares;
  }

  /** Sets the reads around the steps of the current case. */
  void probe(ProbedBy by) {
    probedBy = by;
  }

  /** Discards the state of the previous case. */
  void reset() {
    probedBy = ProbedBy.NOTHING;
    waiting.clear();
    aborted = false;
    blocked = false;
    holdsLocks = false;
    keepsLocks = false;
  }

  /** Why it cannot be used any more; null if it can. */
  @Nullable SQLException fault() {
    return fault;
  }

  /** Cancels the running statement, if the DBMS supports that. */
  void cancel() {
    Statement executing = statement;
    if (executing != null) {
      try {
        executing.cancel();
      } catch (SQLException e) {
        fault = e; // the session is being abandoned
      } catch (RuntimeException e) {
        fault = new SQLException(e); // Connector/J's NullPointerException on a closed connection
      }
    }
  }

  /**
   * Cancels the running statement and closes the session. Does not wait for a DBMS that does not
   * respond.
   */
  @Override
  public void close() {
    close(MAX_CLOSE_MILLIS);
  }

  /**
   * Cancels the running statement and closes the session.
   *
   * @param maxMillis how long the running step may take to return
   * @return false if it has not returned and the DBMS may continue to execute it: in this process,
   *     its transaction stays open
   */
  boolean close(long maxMillis) {
    cancel();
    work.clear();
    work.add(END);
    try {
      thread.join(isBusy() ? maxMillis : MAX_CLOSE_MILLIS);
      if (!thread.isAlive()) {
        connection.close();
        return true;
      }
      connection.abort(Runnable::run);
      if (dbms.blocksCallingThread()) {
        thread.interrupt();
        return false;
      }
    } catch (SQLException e) {
      fault = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return true;
  }

  /** Ends the session without waiting for its statement, which does not return. */
  void abort() {
    work.clear();
    work.add(END);
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      fault = e;
    }
  }

  @Override
  public String toString() {
    return name + (running == null ? "" : " running " + running.sql());
  }
}
