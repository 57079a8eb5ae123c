package io.txwatch.endtoend;

import io.txwatch.endtoend.Scenario.Step;
import io.txwatch.endtoend.StatementOutcome.Status;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One session of a run: a connection, the thread that alone uses it, and the lines that wait their
 * turn. All methods are for the runner's thread.
 */
final class ScenarioSession implements AutoCloseable {

  private final String name;
  private final Connection connection;
  private final long key;
  private final Style style;
  private final Consumer<ScenarioSession> whenCompleted;
  private final ExecutorService thread;
  private final Queue<Step> waiting = new ArrayDeque<>();

  private @Nullable Step running;
  private boolean rollingBack;
  private boolean blocked;
  private boolean broken;
  private boolean committed;

  /** Written by the session's thread before it tells of completion, read by the runner after. */
  private volatile @Nullable StatementOutcome outcome;

  private volatile @Nullable SQLException error;

  ScenarioSession(
      String name,
      Connection connection,
      long key,
      Style style,
      Consumer<ScenarioSession> whenCompleted) {
    this.name = name;
    this.connection = connection;
    this.key = key;
    this.style = style;
    this.whenCompleted = whenCompleted;
    this.thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread newThread = new Thread(task, "session " + name);
              newThread.setDaemon(true);
              return newThread;
            });
  }

  String name() {
    return name;
  }

  /** The DBMS's own number for it. */
  long key() {
    return key;
  }

  void enqueue(Step step) {
    waiting.add(step);
  }

  /** The line whose turn it is. */
  Optional<Step> next() {
    return Optional.ofNullable(waiting.peek());
  }

  boolean isBusy() {
    return running != null || rollingBack;
  }

  /** True from an error that ended the transaction up to the line that would have ended it. */
  boolean isBroken() {
    return broken;
  }

  boolean hasCommitted() {
    return committed;
  }

  /** Passes over the next line. */
  void skip(Step step) {
    waiting.remove();
    if (step.commits() || step.rollsBack()) {
      broken = false;
    }
  }

  /** Submits the next line. */
  void submit(Step step, String sql) {
    waiting.remove();
    running = step;
    blocked = false;
    error = null;
    thread.execute(
        () -> {
          try {
            outcome = style.execute(connection, step, sql);
          } catch (SQLException e) {
            error = e;
            String state = e.getSQLState() == null ? "" : e.getSQLState();
            outcome =
                new StatementOutcome(
                    step, Status.ERROR, false, state, e.getErrorCode(), -1, List.of(), List.of());
          }
          whenCompleted.accept(this);
        });
  }

  /** Rolls back after an error; the lines up to the transaction's end are to be skipped. */
  void breakOff() {
    broken = true;
    committed = false;
    rollingBack = true;
    error = null;
    thread.execute(
        () -> {
          try {
            style.rollback(connection);
          } catch (SQLException e) {
            error = e;
          }
          whenCompleted.accept(this);
        });
  }

  /** Notes that the DBMS says that the running statement is blocked. */
  void noteBlocked() {
    blocked = true;
  }

  /** After completion: the outcome of the line that ran; empty if it was the rollback. */
  Optional<StatementOutcome> takeOutcome() {
    if (rollingBack) {
      rollingBack = false;
      SQLException failure = error;
      if (failure != null) {
        throw new IllegalStateException(name + " cannot roll back", failure);
      }
      return Optional.empty();
    }
    Step step = Objects.requireNonNull(running);
    running = null;
    StatementOutcome result = Objects.requireNonNull(outcome);
    if (step.commits()) {
      committed = result.succeeded();
      broken = false;
    }
    return Optional.of(blocked ? result.whichWasBlocked() : result);
  }

  /** The error of the line that was completed last. */
  Optional<SQLException> error() {
    return Optional.ofNullable(error);
  }

  @Override
  public void close() throws SQLException {
    thread.shutdownNow();
    connection.close();
    try {
      if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
        throw new IllegalStateException(name + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String toString() {
    return name + (running == null ? "" : " running " + running.sql());
  }
}
