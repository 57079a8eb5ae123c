package io.txwatch.interleave.run;

import io.txwatch.interleave.run.OperationRun.State;
import io.txwatch.jdbc.gate.GatedCall;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which operation of an execution makes a call. Guarded by the lock of its {@link GatedProgram},
 * but for the counts of calls that pass.
 *
 * <p>Operations execute one at a time until their next call. So a call on a thread that existed
 * before, such as one of a pool, belongs to the operation that is running. The thread makes that
 * operation's calls from then on, until the operation ends or has evidently left the thread to
 * another one.
 */
final class CallOwners {

  /**
   * How long the only operation that runs waits, while a thread of a stopped one is about to make a
   * call, until that thread is taken for its own: a worker that executes one task after the other.
   */
  private static final long CHANGE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /**
   * How long a call waits whose thread is not known while an operation is blocked: until waits have
   * been read again, so that it is known whether the operation still is.
   */
  private static final long RELEASE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final List<OperationRun> runs;
  private final Map<Thread, OperationRun> adopted = new IdentityHashMap<>();
  private final AtomicInteger unownedCalls = new AtomicInteger();
  private final AtomicInteger unownedWrites = new AtomicInteger();

  CallOwners(List<OperationRun> runs) {
    this.runs = List.copyOf(runs);
  }

  /**
   * Whose a call is.
   *
   * @param run null if it is no operation's
   * @param isKnown false if that depends on what operations do next
   */
  record Owner(@Nullable OperationRun run, boolean isKnown) {

    private static final Owner UNKNOWN = new Owner(null, false);
    private static final Owner NONE = new Owner(null, true);

    private static Owner of(OperationRun run) {
      return new Owner(run, true);
    }
  }

  boolean contain(@Nullable OperationRun run) {
    return run != null && runs.contains(run);
  }

  /**
   * The owner of a call of this thread.
   *
   * @param inherited the operation that the thread was created by, in whichever execution
   * @param waitedNanos how long the call has been waiting for its owner to be known
   */
  Owner of(GatedCall call, @Nullable OperationRun inherited, long waitedNanos) {
    Thread thread = Thread.currentThread();
    if (inherited != null && inherited.thread() == thread) {
      return contain(inherited) ? Owner.of(inherited) : Owner.NONE;
    }
    for (OperationRun run : runs) {
      if (run.isInTransaction(call.connection())) {
        if (isActive(run)) {
          return Owner.of(run);
        }
        if (call.type() != GatedCall.Type.STATEMENT && call.statements().isEmpty()) {
          return Owner.NONE; // the end of what an operation has left open
        }
      }
    }
    OperationRun before = adopted.get(thread);
    if (!isActive(before)) {
      before = isActive(inherited) ? inherited : null;
    }
    List<OperationRun> running = runs.stream().filter(run -> run.state() == State.RUNNING).toList();
    if (before == null) {
      // The DBMS may have let a blocked one go on, and that is not known yet.
      boolean mayBeOther = runs.stream().anyMatch(run -> run.state() == State.BLOCKED);
      if (mayBeOther && waitedNanos < RELEASE_NANOS) {
        return Owner.UNKNOWN;
      }
      return switch (running.size()) {
        case 0 -> Owner.NONE;
        case 1 -> Owner.of(running.get(0));
        default -> Owner.UNKNOWN;
      };
    }
    if (running.contains(before) || running.isEmpty()) {
      return Owner.of(before);
    }
    return running.size() == 1 && waitedNanos > CHANGE_NANOS
        ? Owner.of(running.get(0))
        : Owner.UNKNOWN;
  }

  private boolean isActive(@Nullable OperationRun run) {
    return run != null && contain(run) && run.state() != State.ENDED;
  }

  /** A call of this thread belongs to an operation. */
  void adopt(OperationRun run) {
    Thread thread = Thread.currentThread();
    run.caller(thread);
    if (run.thread() != thread) {
      adopted.put(thread, run);
    }
  }

  /** The threads that make the calls of some operations. */
  Set<Thread> adopted(Set<OperationRun> by) {
    return adopted.entrySet().stream()
        .filter(entry -> by.contains(entry.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** A call passes that is no operation's. */
  void passed(GatedCall call) {
    count(call);
    runs.forEach(run -> run.leave(call));
  }

  /** Counts a call that is no operation's; without the lock. */
  void count(GatedCall call) {
    unownedCalls.incrementAndGet();
    if (call.type() == GatedCall.Type.COMMIT
        || call.statements().stream().anyMatch(statement -> statement.kind().mayWrite())) {
      unownedWrites.incrementAndGet();
    }
  }

  /** True if threads other than those of the operations have made calls. */
  boolean hasFound() {
    return unownedCalls() > 0 || !adopted.isEmpty();
  }

  int unownedCalls() {
    return unownedCalls.get();
  }

  /** The calls among them that may have written rows. */
  int unownedWrites() {
    return unownedWrites.get();
  }
}
