package io.txwatch.dependency;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Emits the edges of the {@linkplain CommitOrder orders} that count, between committed
 * transactions. Transitive edges are omitted: session order has one edge to each transaction,
 * real-time order as many as transactions ended concurrently before it. The latter omits
 * transactions that observe a share of the rows, since their beginnings are emitted late.
 */
final class CommitOrders {

  private final Set<CommitOrder> orders;
  private final DependencyListener out;

  /**
   * For each node, the transactions that committed last: none of them began after another of them
   * ended.
   */
  private final Map<Long, List<Transaction>> frontiers = new HashMap<>();

  CommitOrders(Set<CommitOrder> orders, DependencyListener out) {
    this.orders = Set.copyOf(orders);
    this.out = out;
  }

  private static long node(Transaction transaction) {
    return transaction.id() >>> Integer.SIZE;
  }

  void began(Transaction transaction) {
    if (orders.contains(CommitOrder.REAL_TIME) && transaction.share().isAll()) {
      transaction.after = List.copyOf(frontiers.getOrDefault(node(transaction), List.of()));
    }
  }

  void committed(Session session, Transaction transaction) {
    if (orders.contains(CommitOrder.SESSION)) {
      Transaction before = session.committed;
      if (before != null) {
        edge(before, transaction, DependencyKind.SO);
      }
      session.committed = transaction;
    }
    if (orders.contains(CommitOrder.REAL_TIME) && transaction.share().isAll()) {
      List<Transaction> frontier =
          frontiers.computeIfAbsent(node(transaction), n -> new ArrayList<>());
      for (Transaction before : transaction.after) {
        edge(before, transaction, DependencyKind.RT);
      }
      frontier.removeAll(transaction.after);
      frontier.add(transaction);
      transaction.after = List.of();
    }
  }

  private void edge(Transaction from, Transaction to, DependencyKind kind) {
    if (!from.discarded) {
      out.dependency(new Edge(from, to, kind, Row.NONE, 0, 0, EdgeEvidence.ITEM));
    }
  }
}
