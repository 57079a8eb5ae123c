package io.txwatch.format;

import io.txwatch.format.ElleOp.Type;
import io.txwatch.history.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Assembles transactions from the lines of an Elle history. An invocation and its completion by the
 * same process are one transaction. A completion without an invocation is one, too. An invocation
 * without a completion is one of unknown outcome, like one that completes with {@code :info}.
 */
final class ElleTransactions implements ElleReader.Sink {

  /** Receives transactions. */
  interface Sink {
    /**
     * Receives a transaction.
     *
     * @param process the process that ran it; -1 if it has no number
     * @param before the number of transactions emitted when it was invoked; -1 if unknown
     * @param index the index of its completion; -1 if it has none
     * @param micro its operations; read results are known only if it committed. Reused
     */
    void transaction(long process, int before, long index, Outcome outcome, MicroOps micro)
        throws IOException;
  }

  private final Path file;
  private final Sink sink;
  private final Map<Long, Invoked> invoked = new LinkedHashMap<>();

  private int emitted;

  /** The offset of the first operation of a client; -1 if there was none. */
  private long firstOffset = -1;

  private record Invoked(int before, long index, MicroOps micro) {}

  ElleTransactions(Path file, Sink sink) {
    this.file = file;
    this.sink = sink;
  }

  @Override
  public void op(ElleOp op) throws IOException {
    if (!op.client) {
      return;
    }
    firstOffset = firstOffset < 0 ? op.offset : firstOffset;
    if (op.type == Type.INVOKE) {
      if (op.hasMicroOps) {
        if (op.process < 0 && invoked.containsKey(op.process)) {
          throw ByteCursor.error(
              file,
              op.offset,
              "expected a :process: two operations without one are open, and which of them ends"
                  + " next is unknown");
        }
        Invoked lost = invoked.put(op.process, new Invoked(emitted, op.index, op.micro.invoked()));
        if (lost != null) {
          emit(op.process, lost.before, lost.index, Outcome.UNKNOWN, lost.micro);
        }
      }
      return;
    }
    Invoked before = invoked.remove(op.process);
    if (before == null && op.problem != null) {
      throw ByteCursor.error(file, op.problemOffset, op.problem);
    } else if (before != null && op.hasMicroOps && !before.micro.agreesWithWritesOf(op.micro)) {
      throw ByteCursor.error(
          file,
          op.offset,
          "expected an operation to end with the writes that it was invoked with, found others");
    }
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

  /** Ends the history: what was only invoked has an unknown outcome. */
  void end() throws IOException {
    for (Map.Entry<Long, Invoked> left : invoked.entrySet()) {
      Invoked op = left.getValue();
      emit(left.getKey(), op.before, op.index, Outcome.UNKNOWN, op.micro);
    }
    invoked.clear();
    if (emitted == 0 && firstOffset >= 0) {
      throw ByteCursor.error(file, firstOffset, ElleReader.EXPECTED);
    }
  }

  private void emit(long process, int before, long index, Outcome outcome, MicroOps micro)
      throws IOException {
    sink.transaction(process, before, index, outcome, micro);
    emitted++;
  }
}
