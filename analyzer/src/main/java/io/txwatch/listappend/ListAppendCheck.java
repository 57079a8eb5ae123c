package io.txwatch.listappend;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Checks a list-append history: what lists show by themselves, then cycles of dependencies.
 *
 * <p>The dependencies decide at every level but snapshot isolation: if they form no proscribed
 * cycle, an order of the appends that no transaction read agrees with them. At snapshot isolation
 * {@link UnreadOrder} searches for one. REPEATABLE_READ equals SERIALIZABLE here, since there are
 * no predicates.
 */
public final class ListAppendCheck {

  private ListAppendCheck() {}

  /**
   * The result of a check.
   *
   * @param valid whether the history satisfies its level; empty if undecided
   * @param reason why not, or what the result rests on; for display
   */
  public record Result(Optional<Boolean> valid, String reason) {}

  /**
   * Checks a history.
   *
   * @param level the level, by Adya's definitions
   * @param orders the orders that count besides dependencies
   * @param budget the time limit of the search for an order of unread appends
   * @param found receives each anomaly
   */
  public static Result check(
      ListHistory history,
      IsolationLevel level,
      Set<CommitOrder> orders,
      Duration budget,
      Consumer<Anomaly> found) {
    ListOrder order = new ListOrder(history);
    boolean[] committed = committed(history, order, level != IsolationLevel.READ_UNCOMMITTED);
    ListAnomalies anomalies = new ListAnomalies(history, level);
    AtomicBoolean accused = new AtomicBoolean();
    AtomicBoolean violated = new AtomicBoolean();
    Consumer<Anomaly> listener =
        anomaly -> {
          accused.set(true);
          violated.compareAndSet(false, anomaly.verdict() == Verdict.VIOLATION);
          found.accept(anomaly);
        };
    new ReadFaults(
            history,
            order,
            committed,
            (phenomenon, from, fromOp, to, toOp) ->
                listener.accept(anomalies.of(phenomenon, from, fromOp, to, toOp)))
        .report();
    ListDependencies dependencies = new ListDependencies(history, order, committed);
    ListCycles cycles =
        new ListCycles(
            dependencies,
            orders,
            history.transactions(),
            anomalies::rank,
            cycle -> listener.accept(anomalies.of(cycle)));
    int[] components = cycles.search();
    if (violated.get()) {
      return new Result(Optional.of(false), "");
    } else if (order.appendedTwice().length > 0) {
      return new Result(Optional.empty(), anomalies.appendedTwice(order));
    } else if (!cycles.related() && !accused.get()) {
      return new Result(Optional.empty(), "no transaction depends on another");
    } else if (level != IsolationLevel.SNAPSHOT) {
      return new Result(Optional.of(true), "");
    }
    return new UnreadOrder(history, dependencies, orders, components, anomalies, found)
        .search(budget);
  }

  /**
   * Whether each transaction committed, as far as known.
   *
   * @param readMeansCommitted whether transactions of unknown outcome count as committed if a
   *     committed one read from them: otherwise that read would be an aborted read, and the level
   *     is violated either way
   */
  private static boolean[] committed(
      ListHistory history, ListOrder order, boolean readMeansCommitted) {
    boolean[] committed = new boolean[history.transactions()];
    for (int t = 0; t < committed.length; t++) {
      committed[t] = history.outcome(t) == Outcome.COMMITTED;
    }
    for (int key = 0; readMeansCommitted && key < history.keys(); key++) {
      for (int i = 0; !order.isUnusable(key) && i < order.length(key); i++) {
        int append = order.append(key, i);
        if (append >= 0 && history.outcome(order.owner(append)) == Outcome.UNKNOWN) {
          committed[order.owner(append)] = true;
        }
      }
    }
    return committed;
  }
}
