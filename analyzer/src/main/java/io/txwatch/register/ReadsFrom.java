package io.txwatch.register;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Outcome;
import io.txwatch.register.RegisterHistory.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the writer of each read, and finds reads that are wrong by themselves.
 *
 * <p>Only committed transactions count. One of unknown outcome counts as committed if a committed
 * one read from it, and then so do its own reads. A key with a value that was written twice is
 * ambiguous: its reads are skipped and counted.
 */
final class ReadsFrom {

  /** The writer of initial values. */
  static final int INITIAL = -1;

  /**
   * A read from another transaction, or of an initial value.
   *
   * @param reader the transaction that read
   * @param op its read
   * @param writer the transaction that wrote, or {@link #INITIAL}
   * @param write its last write of the key; -1 for the initial value
   */
  record Read(int reader, int op, int writer, int write) {}

  /**
   * A read that is wrong by itself.
   *
   * @param from the transaction of {@code fromOp}: the writer, or the reader itself
   * @param to the reader
   */
  record ReadAnomaly(Phenomenon phenomenon, int from, int fromOp, int to, int toOp) {}

  private final RegisterHistory history;
  private final boolean[] committed;
  private final Map<Version, Integer> writes;
  private final boolean[] ambiguous;
  private final List<Read> reads = new ArrayList<>();
  private final List<ReadAnomaly> wrong = new ArrayList<>();
  private final int[] owners;
  private long unresolved;

  private record Version(int key, long value) {}

  ReadsFrom(RegisterHistory history, boolean readMeansCommitted) {
    this.history = history;
    int n = history.transactions();
    committed = new boolean[n];
    owners = new int[history.operations()];
    writes = new HashMap<>(history.operations() * 2);
    ambiguous = new boolean[history.keys().keys()];
    for (int t = 0; t < n; t++) {
      committed[t] = history.outcome(t) == Outcome.COMMITTED;
      for (int op = history.firstOp(t); op < history.endOp(t); op++) {
        owners[op] = t;
        if (history.kind(op) == Kind.WRITE) {
          written(op);
        }
      }
    }
    if (readMeansCommitted) {
      promote();
    }
    int[] lastOwn = new int[ambiguous.length];
    int[] lastRead = new int[ambiguous.length];
    Arrays.fill(lastOwn, -1);
    Arrays.fill(lastRead, -1);
    for (int t = 0; t < n; t++) {
      if (committed[t]) {
        resolve(t, lastOwn, lastRead);
      }
    }
  }

  private void written(int op) {
    int key = history.key(op);
    boolean isInitial =
        history.initialValue().isPresent()
            && history.initialValue().getAsLong() == history.value(op);
    Integer before = writes.put(new Version(key, history.value(op)), op);
    ambiguous[key] |= before != null || isInitial;
  }

  private void promote() {
    List<Integer> work = new ArrayList<>();
    for (int t = 0; t < committed.length; t++) {
      if (committed[t]) {
        work.add(t);
      }
    }
    for (int i = 0; i < work.size(); i++) {
      int t = work.get(i);
      for (int op = history.firstOp(t); op < history.endOp(t); op++) {
        @Nullable Integer write = history.kind(op) == Kind.READ ? write(op) : null;
        if (write != null && !ambiguous[history.key(op)]) {
          promote(owners[write], work);
        }
      }
    }
  }

  /** Counts a transaction of unknown outcome as committed. */
  private void promote(int writer, List<Integer> work) {
    if (!committed[writer] && history.outcome(writer) == Outcome.UNKNOWN) {
      committed[writer] = true;
      work.add(writer);
    }
  }

  private void resolve(int t, int[] lastOwn, int[] lastRead) {
    for (int op = history.firstOp(t); op < history.endOp(t); op++) {
      int key = history.key(op);
      if (history.kind(op) == Kind.WRITE) {
        lastOwn[key] = op;
      } else if (ambiguous[key]) {
        unresolved++;
      } else if (lastOwn[key] >= history.firstOp(t)) {
        if (history.kind(op) != Kind.READ || history.value(op) != history.value(lastOwn[key])) {
          wrong.add(new ReadAnomaly(Phenomenon.INTERNAL, t, lastOwn[key], t, op));
        }
      } else {
        resolveForeign(t, op, lastRead);
      }
    }
  }

  /** Resolves a read of a key that the transaction has not written before. */
  private void resolveForeign(int t, int op, int[] lastRead) {
    int key = history.key(op);
    boolean repeated = lastRead[key] >= history.firstOp(t);
    if (repeated && sees(lastRead[key], op)) {
      return; // the same version again
    }
    if (repeated) {
      wrong.add(new ReadAnomaly(Phenomenon.NON_REPEATABLE_READ, t, lastRead[key], t, op));
    }
    lastRead[key] = op;
    read(t, op);
  }

  private boolean sees(int one, int other) {
    return isInitial(one)
        ? isInitial(other)
        : !isInitial(other) && history.value(one) == history.value(other);
  }

  private boolean isInitial(int read) {
    return history.kind(read) == Kind.READ_INITIAL
        || history.initialValue().isPresent()
            && history.initialValue().getAsLong() == history.value(read);
  }

  private void read(int reader, int op) {
    if (isInitial(op)) {
      reads.add(new Read(reader, op, INITIAL, -1));
      return;
    }
    Integer write = write(op);
    if (write == null) {
      wrong.add(new ReadAnomaly(Phenomenon.GARBAGE_READ, reader, op, reader, op));
      return;
    }
    int writer = owners[write];
    if (writer == reader) {
      wrong.add(
          new ReadAnomaly(
              Phenomenon.INTERNAL, reader, write, reader, op)); // it read its own later write
    } else if (!committed[writer]) {
      if (history.outcome(writer) == Outcome.ABORTED) {
        wrong.add(new ReadAnomaly(Phenomenon.ABORTED_READ, writer, write, reader, op));
      } else {
        unresolved++;
      }
    } else {
      int last = lastWrite(writer, history.key(op));
      if (last != write) {
        wrong.add(new ReadAnomaly(Phenomenon.INTERMEDIATE_READ, writer, write, reader, op));
      }
      reads.add(new Read(reader, op, writer, last));
    }
  }

  private @Nullable Integer write(int read) {
    return writes.get(new Version(history.key(read), history.value(read)));
  }

  /** The last write of a key in a transaction; -1 if it has none. */
  int lastWrite(int transaction, int key) {
    for (int op = history.endOp(transaction) - 1; op >= history.firstOp(transaction); op--) {
      if (history.kind(op) == Kind.WRITE && history.key(op) == key) {
        return op;
      }
    }
    return -1;
  }

  boolean isCommitted(int transaction) {
    return committed[transaction];
  }

  /** Whether nothing can be concluded from a key. */
  boolean isAmbiguous(int key) {
    return ambiguous[key];
  }

  /** The reads of committed transactions from others, each version once per transaction. */
  List<Read> reads() {
    return reads;
  }

  /** The reads that are wrong by themselves. */
  List<ReadAnomaly> wrong() {
    return wrong;
  }

  /** The number of reads of committed transactions with an unknown writer. */
  long unresolved() {
    return unresolved;
  }
}
