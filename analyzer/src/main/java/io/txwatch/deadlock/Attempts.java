package io.txwatch.deadlock;

import io.txwatch.dependency.Transaction;
import io.txwatch.history.Event;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which transactions repeat one that failed by a conflict: the next one of its session, or of its
 * trace, if it begins with the same statement, at the same line, under the same name. Nothing is
 * kept of transactions that do not fail.
 */
final class Attempts {

  /** Serialization failures and deadlocks: a transaction with one may be repeated. */
  private static final Set<String> CONFLICTS = Set.of("40001", "40P01");

  private static final int MAX_ENTRIES = 4096;

  /** How a transaction begins. */
  private record Beginning(String name, String sql, String callSite) {}

  /** A transaction that failed and may be repeated. */
  private record Failed(Beginning beginning, int attempt) {}

  private final Map<Object, Failed> failed = new Bounded<>();
  private final Map<Long, Integer> attempts = new Bounded<>();
  private long repeated;

  private static final class Bounded<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > MAX_ENTRIES;
    }
  }

  /** A statement was executed. */
  void executed(Event.StatementExecuted event, Transaction transaction) {
    if (!failed.isEmpty() && event.statement() == 1) {
      began(event, transaction);
    }
    if (!event.succeeded()) {
      failed(event.session(), String.valueOf(event.sqlState()), transaction);
    }
  }

  /** COMMIT failed. */
  void commitFailed(Event.CommitFailed event, Transaction transaction) {
    failed(event.session(), event.sqlState(), transaction);
  }

  private void failed(long session, String sqlState, Transaction transaction) {
    if (CONFLICTS.contains(sqlState)) {
      transaction
          .statement(1)
          .ifPresent(
              first -> {
                Failed one =
                    new Failed(
                        new Beginning(transaction.name(), first.sql(), first.callSite()),
                        of(transaction.id()));
                failed.put(session, one);
                if (!transaction.traceId().isEmpty()) {
                  failed.put(transaction.traceId(), one);
                }
              });
    }
  }

  /** The number of transactions that repeat another one. */
  long repeated() {
    return repeated;
  }

  private void began(Event.StatementExecuted event, Transaction transaction) {
    Failed ofSession = failed.remove(event.session());
    Failed ofTrace = failed.remove(transaction.traceId());
    Failed before = ofTrace == null ? ofSession : ofTrace;
    if (before != null
        && before.beginning.equals(
            new Beginning(transaction.name(), event.sql(), event.callSite()))) {
      attempts.put(transaction.id(), before.attempt + 1);
      repeated++;
    }
  }

  /** Which try a transaction is: 1 if it repeats none. */
  int of(long transaction) {
    return attempts.getOrDefault(transaction, 1);
  }
}
