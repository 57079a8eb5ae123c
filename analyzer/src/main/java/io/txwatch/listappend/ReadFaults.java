package io.txwatch.listappend;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.graph.IntList;
import io.txwatch.history.Outcome;
import io.txwatch.listappend.ListHistory.Kind;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * What lists show by themselves, without a cycle: contradictory lists, elements that occur twice in
 * a list or that no transaction appended, aborted and intermediate reads, and reads that contradict
 * the order of a transaction's own operations (Kingsbury and Alvaro 2020, sections 4.2 and 6;
 * jepsen-io/elle, {@code list_append.clj}).
 */
final class ReadFaults {

  /** Receives what two operations show: of one transaction, or of a writer and a reader. */
  interface Listener {
    void found(Phenomenon phenomenon, int from, int fromOp, int to, int toOp);
  }

  private final ListHistory history;
  private final ListOrder order;
  private final boolean[] committed;
  private final Listener found;

  /** For each key, the positions of elements that must not exist and were not reported yet. */
  private final Map<Integer, IntList> suspects = new HashMap<>();

  ReadFaults(ListHistory history, ListOrder order, boolean[] committed, Listener found) {
    this.history = history;
    this.order = order;
    this.committed = committed;
    this.found = found;
  }

  void report() {
    order.faults().forEach(this::report);
    for (int key = 0; key < history.keys(); key++) {
      if (!order.isUnusable(key)) {
        checkList(key);
      }
    }
    for (int t = 0; t < history.transactions(); t++) {
      for (int op = history.firstOp(t); committed[t] && op < history.endOp(t); op++) {
        if (history.kind(op) == Kind.READ && order.agrees(op)) {
          checkRead(t, op);
        }
      }
    }
  }

  /** Collects the suspects of a key, and checks the order of each transaction's own appends. */
  private void checkList(int key) {
    int before = ListOrder.NONE;
    for (int i = 0; i < order.length(key); i++) {
      int append = order.append(key, i);
      if (append < 0 || history.outcome(order.owner(append)) == Outcome.ABORTED) {
        suspects.computeIfAbsent(key, k -> new IntList()).add(i);
      } else if (committed[order.owner(append)]) {
        checkOwnOrder(key, before, append);
        before = append;
      }
    }
  }

  /**
   * Reports an append that stands behind a later one of its transaction, or whose predecessor in
   * its transaction is missing from the list. Appends of others in between are found as cycles.
   */
  private void checkOwnOrder(int key, int before, int append) {
    int writer = order.owner(append);
    int own = append - 1;
    while (own >= history.firstOp(writer)
        && (history.kind(own) != Kind.APPEND || history.key(own) != key)) {
      own--;
    }
    if (own >= history.firstOp(writer)
        && own != before
        && order.position(own) > order.position(append)) {
      found.found(Phenomenon.INTERNAL, writer, own, writer, append);
    }
  }

  private void checkRead(int reader, int op) {
    int key = history.key(op);
    int length = history.length(op);
    IntList positions = suspects.get(key);
    if (positions != null) {
      checkSuspects(reader, op, positions);
    }
    int last = length == 0 ? ListOrder.NONE : order.append(key, length - 1);
    if (last >= 0 && committed[order.owner(last)]) {
      checkIntermediate(reader, op, last);
    }
    checkOwn(reader, op, last);
  }

  private void checkSuspects(int reader, int op, IntList positions) {
    int key = history.key(op);
    IntList left = new IntList();
    for (int i = 0; i < positions.size(); i++) {
      int append = order.append(key, positions.get(i));
      if (positions.get(i) >= history.length(op)) {
        left.add(positions.get(i));
      } else if (append < 0) {
        found.found(Phenomenon.GARBAGE_READ, reader, op, reader, op);
      } else {
        found.found(Phenomenon.ABORTED_READ, order.owner(append), append, reader, op);
      }
    }
    suspects.put(key, left);
  }

  /** Reports a read of a version that its transaction replaced. */
  private void checkIntermediate(int reader, int op, int last) {
    int writer = order.owner(last);
    for (int later = last + 1; writer != reader && later < history.endOp(writer); later++) {
      if (history.kind(later) == Kind.APPEND && history.key(later) == history.key(op)) {
        found.found(Phenomenon.INTERMEDIATE_READ, writer, last, reader, op);
        return;
      }
    }
  }

  /**
   * Reports a read that lacks the reader's last append before it, or contains one after it.
   *
   * @param last the append of the last element read
   */
  private void checkOwn(int reader, int op, int last) {
    int key = history.key(op);
    for (int own = op - 1; own >= history.firstOp(reader); own--) {
      if (history.kind(own) == Kind.APPEND && history.key(own) == key) {
        if (own != last && order.position(own) >= history.length(op)) {
          found.found(Phenomenon.INTERNAL, reader, own, reader, op);
        }
        break;
      }
    }
    for (int own = op + 1; own < history.endOp(reader); own++) {
      if (history.kind(own) == Kind.APPEND && history.key(own) == key) {
        if (order.position(own) < history.length(op)) {
          found.found(Phenomenon.INTERNAL, reader, op, reader, own);
        }
        break;
      }
    }
  }

  private void report(ListOrder.Found fault) {
    switch (fault.fault()) {
      case DUPLICATE -> {
        int read = readOf(fault.key(), order.branch(fault.key()), order.length(fault.key()));
        report(Phenomenon.DUPLICATE_WRITE, read, read);
      }
      case INCOMPATIBLE -> reportIncompatible(fault);
    }
  }

  private void reportIncompatible(ListOrder.Found fault) {
    int key = fault.key();
    int one = readOf(key, order.branch(key), order.length(key));
    int other = readOf(key, fault.branch(), history.branches(key).get(fault.branch()).length());
    int aborted = order.abortedAppend(key, fault.branch());
    if (aborted < 0) {
      report(Phenomenon.INCOMPATIBLE_ORDER, one, other);
    } else {
      report(Phenomenon.ABORTED_READ, aborted, other);
    }
  }

  private void report(Phenomenon phenomenon, int fromOp, int toOp) {
    found.found(phenomenon, order.owner(fromOp), fromOp, order.owner(toOp), toOp);
  }

  /** A read of a whole branch of a key. */
  private int readOf(int key, int branch, int length) {
    return operations(
        key,
        op ->
            history.kind(op) == Kind.READ
                && history.branch(op) == branch
                && history.length(op) == length,
        1)[0];
  }

  /** The first operations on a key. Slow: only for the few that are reported. */
  private int[] operations(int key, IntPredicate wanted, int count) {
    int[] some = new int[count];
    int size = 0;
    for (int op = 0; op < history.operations() && size < count; op++) {
      if (history.key(op) == key && wanted.test(op)) {
        some[size++] = op;
      }
    }
    return some;
  }
}
