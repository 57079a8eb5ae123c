package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Messages;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.StepOutcome.Status;
import io.txwatch.testcase.Step;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One session: a connection, the thread that alone uses it, and the steps that wait their turn. It
 * serves many cases, one after another. All methods are for the executor's thread; what the
 * session's own thread has done is handed over through the completion queue.
 */
final class Session implements AutoCloseable {

  private static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();

  /** How long its thread is waited for at the end. */
  private static final long MOST_ENDING_MILLIS = 1_000;

  /** What the session's thread does at the end. */
  private static final Runnable END = () -> {};

  private final String name;
  private final Dbms dbms;
  private final Connection connection;
  private final Style style;
  private final long key;
  private final BlockingQueue<Session> completed;
  private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
  private final Thread thread;

  /** True if several statements may be sent as one. */
  private final boolean mayBundle;

  private final Queue<Step> waiting = new ArrayDeque<>();

  private @Nullable IsolationLevel level;

  /** What has to be executed before the next statement, in the same round trip; mostly nothing. */
  private final List<String> before = new ArrayList<>();

  /** True if the last of that begins a transaction. */
  private boolean beginsWithNext;

  /** What has led to the tables that its statements name. */
  private Optional<String> place;

  private @Nullable Step running;
  private boolean rollingBack;
  private boolean blocked;
  private boolean inTransaction;
  private boolean broken;
  private boolean owesRollback;
  private boolean holdsLocks;
  private long computedBefore;

  /** Whether it is told to look for circles at once; null if it may have forgotten. */
  private @Nullable Boolean closesCircles;

  /** Written by the session's thread before it tells of completion, read by the executor after. */
  private @Nullable StepOutcome outcome;

  /** True while its thread executes what it was given, be it that it waits within. */
  private volatile boolean atWork;

  private volatile @Nullable SQLException fault;
  private volatile @Nullable Statement statement;

  Session(
      String name,
      Dbms dbms,
      Connection connection,
      Style style,
      long key,
      BlockingQueue<Session> completed,
      Optional<String> place,
      boolean mayBundle) {
    this.name = name;
    this.dbms = dbms;
    this.connection = connection;
    this.style = style;
    this.key = key;
    this.completed = completed;
    this.place = place;
    this.mayBundle = mayBundle;
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

  /** The DBMS's own number for it. */
  long key() {
    return key;
  }

  Connection connection() {
    return connection;
  }

  /** True if it begins and ends transactions by SQL, too. */
  boolean speaksSql() {
    return style == Style.SQL_TEXT;
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

  /** True from an error that ended the transaction up to the step that would have ended it. */
  boolean isBroken() {
    return broken;
  }

  /** Passes over the next step. */
  void skip(Step step) {
    waiting.remove();
    if (step.role() == Step.Role.COMMIT || step.role() == Step.Role.ROLLBACK) {
      broken = false;
    }
  }

  /**
   * Sends the next step.
   *
   * @param atOnce true if nothing can block it: the caller's thread executes it
   */
  void submit(Step step, String sql, boolean atOnce) {
    waiting.remove();
    running = step;
    blocked = false;
    Runnable task = () -> outcome = execute(step, sql);
    if (atOnce) {
      perform(task);
    } else {
      mayBeFree();
      work.add(task);
    }
  }

  /**
   * Readies the session to wait, before a step: others do so already, or nobody.
   *
   * @see Dbms#closesCircles
   */
  void closesCircles(boolean othersWait) throws SQLException {
    if (closesCircles == null || closesCircles != othersWait) {
      dbms.closesCircles(connection, othersWait);
      closesCircles = othersWait;
    }
  }

  private void perform(Runnable task) {
    task.run();
    completed.add(this);
  }

  private StepOutcome execute(Step step, String sql) {
    if (step.role() == Step.Role.BEGIN && canBeginWithNext(step)) {
      before.add(sql);
      beginsWithNext = true;
      return StepOutcome.ofCount(step, 0);
    }
    try {
      return style.control(connection, step.role())
          ? StepOutcome.ofCount(step, 0)
          : query(step, sql);
    } catch (SQLException e) {
      return new StepOutcome(
          step,
          Status.ERROR,
          false,
          dbms.failure(e),
          Objects.requireNonNullElse(e.getSQLState(), ""),
          e.getErrorCode(),
          Messages.of(e),
          -1,
          List.of(),
          List.of());
    }
  }

  private boolean canBeginWithNext(Step step) {
    return mayBundle
        && !inTransaction
        && dbms.beginsWithNext()
        && step.sql().strip().equalsIgnoreCase("BEGIN");
  }

  /** Executes a step as SQL, and reads its result to the end. */
  StepOutcome query(Step step, String sql) throws SQLException {
    try (Statement executing = style.open(connection, sql)) {
      statement = executing;
      boolean isQuery = before.isEmpty() ? style.execute(executing, sql) : first(executing, sql);
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

  /** Sends statements behind what has to be executed before; true if the first returned rows. */
  private boolean first(Statement executing, String sql) throws SQLException {
    int more = before.size();
    String whole = more == 0 ? sql : String.join(";\n", before) + ";\n" + sql;
    before.clear();
    beginsWithNext = false;
    boolean isQuery = executing.execute(whole);
    for (int i = 0; i < more; i++) {
      isQuery = executing.getMoreResults();
    }
    return isQuery;
  }

  /**
   * Sends the next step from the caller's thread, beside no other session, and gives what came of
   * it. If its error ended the transaction, it has been rolled back.
   */
  StepOutcome executeNext(String sql) {
    Step step = waiting.remove();
    running = step;
    blocked = false;
    outcome = execute(step, sql);
    StepOutcome taken = takeOutcome().orElseThrow();
    if (owesRollback) {
      rollBackAlone();
    }
    return taken;
  }

  /**
   * Sends several steps in one round trip, beside no other session. No transaction is open before
   * the first and after the last that is sent so.
   *
   * @return what came of each; empty if one failed: what has been done is not known then, and no
   *     transaction is open
   */
  Optional<List<StepOutcome>> executeTogether(List<Sent> script) {
    List<StepOutcome> outcomes = new ArrayList<>(script.size());
    try (Statement executing = connection.createStatement()) {
      boolean isQuery =
          first(executing, script.stream().map(Sent::text).collect(Collectors.joining(";\n")));
      for (Sent sent : script) {
        if (isQuery) {
          try (ResultSet result = executing.getResultSet()) {
            outcomes.add(StepOutcome.ofQuery(sent.step(), result));
          }
        } else {
          outcomes.add(StepOutcome.ofCount(sent.step(), executing.getUpdateCount()));
        }
        isQuery = executing.getMoreResults();
      }
      return Optional.of(outcomes);
    } catch (SQLException e) {
      rollBackAlone();
      return Optional.empty();
    }
  }

  /**
   * Sends a step between others that were sent together.
   *
   * @return what came of it; empty if its error ended the transaction: none is open then
   */
  Optional<StepOutcome> executeApart(Sent sent) {
    StepOutcome executed = execute(sent.step(), sent.text());
    if (executed.failure() != null && executed.failure().endsTransaction()) {
      rollBackAlone();
      return Optional.empty();
    }
    return Optional.of(executed);
  }

  /** Rolls back, at once: after an error that ended the transaction, or at the end of a case. */
  void rollBack() {
    rollingBack = true;
    leaveTransaction();
    perform(this::undo);
  }

  /** The same where the executor does not wait for it to be told of. */
  void rollBackAlone() {
    leaveTransaction();
    undo();
  }

  private void leaveTransaction() {
    inTransaction = false;
    owesRollback = false;
    holdsLocks = false;
    closesCircles = null;
  }

  private void undo() {
    if (beginsWithNext) { // it has not been begun
      before.remove(before.size() - 1);
      beginsWithNext = false;
      return;
    }
    try {
      style.rollBack(connection);
    } catch (SQLException e) {
      fault = e;
    }
  }

  /**
   * True if its thread waits within a step, or has completed one: not if it has yet to come to the
   * one that it was given.
   */
  boolean waitsItself() {
    if (!atWork) {
      return false;
    }
    Thread.State state = thread.getState();
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }

  /** Something happens that may set it free. */
  void mayBeFree() {
    computedBefore = TIMES.getThreadCpuTime(thread.getId());
  }

  /**
   * For how much of the processor's time it has computed in this process since its step was sent,
   * or since something happened that may have set it free.
   */
  long computedNanos() {
    return TIMES.getThreadCpuTime(thread.getId()) - computedBefore;
  }

  /** True if it was seen to be blocked, and has not come back. */
  boolean isBlocked() {
    return blocked && isBusy();
  }

  /** True if the step that completed last ended the transaction by its error. */
  boolean owesRollback() {
    return owesRollback;
  }

  /** Notes that the DBMS says that the running step is blocked. */
  void noteBlocked() {
    blocked = true;
  }

  /** After completion: the outcome of the step that ran; empty if it was a rollback. */
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
    owesRollback = ended && inTransaction;
    switch (step.role()) {
      case BEGIN -> inTransaction |= result.succeeded();
      case COMMIT, ROLLBACK -> inTransaction &= !result.succeeded();
      case WORK -> broken |= owesRollback;
    }
    holdsLocks = inTransaction && (holdsLocks || step.role() == Step.Role.WORK);
    if (!result.succeeded() || step.role() == Step.Role.ROLLBACK) {
      closesCircles = null; // a setting made in a transaction goes with it
    }
    return Optional.of(blocked ? result.whichWasBlocked() : result);
  }

  /** True if a transaction that a step began has not been ended. */
  boolean isInTransaction() {
    return inTransaction;
  }

  /** True if others may have to wait for it. */
  boolean holdsLocks() {
    return holdsLocks || isBusy();
  }

  /**
   * Sets the level of the transactions to come.
   *
   * @param lasting false if the case may set another one
   */
  void setLevel(IsolationLevel wanted, boolean lasting) throws SQLException {
    if (level != wanted) {
      Optional<String> statement = mayBundle ? dbms.levelStatement(wanted) : Optional.empty();
      if (statement.isPresent()) {
        before.add(statement.get());
      } else {
        dbms.setLevel(connection, wanted);
      }
    }
    level = lasting ? wanted : null;
  }

  /** Goes over to the tables that a statement leads to; empty if there are no others. */
  void enter(Optional<String> entering) {
    if (!entering.equals(place)) {
      entering.ifPresent(before::add);
      place = entering;
    }
  }

  /** Forgets what a case left. */
  void reset() {
    waiting.clear();
    broken = false;
    blocked = false;
    holdsLocks = false;
  }

  /** Why it cannot be used any more; null if it can. */
  @Nullable SQLException fault() {
    return fault;
  }

  /** Stops what runs, if the DBMS listens. */
  void cancel() {
    Statement executing = statement;
    if (executing != null) {
      try {
        executing.cancel();
      } catch (SQLException e) {
        fault = e; // it is being given up anyway
      } catch (RuntimeException e) {
        fault = new SQLException(e); // Connector/J's NullPointerException on a closed connection
      }
    }
  }

  /** Stops what runs, and ends. Does not wait for a DBMS that does not answer. */
  @Override
  public void close() {
    close(MOST_ENDING_MILLIS);
  }

  /**
   * The same.
   *
   * @param mostMillis how long what runs is waited for
   * @return false if it has not come back, and the DBMS may go on with it: where that is in this
   *     process, its transaction stays open
   */
  boolean close(long mostMillis) {
    cancel();
    work.clear();
    work.add(END);
    try {
      thread.join(isBusy() ? mostMillis : MOST_ENDING_MILLIS);
      if (!thread.isAlive()) {
        connection.close();
        return true;
      }
      connection.abort(Runnable::run);
      if (dbms.waitsInCallingThread()) {
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

  @Override
  public String toString() {
    return name + (running == null ? "" : " running " + running.sql());
  }
}
