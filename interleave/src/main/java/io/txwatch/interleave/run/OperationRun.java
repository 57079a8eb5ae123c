package io.txwatch.interleave.run;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedConnection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One execution of an operation. Its state is guarded by the lock of its {@link GatedProgram}. */
final class OperationRun {

  private static final long NOT_PARKED = -1;

  /** What an operation is doing. */
  enum State {
    /** Its thread has not been started. */
    NOT_BEGUN,
    /** It executes: Java code, or a call that has not returned. */
    RUNNING,
    /** It is about to make a call. */
    AT_GATE,
    /** Its call waits for a lock of the DBMS. */
    BLOCKED,
    /** It waits for something in this process. */
    BLOCKED_IN_PROCESS,
    /** It has returned or thrown. */
    ENDED
  }

  private final Operation operation;
  private final Thread thread;
  private final List<GatedCall> calls = new ArrayList<>();
  private final BitSet blocked = new BitSet();
  private final Set<Long> connections = new HashSet<>();

  /** Those on which it has executed something since the last commit or rollback. */
  private final Set<GatedConnection> inTransaction = new HashSet<>();

  private State state = State.NOT_BEGUN;

  private long firstParked = NOT_PARKED;
  private long arrivals;
  private @Nullable GatedCall next;

  /** That of its last call. */
  private @Nullable Thread caller;

  private @Nullable Object returned;
  private @Nullable Throwable thrown;

  OperationRun(Operation operation, Runnable body) {
    this.operation = operation;
    this.thread = BackgroundThreads.create("txwatch-operation " + operation.name(), body);
  }

  Operation operation() {
    return operation;
  }

  Thread thread() {
    return thread;
  }

  /** The given thread makes its next call. */
  void caller(Thread now) {
    caller = now;
  }

  /** The thread that it executes on, as far as that is known. */
  Thread worker() {
    Thread last = caller;
    return last == null || !operation.isExecutedByOthers() ? thread : last;
  }

  /** True if it waits, as far as that is known: not if other threads execute it. */
  boolean isParked() {
    Thread last = caller;
    return last == null
        ? !operation.isExecutedByOthers() && isEachParked(thread)
        : isEachParked(thread, last);
  }

  private static boolean isEachParked(Thread... threads) {
    return Arrays.stream(threads)
        .allMatch(
            one ->
                switch (one.getState()) {
                  case BLOCKED, WAITING, TIMED_WAITING -> true;
                  case NEW, RUNNABLE, TERMINATED -> false;
                });
  }

  State state() {
    return state;
  }

  void state(State now) {
    state = now;
    if (now == State.BLOCKED) {
      blocked.set(calls.size() - 1);
    }
  }

  /** The call that it is about to make. */
  GatedCall next() {
    return java.util.Objects.requireNonNull(next);
  }

  boolean hasNext() {
    return next != null;
  }

  /** It is about to make a call; returns how many have been so far. */
  long arrived(GatedCall call) {
    next = call;
    state = State.AT_GATE;
    return ++arrivals;
  }

  long arrivals() {
    return arrivals;
  }

  /**
   * How long its thread has been waiting each time that was looked up, in nanoseconds.
   *
   * @param isParked whether it is now
   * @param now the time, by {@link System#nanoTime}
   */
  long parkedSince(boolean isParked, long now) {
    if (!isParked) {
      firstParked = NOT_PARKED;
      return 0;
    }
    firstParked = firstParked == NOT_PARKED ? now : firstParked;
    return now - firstParked;
  }

  /** Its next call goes on. */
  void released() {
    firstParked = NOT_PARKED;
    GatedCall call = next();
    calls.add(call);
    if (call.type() == GatedCall.Type.STATEMENT && !call.isAutocommit()) {
      inTransaction.add(call.connection());
    } else {
      inTransaction.remove(call.connection());
    }
    connections.add(call.connection().number());
    next = null;
    state = State.RUNNING;
  }

  /** Others make a call, which may end a transaction that it has left open. */
  void leave(GatedCall call) {
    if (call.type() != GatedCall.Type.STATEMENT) {
      inTransaction.remove(call.connection());
    }
  }

  /** The connections on which it has begun a transaction that has not ended. */
  Set<GatedConnection> inTransaction() {
    return inTransaction;
  }

  /** True if it has begun a transaction there that has not ended. */
  boolean isInTransaction(GatedConnection connection) {
    return inTransaction.contains(connection);
  }

  /** Those of its calls, by their places, that have waited for a lock. */
  BitSet blockedCalls() {
    return blocked;
  }

  /** The calls that it has made. */
  List<GatedCall> calls() {
    return calls;
  }

  /** The numbers of the connections that it has used. */
  Set<Long> connections() {
    return connections;
  }

  void ended(@Nullable Object value, @Nullable Throwable error) {
    returned = value;
    thrown = error;
    state = State.ENDED;
  }

  @Nullable Object returned() {
    return returned;
  }

  @Nullable Throwable thrown() {
    return thrown;
  }
}
