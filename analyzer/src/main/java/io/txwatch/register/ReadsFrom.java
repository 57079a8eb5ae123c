package io.txwatch.register;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Outcome;
import io.txwatch.register.RegisterHistory.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Resolves the writer of each read, and finds reads that are wrong by themselves.
 *
 * <p>Only committed transactions count. One of unknown outcome counts as committed if a committed
 * one read from it, and then so do its own reads. A value that several transactions wrote, or that
 * is also the initial value, leaves a read with several candidates ({@link Choice}). But if the
 * first transaction of the history only writes initial values, it created the registers, as those
 * of PolySI and IsoVista do.
 */
final class ReadsFrom {

  /** The writer of initial values. */
  static final int INITIAL = -1;

  private static final int NONE = -1;

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
   * A read whose value several transactions wrote.
   *
   * @param reader the transaction that read
   * @param op its read
   * @param writes the candidates: last writes of the key, or {@link #INITIAL}
   */
  record Choice(int reader, int op, int[] writes) {}

  /**
   * A read that is wrong by itself.
   *
   * @param from the transaction of {@code fromOp}: the writer, or the reader itself
   * @param to the reader
   */
  record ReadAnomaly(Phenomenon phenomenon, int from, int fromOp, int to, int toOp) {}

  private final RegisterHistory history;
  private final boolean[] committed;
  private final int[] owners;
  private final int[] lastWrites;
  private final WrittenValues written;
  private final boolean createsRegisters;
  private final List<Read> reads = new ArrayList<>();
  private final List<Choice> choices = new ArrayList<>();
  private final List<ReadAnomaly> wrong = new ArrayList<>();
  private long unresolved;

  /**
   * Resolves.
   *
   * @param readMeansCommitted whether a transaction of unknown outcome from which a committed one
   *     read counts as committed
   */
  ReadsFrom(RegisterHistory history, boolean readMeansCommitted) {
    this.history = history;
    int n = history.transactions();
    committed = new boolean[n];
    owners = new int[history.operations()];
    lastWrites = new int[history.operations()];
    written = new WrittenValues(history);
    createsRegisters = createsRegisters();
    int[] last = new int[history.keys().keys()];
    Arrays.fill(last, NONE);
    for (int t = 0; t < n; t++) {
      committed[t] = history.outcome(t) == Outcome.COMMITTED;
      for (int op = history.endOp(t) - 1; op >= history.firstOp(t); op--) {
        owners[op] = t;
        if (history.kind(op) == Kind.WRITE) {
          int key = history.key(op);
          boolean isLast = last[key] < history.firstOp(t) || last[key] >= history.endOp(t);
          last[key] = isLast ? op : last[key];
          lastWrites[op] = last[key];
        }
      }
    }
    if (readMeansCommitted) {
      promote();
    }
    int[] lastOwn = new int[last.length];
    int[] lastRead = new int[last.length];
    Arrays.fill(lastOwn, NONE);
    Arrays.fill(lastRead, NONE);
    for (int t = 0; t < n; t++) {
      if (committed[t]) {
        resolve(t, lastOwn, lastRead);
      }
    }
  }

  /**
   * Whether the first transaction only writes initial values: what it wrote was there before all.
   */
  private boolean createsRegisters() {
    boolean creates = history.transactions() > 0 && history.initialValue().isPresent();
    for (int op = 0; creates && op < history.endOp(0); op++) {
      creates = history.kind(op) == Kind.WRITE && isInitial(op);
    }
    return creates;
  }

  private void promote() {
    Ints work = new Ints();
    for (int t = 0; t < committed.length; t++) {
      if (committed[t]) {
        work.add(t);
      }
    }
    for (int i = 0; i < work.size(); i++) {
      int t = work.get(i);
      for (int op = history.firstOp(t); op < history.endOp(t); op++) {
        int write = history.kind(op) == Kind.READ ? written.first(op) : NONE;
        if (write == NONE || written.next(write) != NONE || isInitial(op)) {
          continue;
        }
        int writer = owners[write];
        if (!committed[writer] && history.outcome(writer) == Outcome.UNKNOWN) {
          committed[writer] = true;
          work.add(writer);
        }
      }
    }
  }

  private void resolve(int t, int[] lastOwn, int[] lastRead) {
    for (int op = history.firstOp(t); op < history.endOp(t); op++) {
      int key = history.key(op);
      if (history.kind(op) == Kind.WRITE) {
        lastOwn[key] = op;
      } else if (lastOwn[key] >= history.firstOp(t)) {
        if (!sees(lastOwn[key], op)) {
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
    new Candidates(t, op).add();
  }

  private boolean sees(int one, int other) {
    return isInitial(one)
        ? isInitial(other)
        : !isInitial(other) && history.value(one) == history.value(other);
  }

  private boolean isInitial(int op) {
    return history.kind(op) == Kind.READ_INITIAL
        || history.initialValue().isPresent()
            && history.initialValue().getAsLong() == history.value(op);
  }

  /** The writes that a read may have returned. */
  private final class Candidates {
    private final int reader;
    private final int op;
    private final Ints lastOfWriter = new Ints();
    private int intermediate = NONE;
    private int aborted = NONE;
    private int own = NONE;
    private boolean undecided;

    Candidates(int reader, int op) {
      this.reader = reader;
      this.op = op;
      boolean readsNothing = history.kind(op) == Kind.READ_INITIAL;
      if (isInitial(op)) {
        lastOfWriter.add(INITIAL);
      }
      int write = readsNothing ? NONE : written.first(op);
      for (; write != NONE; write = written.next(write)) {
        addWrite(write);
      }
    }

    private void addWrite(int write) {
      int writer = owners[write];
      if (createsRegisters && writer == 0) {
        return;
      } else if (writer == reader) {
        own = write;
      } else if (committed[writer]) {
        if (lastWrites[write] == write) {
          lastOfWriter.add(write);
        } else {
          intermediate = write;
        }
      } else if (history.outcome(writer) == Outcome.ABORTED) {
        aborted = write;
      } else {
        undecided = true;
      }
    }

    void add() {
      if (undecided) {
        unresolved++;
      } else if (lastOfWriter.size() == 1) {
        addRead(lastOfWriter.get(0));
      } else if (lastOfWriter.size() > 1) {
        choices.add(new Choice(reader, op, lastOfWriter.toArray()));
      } else if (intermediate != NONE) {
        wrong(Phenomenon.INTERMEDIATE_READ, intermediate);
        addRead(lastWrites[intermediate]);
      } else if (aborted != NONE) {
        wrong(Phenomenon.ABORTED_READ, aborted);
      } else if (own != NONE) {
        wrong(Phenomenon.INTERNAL, own); // it read its own later write
      } else {
        wrong.add(new ReadAnomaly(Phenomenon.GARBAGE_READ, reader, op, reader, op));
      }
    }

    private void addRead(int write) {
      reads.add(new Read(reader, op, write == INITIAL ? INITIAL : owners[write], write));
    }

    private void wrong(Phenomenon phenomenon, int write) {
      wrong.add(new ReadAnomaly(phenomenon, owners[write], write, reader, op));
    }
  }

  boolean isCommitted(int transaction) {
    return committed[transaction];
  }

  /** The transaction of an operation. */
  int owner(int op) {
    return owners[op];
  }

  /** Whether an operation is its transaction's last write of its key. */
  boolean isLastWrite(int op) {
    return lastWrites[op] == op
        && history.kind(op) == Kind.WRITE
        && !(createsRegisters && owners[op] == 0);
  }

  /** The reads of committed transactions from others, each version once per transaction. */
  List<Read> reads() {
    return reads;
  }

  /** The reads of committed transactions with several candidates. */
  List<Choice> choices() {
    return choices;
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
