package io.txwatch.deadlock;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.Event;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reports deadlocks, each once its transactions have ended, so that what they did after it and how
 * they ended is known. Also counts the tries of transactions that are repeated after a conflict.
 */
public final class Deadlocks {

  private static final int MAX_PENDING = 64;

  /** So many events later a transaction whose end has not arrived is reported without. */
  private static final int MAX_EVENTS = 100_000;

  private final Consumer<Anomaly> out;
  private final Attempts attempts = new Attempts();
  private final Deque<Pending> pending = new ArrayDeque<>();
  private long events;

  /** A deadlock of which not all transactions have ended. */
  private static final class Pending {
    private final Event.Deadlocked event;
    private final long since;
    private final @Nullable Side[] sides;
    private final Set<Long> running = new HashSet<>();

    Pending(Event.Deadlocked event, long since) {
      this.event = event;
      this.since = since;
      this.sides = new @Nullable Side[event.others().size() + 1];
      running.add(event.transaction());
      event.others().stream()
          .map(Event.Deadlocked.Waiter::transaction)
          .filter(id -> id != 0)
          .forEach(running::add);
    }

    private long transaction(int side) {
      return side == 0 ? event.transaction() : event.others().get(side - 1).transaction();
    }
  }

  /** Reports deadlocks to {@code out}. */
  public Deadlocks(Consumer<Anomaly> out) {
    this.out = out;
  }

  /** Which try a transaction is: 1 if it repeats none. */
  public int attempt(long transaction) {
    return attempts.of(transaction);
  }

  /** The number of transactions that repeat one that failed by a conflict. */
  public long repeated() {
    return attempts.repeated();
  }

  /**
   * Takes in an event.
   *
   * @param transactions those that are known, this event included
   */
  public void accept(Event event, LongFunction<Optional<Transaction>> transactions) {
    events++;
    if (event instanceof Event.StatementExecuted executed) {
      if (executed.statement() == 1 || !executed.succeeded()) {
        transactions
            .apply(executed.transaction())
            .ifPresent(transaction -> attempts.executed(executed, transaction));
      }
    } else if (event instanceof Event.CommitFailed failed) {
      transactions
          .apply(failed.transaction())
          .ifPresent(transaction -> attempts.commitFailed(failed, transaction));
    } else if (event instanceof Event.Deadlocked deadlocked) {
      began(deadlocked, transactions);
    } else if (event instanceof Event.TransactionEnded ended && !pending.isEmpty()) {
      ended(ended.transaction(), transactions);
    }
  }

  private void began(Event.Deadlocked event, LongFunction<Optional<Transaction>> transactions) {
    Pending one = new Pending(event, events);
    for (int i = 0; i < one.sides.length; i++) {
      Transaction known = transactions.apply(one.transaction(i)).orElse(null);
      if (known != null && known.outcome().isPresent()) {
        observe(one, known);
      }
    }
    pending.add(one);
    reportIfComplete(transactions);
  }

  private void ended(long id, LongFunction<Optional<Transaction>> transactions) {
    Transaction transaction = transactions.apply(id).orElse(null);
    for (Pending one : pending) {
      if (one.running.contains(id)) {
        if (transaction == null) {
          one.running.remove(id);
        } else {
          observe(one, transaction);
        }
      }
    }
    reportIfComplete(transactions);
  }

  private void observe(Pending one, Transaction transaction) {
    one.running.remove(transaction.id());
    for (int i = 0; i < one.sides.length; i++) {
      if (one.transaction(i) == transaction.id()) {
        int waited = i == 0 ? one.event.statement() : one.event.others().get(i - 1).statement();
        one.sides[i] = Side.of(transaction, waited, attempts.of(transaction.id()));
      }
    }
  }

  private void reportIfComplete(LongFunction<Optional<Transaction>> transactions) {
    for (Iterator<Pending> each = pending.iterator(); each.hasNext(); ) {
      Pending one = each.next();
      boolean isLate = events - one.since > MAX_EVENTS || pending.size() > MAX_PENDING;
      if (one.running.isEmpty() || isLate) {
        each.remove();
        report(one, transactions);
      }
    }
  }

  /** Reports those of which transactions have not ended. To be called at the end of a history. */
  public void flush(LongFunction<Optional<Transaction>> transactions) {
    for (Pending one = pending.poll(); one != null; one = pending.poll()) {
      report(one, transactions);
    }
  }

  private void report(Pending one, LongFunction<Optional<Transaction>> transactions) {
    for (long id : Set.copyOf(one.running)) {
      transactions.apply(id).ifPresent(transaction -> observe(one, transaction));
    }
    Side failed = one.sides[0];
    if (failed == null) {
      return; // it was discarded for lack of memory
    }
    List<Side> sides = new ArrayList<>();
    sides.add(failed);
    List<Event.Deadlocked.Waiter> others = one.event.others();
    for (int i = 0; i < others.size(); i++) {
      Side other = one.sides[i + 1];
      sides.add(other != null ? other : Side.unknown(others.get(i), failed, i + 1));
    }
    if (others.isEmpty()) {
      sides.add(Side.unknown(null, failed, 1));
    }
    out.accept(DeadlockAnomaly.of(sides, one.event.named()));
  }
}
