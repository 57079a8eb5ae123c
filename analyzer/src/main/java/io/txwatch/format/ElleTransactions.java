package io.txwatch.format;

import io.txwatch.format.ElleOp.Type;
import io.txwatch.history.Outcome;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Makes transactions of an Elle history's lines: an invocation and its completion, by the same
 * process, are one. A completion without invocation is one too; an invocation without completion is
 * one of unknown outcome, as one that ends with {@code :info} is.
 */
final class ElleTransactions implements ElleReader.Sink {

  /** Takes a transaction. */
  interface Sink {
    /**
     * Takes one.
     *
     * @param process which process ran it; -1 for one without a number
     * @param before how many transactions had been handed on as it was invoked; -1 if nothing says
     *     when that was
     * @param index the index of its completion; -1 if it has none
     * @param micro what it did; what it read is known only if it committed. Filled anew afterwards
     */
    void transaction(long process, int before, long index, Outcome outcome, MicroOps micro)
        throws IOException;
  }

  private final Sink sink;
  private final Map<Long, Invoked> invoked = new LinkedHashMap<>();

  private int emitted;

  private record Invoked(int before, long index, MicroOps micro) {}

  ElleTransactions(Sink sink) {
    this.sink = sink;
  }

  @Override
  public void op(ElleOp op) throws IOException {
    if (!op.client) {
      return;
    }
    if (op.type == Type.INVOKE) {
      if (op.hasMicroOps) {
        invoked.put(op.process, new Invoked(emitted, op.index, op.micro.invoked()));
      }
      return;
    }
    Invoked before = invoked.remove(op.process);
    Outcome outcome =
        switch (op.type) {
          case OK -> Outcome.COMMITTED;
          case FAIL -> Outcome.ABORTED;
          default -> Outcome.UNKNOWN;
        };
    if (op.hasMicroOps) {
      int invokedAt = before == null || op.process < 0 ? -1 : before.before;
      emit(op.process, invokedAt, op.index, outcome, op.micro);
    } else if (before != null) {
      emit(op.process, before.before, op.index, outcome, before.micro);
    }
  }

  /** Nothing more comes: what was invoked only, nobody knows how it ended. */
  void end() throws IOException {
    for (Map.Entry<Long, Invoked> left : invoked.entrySet()) {
      Invoked op = left.getValue();
      emit(left.getKey(), op.before, op.index, Outcome.UNKNOWN, op.micro);
    }
    invoked.clear();
  }

  private void emit(long process, int before, long index, Outcome outcome, MicroOps micro)
      throws IOException {
    sink.transaction(process, before, index, outcome, micro);
    emitted++;
  }
}
