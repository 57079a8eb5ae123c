package io.txwatch.listappend;

import io.txwatch.dependency.CommitOrder;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.listappend.SmallHistory.Op;
import io.txwatch.listappend.SmallHistory.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Decides whether a history satisfies a level, by trying everything: which transactions of unknown
 * outcome committed, and
 *
 * <ul>
 *   <li>for SERIALIZABLE, every serial order, of which each is executed;
 *   <li>for SNAPSHOT, every order of snapshots and commits, with the first committer winning
 *       (Berenson et al. 1995, section 4.2);
 *   <li>for READ_COMMITTED, every order of each key's versions, by Adya's definitions of G0 and G1.
 * </ul>
 */
final class BruteForceJudge {

  private final Set<CommitOrder> orders;
  private final List<Transaction> all;
  private List<Integer> members = List.of();

  /** The states from which no order leads to the end. */
  private final Set<Object> deadEnds = new HashSet<>();

  private BruteForceJudge(SmallHistory history, Set<CommitOrder> orders) {
    this.all = history.transactions();
    this.orders = orders;
  }

  static boolean isValid(SmallHistory history, IsolationLevel level, Set<CommitOrder> orders) {
    BruteForceJudge judge = new BruteForceJudge(history, orders);
    List<Integer> unknown = new ArrayList<>();
    List<Integer> committed = new ArrayList<>();
    for (int t = 0; t < judge.all.size(); t++) {
      switch (judge.all.get(t).outcome()) {
        case COMMITTED -> committed.add(t);
        case UNKNOWN -> unknown.add(t);
        case ABORTED -> {}
      }
    }
    for (int choice = 0; choice < 1 << unknown.size(); choice++) {
      judge.members = new ArrayList<>(committed);
      judge.deadEnds.clear();
      for (int i = 0; i < unknown.size(); i++) {
        if ((choice >> i & 1) == 1) {
          judge.members.add(unknown.get(i));
        }
      }
      boolean valid =
          switch (level) {
            case SERIALIZABLE, REPEATABLE_READ -> judge.serial(0, Map.of());
            case SNAPSHOT -> judge.snapshots(0, 0, Map.of(), Map.of());
            default -> judge.readCommitted(history.keys());
          };
      if (valid) {
        return true;
      }
    }
    return false;
  }

  /** Whether an order that counts puts a transaction before another one. */
  private boolean precedes(int one, int other) {
    Transaction a = all.get(one);
    Transaction b = all.get(other);
    return a.outcome() == Outcome.COMMITTED
        && one != other
        && (orders.contains(CommitOrder.SESSION) && a.process() == b.process() && one < other
            || orders.contains(CommitOrder.REAL_TIME) && one < b.before());
  }

  /** Whether all that must precede a member is among those that are done. */
  private boolean isDue(int member, int done) {
    for (int i = 0; i < members.size(); i++) {
      if ((done >> i & 1) == 0 && precedes(members.get(i), members.get(member))) {
        return false;
      }
    }
    return true;
  }

  private boolean serial(int done, Map<Integer, List<Integer>> lists) {
    if (done == (1 << members.size()) - 1) {
      return true;
    } else if (!deadEnds.add(List.of(done, lists))) {
      return false;
    }
    for (int i = 0; i < members.size(); i++) {
      if ((done >> i & 1) == 0 && isDue(i, done)) {
        Transaction next = all.get(members.get(i));
        if (explains(next, lists) && serial(done | 1 << i, after(next, lists))) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether a transaction's reads are what it reads when it starts from these lists. */
  private static boolean explains(Transaction of, Map<Integer, List<Integer>> lists) {
    Map<Integer, List<Integer>> own = new HashMap<>(lists);
    for (Op op : of.ops()) {
      List<Integer> list = own.getOrDefault(op.key(), List.of());
      if (op.isAppend()) {
        List<Integer> longer = new ArrayList<>(list);
        longer.add(op.element());
        own.put(op.key(), longer);
      } else if (of.outcome() == Outcome.COMMITTED && !op.list().equals(list)) {
        return false;
      }
    }
    return true;
  }

  private static Map<Integer, List<Integer>> after(
      Transaction of, Map<Integer, List<Integer>> lists) {
    Map<Integer, List<Integer>> result = new HashMap<>(lists);
    for (Op op : of.ops()) {
      if (op.isAppend()) {
        List<Integer> longer = new ArrayList<>(result.getOrDefault(op.key(), List.of()));
        longer.add(op.element());
        result.put(op.key(), longer);
      }
    }
    return result;
  }

  /**
   * Takes the next snapshot or commit.
   *
   * @param begun the members with a snapshot, as bits
   * @param done the members that committed
   * @param running for each key that a running member appends to, how many do
   */
  private boolean snapshots(
      int begun, int done, Map<Integer, List<Integer>> lists, Map<Integer, Integer> running) {
    if (done == (1 << members.size()) - 1) {
      return true;
    } else if (!deadEnds.add(List.of(begun, done, lists))) {
      return false;
    }
    for (int i = 0; i < members.size(); i++) {
      Transaction next = all.get(members.get(i));
      if ((begun >> i & 1) == 0 && isDue(i, done) && explains(next, lists)) {
        Map<Integer, Integer> with = new HashMap<>(running);
        keys(next).forEach(key -> with.merge(key, 1, Integer::sum));
        if (with.values().stream().allMatch(count -> count == 1)
            && snapshots(begun | 1 << i, done, lists, with)) {
          return true;
        }
      } else if ((begun >> i & 1) == 1 && (done >> i & 1) == 0) {
        Map<Integer, Integer> without = new HashMap<>(running);
        keys(next).forEach(without::remove);
        if (snapshots(begun, done | 1 << i, after(next, lists), without)) {
          return true;
        }
      }
    }
    return false;
  }

  private static Set<Integer> keys(Transaction of) {
    return Set.copyOf(of.ops().stream().filter(Op::isAppend).map(Op::key).toList());
  }

  private boolean readCommitted(int keys) {
    List<Map<Integer, Integer>> writers = new ArrayList<>();
    for (int key = 0; key < keys; key++) {
      writers.add(new HashMap<>());
      for (int t : members) {
        for (int element : all.get(t).appends(key)) {
          writers.get(key).put(element, t);
        }
      }
    }
    List<int[]> edges = new ArrayList<>();
    for (int t : members) {
      for (int other : members) {
        if (precedes(t, other)) {
          edges.add(new int[] {t, other});
        }
      }
      for (int i = 0; i < all.get(t).ops().size(); i++) {
        Op op = all.get(t).ops().get(i);
        if (!op.isAppend()
            && all.get(t).outcome() == Outcome.COMMITTED
            && !reads(t, i, op, writers.get(op.key()), edges)) {
          return false;
        }
      }
    }
    return versionOrders(0, keys, List.of(), writers, edges);
  }

  /** Adds a read's wr edge; false if it is an aborted or intermediate read, or not of its own. */
  private boolean reads(
      int reader, int at, Op read, Map<Integer, Integer> writers, List<int[]> edges) {
    List<Integer> before =
        all.get(reader).ops().subList(0, at).stream()
            .filter(op -> op.isAppend() && op.key() == read.key())
            .map(Op::element)
            .toList();
    if (read.list().isEmpty()) {
      return before.isEmpty();
    }
    int last = read.list().get(read.list().size() - 1);
    Integer writer = writers.get(last);
    if (writer == null || !writers.keySet().containsAll(read.list())) {
      return false;
    }
    if (writer == reader) {
      return !before.isEmpty() && last == before.get(before.size() - 1);
    }
    List<Integer> others = all.get(writer).appends(read.key());
    edges.add(new int[] {writer, reader});
    return last == others.get(others.size() - 1)
        && read.list().containsAll(before)
        && all.get(reader).appends(read.key()).stream()
            .allMatch(own -> before.contains(own) || !read.list().contains(own));
  }

  /** Tries each order of a key's versions that its reads permit, then those of the next keys. */
  private boolean versionOrders(
      int key,
      int keys,
      List<Integer> order,
      List<Map<Integer, Integer>> writers,
      List<int[]> edges) {
    if (!isAcyclic(edges)) {
      return false;
    } else if (key == keys) {
      return true;
    } else if (order.size() == writers.get(key).size()) {
      return versionOrders(key + 1, keys, List.of(), writers, edges);
    }
    for (int element : writers.get(key).keySet()) {
      if (!order.contains(element)) {
        List<Integer> longer = new ArrayList<>(order);
        longer.add(element);
        List<int[]> more = new ArrayList<>(edges);
        if (!order.isEmpty()) {
          more.add(
              new int[] {
                writers.get(key).get(order.get(order.size() - 1)), writers.get(key).get(element)
              });
        }
        if (agrees(key, longer) && versionOrders(key, keys, longer, writers, more)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether the start of an order agrees with each list, and with each transaction's own order. */
  private boolean agrees(int key, List<Integer> order) {
    for (int t : members) {
      List<Integer> own = all.get(t).appends(key);
      List<Integer> placed = order.stream().filter(own::contains).toList();
      if (!placed.equals(own.subList(0, placed.size()))) {
        return false;
      }
      for (Op op : all.get(t).ops()) {
        int common = Math.min(op.list().size(), order.size());
        if (op.key() == key
            && all.get(t).outcome() == Outcome.COMMITTED
            && !op.list().subList(0, common).equals(order.subList(0, common))) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean isAcyclic(List<int[]> edges) {
    boolean[][] reach = new boolean[all.size()][all.size()];
    for (int[] edge : edges) {
      reach[edge[0]][edge[1]] |= edge[0] != edge[1];
    }
    for (int k = 0; k < reach.length; k++) {
      for (int i = 0; i < reach.length; i++) {
        for (int j = 0; j < reach.length; j++) {
          reach[i][j] |= reach[i][k] && reach[k][j];
        }
      }
    }
    for (int i = 0; i < reach.length; i++) {
      if (reach[i][i]) {
        return false;
      }
    }
    return true;
  }
}
