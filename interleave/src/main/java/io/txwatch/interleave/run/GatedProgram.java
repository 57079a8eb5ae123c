package io.txwatch.interleave.run;

import io.txwatch.interleave.explore.CallFootprint;
import io.txwatch.interleave.explore.DivergedException;
import io.txwatch.interleave.explore.ExecutedSchedule;
import io.txwatch.interleave.explore.ExecutedSchedule.Step;
import io.txwatch.interleave.explore.Program;
import io.txwatch.interleave.run.OperationRun.State;
import io.txwatch.jdbc.gate.Gate;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedConnection;
import io.txwatch.jdbc.gate.Gates;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Operations whose calls to the DBMS are made one at a time, in an order that a scheduler
 * determines. One is used at a time in a process. For one thread.
 *
 * <p>An operation goes on until it is about to make its next call, has ended, or is blocked, which
 * the DBMS reports; one that was blocked goes on by itself once it is not. So while an operation is
 * chosen, none is running, and the same choices lead to the same calls.
 */
public final class GatedProgram implements Program {

  /** Before the DBMS is queried whether an operation is blocked. */
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The most calls of an execution: an operation may try again without end. */
  private static final int MAX_CALLS = 1_000;

  /** How long a thread that waits in this process must not move until it is taken for blocked. */
  private static final long IN_PROCESS_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How often a call checks whether its owner is known. */
  private static final long RECHECK_MILLIS = 5;

  private static final InheritableThreadLocal<@Nullable OperationRun> CURRENT =
      new InheritableThreadLocal<>();

  private final List<Operation> operations;
  private final Runnable reset;
  private final Waits waits;
  private final Observer observer;
  private final Duration limit;
  private final Runnable cancel;
  private final Object lock = new Object();
  private final Gate gate = this::before;

  private List<OperationRun> runs = List.of();
  private CallOwners owners = new CallOwners(List.of());
  private volatile OwnerSnapshot snapshot = OwnerSnapshot.EMPTY;

  private boolean abandoned;
  private List<String> lastTexts = List.of();
  private ResetKeys lastKeys = ResetKeys.NONE;
  private List<Integer> lastSchedule = List.of();
  private String blockedInProcess = "";
  private int unownedCalls;
  private boolean hasForeignThreads;

  /** What a call reads, writes and locks. */
  public enum CallExtent {
    /** Nothing. */
    NOTHING,
    /** What its statements name. */
    ITS_TABLES,
    /** Perhaps anything. */
    EVERYTHING
  }

  /** Sees the calls of an execution. */
  public interface Observer {
    /** A call is about to be made; nothing of the operations is running. */
    void before(GatedCall call);

    /** What is known of a call's effects beside the tables that its statements name. */
    default CallExtent extent(GatedCall call) {
      return CallExtent.ITS_TABLES;
    }

    /** The keys that rows had when the execution began. */
    default ResetKeys resetKeys() {
      return ResetKeys.NONE;
    }

    /** The constraints of a table that a call has used. */
    default TableConstraints constraints(GatedConnection connection, String table) {
      return TableConstraints.NONE;
    }
  }

  /**
   * Operations that have not been executed yet.
   *
   * @param reset restores the state that an execution begins with
   * @param waits reports which connections are blocked
   * @param limit the most time of one call
   */
  public GatedProgram(
      List<Operation> operations, Runnable reset, Waits waits, Observer observer, Duration limit) {
    this(operations, reset, waits, observer, limit, () -> {});
  }

  /**
   * The same, whose operations can be ended.
   *
   * @param cancel ends the statements of operations that do not end within the limit
   */
  public GatedProgram(
      List<Operation> operations,
      Runnable reset,
      Waits waits,
      Observer observer,
      Duration limit,
      Runnable cancel) {
    this.cancel = cancel;
    this.operations = List.copyOf(operations);
    this.reset = reset;
    this.waits = waits;
    this.observer = observer;
    this.limit = limit;
  }

  /** The last execution of each operation. */
  public List<Outcome> outcomes() {
    synchronized (lock) {
      return runs.stream().map(run -> new Outcome(run.returned(), run.thrown())).toList();
    }
  }

  /**
   * How an operation has ended.
   *
   * @param returned what it returned; null if it threw
   * @param thrown what it threw; null if it returned
   */
  public record Outcome(@Nullable Object returned, @Nullable Throwable thrown) {}

  /** The first operation that has waited for something in this process, in words; or empty. */
  public String blockedInProcess() {
    return blockedInProcess;
  }

  /** How many calls of all executions were no operation's. */
  public int unownedCalls() {
    return unownedCalls;
  }

  /** How many calls of the last execution were no operation's and may have written rows. */
  public int lastUnownedWrites() {
    return owners.unownedWrites();
  }

  /**
   * True if calls were made on other threads than those of the operations: perhaps background work.
   */
  public boolean hasForeignThreads() {
    return hasForeignThreads;
  }

  /** The calls of the last execution, in their order, as reports show them. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < lastTexts.size(); i++) {
      lines.add(operations.get(lastSchedule.get(i)).name() + ": " + lastTexts.get(i));
    }
    return lines;
  }

  /** The keys that rows had when the last execution began. */
  public ResetKeys keys() {
    return lastKeys;
  }

  // ---------------------------------------------------------------- one execution

  /** Executes all operations; each begins at once and stops before its first call. */
  @Override
  public ExecutedSchedule execute(Scheduler scheduler) throws InterruptedException {
    return execute(numbers(), operations.size(), scheduler);
  }

  /** Executes all operations in an order, each from its beginning to its end. */
  public ExecutedSchedule executeInSeries(List<Integer> order) throws InterruptedException {
    return execute(order, 1, (step, enabled, last) -> Long.numberOfTrailingZeros(enabled));
  }

  private List<Integer> numbers() {
    return IntStream.range(0, operations.size()).boxed().toList();
  }

  /**
   * Executes all operations.
   *
   * @param order in which they begin
   * @param atOnce how many begin before the first call
   */
  private ExecutedSchedule execute(List<Integer> order, int atOnce, Scheduler scheduler)
      throws InterruptedException {
    reset.run();
    Gates.install(gate);
    List<Integer> schedule = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    boolean isHanging = false;
    try {
      create();
      Deque<Integer> waiting = new ArrayDeque<>(order);
      for (int i = 0; i < atOnce; i++) {
        begin(waiting.remove());
      }
      List<Long> enabled = new ArrayList<>();
      int last = -1;
      DivergedException diverged = null;
      for (long now = next(waiting); now != 0; now = next(waiting)) {
        if (schedule.size() == MAX_CALLS) {
          throw new HangException(
              "the operations have made " + MAX_CALLS + " calls and not ended: " + describe(),
              false);
        }
        if (diverged == null) {
          try {
            last = scheduler.next(schedule.size(), now, last);
          } catch (DivergedException e) {
            diverged = e;
          }
        }
        if (diverged != null && (last < 0 || (now >> last & 1) == 0)) {
          last = Long.numberOfTrailingZeros(now);
        }
        OperationRun run = runs.get(last);
        GatedCall call = run.next();
        enabled.add(now);
        schedule.add(last);
        texts.add(text(call));
        diverged = diverged == null ? difference(schedule, texts) : diverged;
        observer.before(call);
        synchronized (lock) {
          // A pool may have given it a connection that another operation has used.
          runs.forEach(other -> other.connections().remove(call.connection().number()));
          run.released();
          changed();
        }
      }
      // Only now: an operation that is abandoned may leave its transaction open.
      if (diverged != null) {
        throw diverged;
      }
      return execution(schedule, enabled);
    } catch (HangException e) {
      isHanging = true;
      throw e;
    } finally {
      lastSchedule = schedule;
      lastTexts = texts;
      lastKeys = observer.resetKeys();
      try {
        end(isHanging ? cancel : () -> {});
      } finally {
        Gates.remove(gate);
      }
    }
  }

  private void create() {
    List<OperationRun> created = new ArrayList<>();
    for (Operation operation : operations) {
      OperationRun[] run = new OperationRun[1];
      run[0] = new OperationRun(operation, () -> body(run[0]));
      created.add(run[0]);
    }
    synchronized (lock) {
      abandoned = false;
      runs = created;
      owners = new CallOwners(created);
      changed();
    }
  }

  /** Lets other threads notice what has changed under the lock. */
  private void changed() {
    snapshot = OwnerSnapshot.of(runs, owners);
    lock.notifyAll();
  }

  private void begin(int operation) throws InterruptedException {
    OperationRun run = runs.get(operation);
    synchronized (lock) {
      run.state(State.RUNNING);
      changed();
    }
    run.thread().start();
    settled();
  }

  /** Those at their next call, as bits. If there is none, the next ones that wait begin. */
  private long next(Deque<Integer> waiting) throws InterruptedException {
    long now = settled();
    while (now == 0 && !waiting.isEmpty()) {
      begin(waiting.remove());
      now = settled();
    }
    return now;
  }

  private void body(OperationRun run) {
    CURRENT.set(run);
    Object returned = null;
    Throwable thrown = null;
    try {
      returned = run.operation().body().call();
    } catch (Throwable e) { // whatever it is, it is the operation's outcome
      thrown = e;
    } finally {
      CURRENT.remove();
    }
    synchronized (lock) {
      run.ended(returned, thrown);
      changed();
    }
  }

  /** The gate: called on a thread of the process. */
  private void before(GatedCall call) {
    OwnerSnapshot now = snapshot;
    if (SequenceCall.is(call) || now.isEndOfNothing(call)) {
      return;
    }
    if (now.isUnowned(call, CURRENT.get())) {
      now.owners().count(call);
      return;
    }
    synchronized (lock) {
      CallOwners of = owners;
      OperationRun run = owner(of, call);
      if (run == null) {
        return;
      }
      BooleanSupplier isOver = () -> abandoned || owners != of;
      awaitNo(run::hasNext, isOver, 0);
      if (!isOver.getAsBoolean()) {
        of.adopt(run);
        long arrival = run.arrived(call);
        changed();
        awaitNo(() -> run.hasNext() && run.arrivals() == arrival, isOver, 0);
      }
      // An abandoned operation may undo its work: else its locks would stay.
      if (isOver.getAsBoolean() && call.type() != GatedCall.Type.ROLLBACK) {
        throw new AbandonedException();
      }
    }
  }

  /** The operation that makes a call; null if there is none, and the call passes. */
  private @Nullable OperationRun owner(CallOwners of, GatedCall call) {
    OperationRun inherited = CURRENT.get();
    if (inherited != null
        && inherited.thread() == Thread.currentThread()
        && !of.contain(inherited)
        && call.type() != GatedCall.Type.ROLLBACK) {
      throw new AbandonedException();
    }
    long begin = System.nanoTime();
    CallOwners.Owner[] owner = new CallOwners.Owner[1];
    awaitNo(
        () -> {
          owner[0] = of.of(call, inherited, System.nanoTime() - begin);
          return !owner[0].isKnown();
        },
        () -> abandoned || owners != of,
        RECHECK_MILLIS);
    OperationRun run = owner[0].run();
    if (run == null && owner[0].isKnown()) {
      of.passed(call);
      changed();
    }
    return run;
  }

  /**
   * Waits, without being interrupted, while something is so and an execution is not over.
   *
   * @param millis after which it is checked again without a notification; 0 for never
   */
  private void awaitNo(BooleanSupplier isSo, BooleanSupplier isOver, long millis) {
    boolean interrupted = false;
    while (isSo.getAsBoolean() && !isOver.getAsBoolean()) {
      try {
        lock.wait(millis);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static String text(GatedCall call) {
    if (call.statements().isEmpty()) {
      return call.type() == GatedCall.Type.COMMIT ? "commit" : "rollback";
    }
    return String.join("; ", call.statements().stream().map(GatedCall.Statement::sql).toList());
  }

  /** That the last call is another one than in the execution before; null if it is not. */
  private @Nullable DivergedException difference(List<Integer> schedule, List<String> texts) {
    int size = schedule.size();
    boolean isSame =
        size > lastSchedule.size()
            || !lastSchedule.subList(0, size).equals(schedule)
            || lastTexts.get(size - 1).equals(texts.get(size - 1))
            || observer.resetKeys().isSame(texts.get(size - 1), lastTexts.get(size - 1), lastKeys);
    return isSame ? null : new DivergedException(lastTexts.get(size - 1), texts.get(size - 1));
  }

  private ExecutedSchedule execution(List<Integer> schedule, List<Long> enabled) {
    List<List<CallFootprint>> footprints =
        runs.stream()
            .map(run -> TransactionFootprints.of(run.calls(), run.blockedCalls(), observer))
            .toList();
    int[] position = new int[runs.size()];
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < schedule.size(); i++) {
      int operation = schedule.get(i);
      steps.add(
          new Step(
              operation, enabled.get(i), footprints.get(operation).get(position[operation]++)));
    }
    return new ExecutedSchedule(steps);
  }

  /**
   * Ends what has not ended; no operation makes a further call but to roll back.
   *
   * @throws InterruptedException if operations may still be running
   */
  private void end(Runnable statements) throws InterruptedException {
    synchronized (lock) {
      unownedCalls += owners.unownedCalls();
      hasForeignThreads |= owners.hasFound();
      abandoned = true;
      changed();
    }
    statements.run();
    List<Thread> begun =
        runs.stream()
            .filter(run -> run.state() != State.NOT_BEGUN)
            .map(OperationRun::thread)
            .toList();
    try {
      for (Thread thread : begun) {
        thread.join(limit.toMillis());
        thread.interrupt(); // nothing if it has ended
      }
    } catch (InterruptedException e) {
      begun.forEach(Thread::interrupt);
      throw e;
    }
  }

  // ---------------------------------------------------------------- waiting

  /**
   * Waits until each operation is at its next call, is blocked, or has ended.
   *
   * @return those at their next call, as bits; 0 if all have ended
   */
  private long settled() throws InterruptedException {
    long begin = System.nanoTime();
    long pause = FIRST_PAUSE_NANOS;
    while (true) {
      // Who runs may release another one while waits are read: then they are read again.
      boolean isStill;
      synchronized (lock) {
        if (isRunning()) {
          TimeUnit.NANOSECONDS.timedWait(lock, pause);
        }
        isStill = !isRunning();
        if (isStill && !isBlocked()) {
          return atGate();
        }
      }
      Set<Long> blocked = waits.blocked();
      synchronized (lock) {
        note(blocked, System.nanoTime());
        snapshot = OwnerSnapshot.of(runs, owners);
        if (isStill && !isRunning() && (atGate() != 0 || !isBlocked())) {
          return atGate();
        }
      }
      if (System.nanoTime() - begin > limit.toNanos()) {
        throw new HangException(
            (isRunning()
                    ? "a statement did not end within " + limit.toSeconds() + " s: "
                    : "nothing went on for " + limit.toSeconds() + " s: ")
                + describe(),
            !isRunning());
      }
      pause = Math.min(2 * pause, MAX_PAUSE_NANOS);
      TimeUnit.NANOSECONDS.sleep(isStill && !isRunning() ? pause : 0);
    }
  }

  private boolean isRunning() {
    synchronized (lock) {
      return runs.stream().anyMatch(run -> run.state() == State.RUNNING);
    }
  }

  private boolean isBlocked() {
    return runs.stream()
        .anyMatch(run -> run.state() == State.BLOCKED || run.state() == State.BLOCKED_IN_PROCESS);
  }

  private long atGate() {
    long bits = 0;
    for (int i = 0; i < runs.size(); i++) {
      bits |= runs.get(i).state() == State.AT_GATE ? 1L << i : 0;
    }
    return bits;
  }

  /** Notes who is blocked by now. */
  private void note(Set<Long> blocked, long now) {
    for (OperationRun run : runs) {
      boolean waits = run.connections().stream().anyMatch(blocked::contains);
      if (run.state() == State.RUNNING && waits) {
        run.state(State.BLOCKED);
      } else if (run.state() == State.BLOCKED && !waits) {
        run.state(State.RUNNING);
      } else if (run.state() == State.RUNNING
          && isAnotherStopped(run)
          && run.parkedSince(run.isParked(), now) > IN_PROCESS_NANOS) {
        run.state(State.BLOCKED_IN_PROCESS);
        if (blockedInProcess.isEmpty()) {
          blockedInProcess = run.operation().name() + " waits" + ProcessWait.of(run.worker());
        }
      }
    }
  }

  /** True if a wait in this process may be one for another operation. */
  private boolean isAnotherStopped(OperationRun run) {
    return runs.stream()
        .filter(other -> other != run)
        .anyMatch(
            other ->
                switch (other.state()) {
                  case AT_GATE, BLOCKED, BLOCKED_IN_PROCESS -> true;
                  case NOT_BEGUN, RUNNING, ENDED -> false;
                });
  }

  private String describe() {
    List<String> states = new ArrayList<>();
    for (OperationRun run : runs) {
      String last = run.calls().isEmpty() ? "" : text(run.calls().get(run.calls().size() - 1));
      states.add(
          run.operation().name()
              + switch (run.state()) {
                case BLOCKED -> " waits for a lock with " + last;
                case BLOCKED_IN_PROCESS -> " waits" + ProcessWait.of(run.worker());
                case NOT_BEGUN -> " has not begun";
                case RUNNING -> " has not returned from " + last;
                case AT_GATE -> " could go on";
                case ENDED -> " has ended";
              });
    }
    return String.join("; ", states);
  }
}
