package io.txwatch.listappend;

import io.txwatch.dependency.CommitOrder;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.graph.IntList;
import io.txwatch.history.Outcome;
import io.txwatch.listappend.ListHistory.Kind;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The dependencies between the committed transactions of a list-append history (Kingsbury and
 * Alvaro 2020, section 4.3), as edges between their numbers.
 *
 * <ul>
 *   <li><b>ww</b>: from the writer of an element to that of the next one in the list, and from the
 *       writer of the last one to that of each append that no transaction read;
 *   <li><b>wr</b>: from the writer of the last element of a list to its reader;
 *   <li><b>rw</b>: from the reader of a list to the writer of the next element; from the reader of
 *       the longest list to the writer of each append that no transaction read. If one transaction
 *       wrote both versions, the read is an intermediate read (G1b) and has no such edge;
 *   <li><b>so, rt</b>: the orders that count, if requested.
 * </ul>
 *
 * <p>Where m readers precede n writers there would be m·n edges, as between transactions in real
 * time. Auxiliary nodes make them m + n: an edge into such a node is continued by those out of it.
 */
final class ListDependencies {

  /** Receives edges. */
  interface Sink {
    /**
     * Receives an edge.
     *
     * @param from a transaction, or an auxiliary node
     * @param kind the ordinal of a dependency's kind, or {@link EdgeList#THROUGH}
     * @param fromOp the operation of the source, -1 if none
     * @param toOp the operation of the target, -1 if none
     */
    void edge(int from, int to, int kind, int fromOp, int toOp);
  }

  private static final int WW = DependencyKind.WW.ordinal();
  private static final int WR = DependencyKind.WR.ordinal();
  private static final int RW = DependencyKind.RW.ordinal();
  private static final int SO = DependencyKind.SO.ordinal();
  private static final int RT = DependencyKind.RT.ordinal();

  /** The most unread appends of a key that have edges without an auxiliary node. */
  private static final int MAX_DIRECT = 4;

  private final ListHistory history;
  private final ListOrder order;
  private final boolean[] committed;

  /** The auxiliary node of each key; 0 if it has none. */
  private final int[] keyNodes;

  private final int firstTimeNode;
  private final int nodes;

  ListDependencies(ListHistory history, ListOrder order, boolean[] committed) {
    this.history = history;
    this.order = order;
    this.committed = committed;
    this.keyNodes = new int[history.keys()];
    int next = history.transactions();
    for (int key = 0; key < keyNodes.length; key++) {
      if (!order.isUnusable(key) && order.unread(key) > MAX_DIRECT) {
        keyNodes[key] = next++;
      }
    }
    firstTimeNode = next;
    for (int t = 0; t < history.transactions(); t++) {
      next += history.outcome(t) == Outcome.COMMITTED ? 1 : 0;
    }
    if (next >= EdgeList.MAX_NODES) {
      throw new IllegalArgumentException("more than " + EdgeList.MAX_NODES + " transactions");
    }
    nodes = next;
  }

  /** The number of nodes: the transactions, and auxiliary nodes after them. */
  int nodes() {
    return nodes;
  }

  /** Whether a node is auxiliary and orders transactions in time. */
  boolean isTimeNode(int node) {
    return node >= firstTimeNode;
  }

  /** Emits the dependencies. */
  void forEach(Sink sink) {
    for (int key = 0; key < history.keys(); key++) {
      if (!order.isUnusable(key)) {
        writes(key, sink);
      }
    }
    Map<Integer, IntList> overwriters = new HashMap<>();
    for (int t = 0; t < history.transactions(); t++) {
      for (int op = history.firstOp(t); committed[t] && op < history.endOp(t); op++) {
        if (history.kind(op) == Kind.READ && order.agrees(op)) {
          read(t, op, overwriters, sink);
        }
      }
    }
    overwriters.forEach((key, reads) -> overwrites(key, reads, sink));
  }

  private void writes(int key, Sink sink) {
    int before = ListOrder.NONE;
    for (int i = 0; i < order.length(key); i++) {
      int append = order.append(key, i);
      if (isCommitted(append)) {
        if (before >= 0) {
          write(before, append, sink);
        }
        before = append;
      }
    }
    int node = keyNodes[key];
    for (int i = 0; i < order.unread(key); i++) {
      int append = order.unread(key, i);
      if (isUnread(append, before)) {
        if (before >= 0) {
          write(before, append, sink);
        }
        if (node > 0) {
          sink.edge(node, order.owner(append), EdgeList.THROUGH, -1, append);
        }
      }
    }
  }

  private void write(int append, int next, Sink sink) {
    if (order.owner(append) != order.owner(next)) {
      sink.edge(order.owner(append), order.owner(next), WW, append, next);
    }
  }

  private boolean isCommitted(int append) {
    return append >= 0 && committed[order.owner(append)];
  }

  /**
   * Whether an append that no transaction read counts: it was committed, and not by the writer of
   * the last version, of which it would only be a later one.
   */
  private boolean isUnread(int append, int last) {
    return isCommitted(append) && (last < 0 || order.owner(last) != order.owner(append));
  }

  /** The append of the last committed element of a key's list. */
  private int last(int key) {
    int i = order.length(key) - 1;
    while (i >= 0 && !isCommitted(order.append(key, i))) {
      i--;
    }
    return i < 0 ? ListOrder.NONE : order.append(key, i);
  }

  private void read(int reader, int op, Map<Integer, IntList> overwriters, Sink sink) {
    int key = history.key(op);
    int length = history.length(op);
    int seen = length == 0 ? ListOrder.NONE : order.append(key, length - 1);
    if (isCommitted(seen) && order.owner(seen) != reader) {
      sink.edge(order.owner(seen), reader, WR, seen, op);
    }
    int next = length;
    while (next < order.length(key) && !isCommitted(order.append(key, next))) {
      next++;
    }
    if (next == order.length(key)) {
      readLast(reader, op, overwriters, sink);
      return;
    }
    int append = order.append(key, next);
    int writer = order.owner(append);
    if (writer != reader && (seen < 0 || order.owner(seen) != writer)) {
      sink.edge(reader, writer, RW, op, append);
    }
  }

  private void readLast(int reader, int op, Map<Integer, IntList> overwriters, Sink sink) {
    int key = history.key(op);
    if (order.unread(key) == 0) {
      return;
    }
    int last = last(key);
    if (appendOf(reader, key, last) >= 0) {
      overwriters.computeIfAbsent(key, k -> new IntList()).add(op);
    } else if (keyNodes[key] > 0) {
      sink.edge(reader, keyNodes[key], RW, op, -1);
    } else {
      readBeforeUnread(reader, op, last, sink);
    }
  }

  private void readBeforeUnread(int reader, int op, int last, Sink sink) {
    int key = history.key(op);
    for (int i = 0; i < order.unread(key); i++) {
      int append = order.unread(key, i);
      if (order.owner(append) != reader && isUnread(append, last)) {
        sink.edge(reader, order.owner(append), RW, op, append);
      }
    }
  }

  /** The append of a transaction to a key that no transaction read, or {@link ListOrder#NONE}. */
  private int appendOf(int transaction, int key, int last) {
    int low = 0;
    int high = order.unread(key);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (order.unread(key, middle) < history.firstOp(transaction)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < order.unread(key)
            && order.owner(order.unread(key, low)) == transaction
            && isUnread(order.unread(key, low), last)
        ? order.unread(key, low)
        : ListOrder.NONE;
  }

  /**
   * Emits the rw edges of transactions that read the longest list and appended to it. If there are
   * several, each overwrote what the others read: of these edges a chain in both directions
   * suffices, and one of them precedes all other appends.
   */
  private void overwrites(int key, IntList reads, Sink sink) {
    int last = last(key);
    IntList some = new IntList();
    int before = -1;
    for (int i = 0; i < reads.size(); i++) {
      int reader = order.owner(reads.get(i));
      if (reader != before) {
        some.add(reads.get(i));
        before = reader;
      }
    }
    for (int i = 1; i < some.size(); i++) {
      int one = order.owner(some.get(i - 1));
      int other = order.owner(some.get(i));
      sink.edge(one, other, RW, some.get(i - 1), appendOf(other, key, last));
      sink.edge(other, one, RW, some.get(i), appendOf(one, key, last));
    }
    readBeforeUnread(order.owner(some.get(0)), some.get(0), last, sink);
  }

  /**
   * Emits the orders that count. A transaction of unknown outcome may have taken effect at any time
   * after it began: others precede it, it precedes none.
   */
  void forEachOrder(Set<CommitOrder> orders, Sink sink) {
    if (orders.contains(CommitOrder.SESSION)) {
      sessionOrder(sink);
    }
    if (orders.contains(CommitOrder.REAL_TIME)) {
      realTimeOrder(sink);
    }
  }

  private void sessionOrder(Sink sink) {
    Map<Long, Integer> lasts = new HashMap<>();
    for (int t = 0; t < history.transactions(); t++) {
      if (committed[t] && history.process(t) >= 0) {
        Integer last = lasts.get(history.process(t));
        if (last != null) {
          sink.edge(last, t, SO, -1, -1);
        }
        if (history.outcome(t) == Outcome.COMMITTED) {
          lasts.put(history.process(t), t);
        }
      }
    }
  }

  /** Completions form a chain of auxiliary nodes: a transaction leads into it, and it to others. */
  private void realTimeOrder(Sink sink) {
    int[] ended = new int[history.transactions() + 1];
    for (int t = 0; t < history.transactions(); t++) {
      ended[t + 1] = ended[t];
      if (history.outcome(t) == Outcome.COMMITTED) {
        int node = firstTimeNode + ended[t];
        sink.edge(t, node, RT, -1, -1);
        if (ended[t] > 0) {
          sink.edge(node - 1, node, EdgeList.THROUGH, -1, -1);
        }
        ended[t + 1]++;
      }
      int before = Math.max(0, history.endedBefore(t));
      if (committed[t] && ended[before] > 0) {
        sink.edge(firstTimeNode + ended[before] - 1, t, EdgeList.THROUGH, -1, -1);
      }
    }
  }

  /** Whether a transaction precedes another one by an order that counts, directly; its kind. */
  int orderBetween(int before, int after, Set<CommitOrder> orders) {
    if (history.outcome(before) != Outcome.COMMITTED || before == after) {
      return -1;
    } else if (orders.contains(CommitOrder.SESSION)
        && before < after
        && history.process(before) >= 0
        && history.process(before) == history.process(after)) {
      return SO;
    }
    return orders.contains(CommitOrder.REAL_TIME) && before < history.endedBefore(after) ? RT : -1;
  }

  /** The transactions that made an unread append to a key, each once, in the order of the file. */
  int[] unreadWriters(int key) {
    int last = last(key);
    IntList writers = new IntList();
    for (int i = 0; i < order.unread(key); i++) {
      int writer = order.owner(order.unread(key, i));
      boolean again = writers.size() > 0 && writers.get(writers.size() - 1) == writer;
      if (!again && isUnread(order.unread(key, i), last)) {
        writers.add(writer);
      }
    }
    return writers.toArray();
  }
}
