package io.txwatch.deadlock;

import io.txwatch.anomaly.LockWait;
import io.txwatch.coverage.OperationWaits;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.CallSite;
import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * Sums the waits for locks by pair of operations. An operation is what the application calls a
 * transaction, or, if it has no name, the source file of its first statement.
 */
public final class WaitCounter {

  private static final int MAX_TRANSACTIONS = 4096;
  private static final String NOT_WATCHED = "not watched";

  /** A wait for a transaction of which no event has arrived yet. */
  private record Pending(String waiting, String at, long micros) {}

  private List<OperationWaits.Pair> pairs = List.of();
  private final Map<Long, List<Pending>> pending = new LinkedHashMap<>();

  /** The waits of the newest transactions that waited, by statement. */
  private final Map<Long, Map<Integer, List<LockWait>>> waits =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Map<Integer, List<LockWait>>> eldest) {
          return size() > MAX_TRANSACTIONS;
        }
      };

  /**
   * Takes in an event.
   *
   * @param transactions those that are known, this event included
   */
  public void accept(Event event, LongFunction<Optional<Transaction>> transactions) {
    if (event instanceof Event.Waited waited) {
      waited(waited, transactions);
    } else if (event instanceof Event.TransactionEnded ended && !pending.isEmpty()) {
      List<Pending> of = pending.remove(ended.transaction());
      if (of != null) {
        String holding = operation(transactions.apply(ended.transaction()));
        of.forEach(one -> add(one, holding));
      }
    }
  }

  private void waited(Event.Waited event, LongFunction<Optional<Transaction>> transactions) {
    Optional<Transaction> waiting = transactions.apply(event.transaction());
    Pending wait =
        new Pending(
            operation(waiting),
            waiting
                .flatMap(known -> known.statement(event.statement()))
                .map(statement -> CallSite.place(statement.callSite()))
                .orElse(""),
            event.duration());
    List<LockWait> ofStatement =
        waits
            .computeIfAbsent(event.transaction(), id -> new LinkedHashMap<>())
            .computeIfAbsent(event.statement(), number -> new ArrayList<>());
    for (Event.Waited.Holder holder : event.holders()) {
      Optional<Transaction> holding = transactions.apply(holder.transaction());
      boolean isWatched = holder.transaction() != 0;
      String operation = isWatched ? operation(holding) : NOT_WATCHED;
      ofStatement.add(new LockWait(event.duration(), holder.transaction(), operation));
      if (isWatched && holding.isEmpty() && pending.size() < MAX_TRANSACTIONS) {
        pending.computeIfAbsent(holder.transaction(), id -> new ArrayList<>(1)).add(wait);
      } else {
        add(wait, operation);
      }
    }
  }

  private void add(Pending wait, String holding) {
    List<OperationWaits.Pair> all = new ArrayList<>(pairs);
    all.add(new OperationWaits.Pair(wait.waiting, holding, 1, wait.micros, wait.micros, wait.at));
    pairs = OperationWaits.sum(all);
  }

  private static String operation(Optional<Transaction> transaction) {
    return transaction.map(Operations::of).orElse(Operations.NOT_KNOWN);
  }

  /** For whom a statement waited. */
  public List<LockWait> of(long transaction, int statement) {
    return List.copyOf(
        waits.getOrDefault(transaction, Map.of()).getOrDefault(statement, List.of()));
  }

  /** Ends the waits for transactions of which no event has arrived. */
  public void flush() {
    List<Pending> rest = pending.values().stream().flatMap(List::stream).toList();
    pending.clear();
    rest.forEach(one -> add(one, Operations.NOT_KNOWN));
  }

  /**
   * The sums so far.
   *
   * @param repeated transactions that repeat one that failed by a conflict
   */
  public OperationWaits waits(long repeated) {
    return new OperationWaits(pairs, repeated);
  }
}
