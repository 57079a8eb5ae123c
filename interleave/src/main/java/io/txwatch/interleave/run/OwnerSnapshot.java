package io.txwatch.interleave.run;

import io.txwatch.interleave.run.OperationRun.State;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedConnection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The facts by which a call is known to be no operation's without the lock of the {@link
 * GatedProgram}, so that an exploration does not slow down the rest of the process. Immutable.
 *
 * <p>It is replaced under that lock before an operation can notice a change. So what it decides is
 * what {@link CallOwners} decides, under the lock, at the moment when it is read.
 *
 * @param owners decides all other calls
 * @param isRunning true if an operation is running, or blocked and perhaps no more: calls of
 *     threads that existed before are its
 * @param active the operations that have not ended
 * @param adopted the threads that make their calls
 * @param inTransaction the connections on which operations, ended ones too, are in a transaction
 */
record OwnerSnapshot(
    CallOwners owners,
    boolean isRunning,
    Set<OperationRun> active,
    Set<Thread> adopted,
    Set<GatedConnection> inTransaction) {

  static final OwnerSnapshot EMPTY = of(List.of(), new CallOwners(List.of()));

  static OwnerSnapshot of(List<OperationRun> runs, CallOwners owners) {
    boolean isRunning = false;
    Set<OperationRun> active = new HashSet<>();
    Set<GatedConnection> inTransaction = new HashSet<>();
    for (OperationRun run : runs) {
      isRunning |= run.state() == State.RUNNING || run.state() == State.BLOCKED;
      inTransaction.addAll(run.inTransaction());
      if (run.state() != State.ENDED) {
        active.add(run);
      }
    }
    return new OwnerSnapshot(owners, isRunning, active, owners.adopted(active), inTransaction);
  }

  /** True for a commit or rollback on a connection without a transaction, as pools make it. */
  boolean isEndOfNothing(GatedCall call) {
    return call.type() != GatedCall.Type.STATEMENT
        && call.statements().isEmpty()
        && !inTransaction.contains(call.connection());
  }

  /**
   * True if a call of this thread is certainly no operation's. False if the lock is needed to know.
   *
   * @param inherited the operation that the thread was created by, in whichever execution
   */
  boolean isUnowned(GatedCall call, @Nullable OperationRun inherited) {
    Thread thread = Thread.currentThread();
    return !isRunning
        && (inherited == null || inherited.thread() != thread && !active.contains(inherited))
        && !adopted.contains(thread)
        && !inTransaction.contains(call.connection());
  }
}
