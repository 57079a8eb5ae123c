package io.txwatch.deadlock;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.coverage.PossibleDeadlock;
import io.txwatch.dependency.LockedRow;
import io.txwatch.dependency.ScopedRow;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.registry.RulesRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds operations that can deadlock although none has: two committed transactions that locked the
 * same rows exclusively, in an order that lets each wait for the other.
 *
 * <p>Of all rows that both locked, let r be the first one that T1 locked and s the first one that
 * T2 locked. If r and s are the same row, the one that locks it first lets the other one wait
 * before it has locked anything that matters: no deadlock is possible. If they differ, one is: T1
 * locks r, T2 locks s, and both go on. T1 later needs s, and waits unless T2 waits already; T2
 * later needs r.
 *
 * <p>A lock before r that is not known could refute that: of a row that a foreign key refers to, of
 * rows that were scanned, of a trigger. Therefore r has to be locked by the first statement of T1
 * that may lock anything, which chooses one row by a unique key; so does s in T2. What they lock
 * between r and s does not matter.
 *
 * <p>Recent transactions alone are compared, a few for each row: time and memory are bounded.
 */
public final class LockOrders {

  /** Transactions with more rows are not examined. */
  private static final int MAX_ROWS = 32;

  /** The rows of all transactions that are kept. */
  private static final int MAX_KEPT_ROWS = 1 << 13;

  /** The transactions that are kept for each row. */
  private static final int MAX_OF_ROW = 4;

  private static final int MAX_TEXTS = 1 << 12;
  private static final int MAX_DEADLOCKS = 1 << 10;

  /** A locking read that locks exclusively, and waits. */
  private static final Pattern EXCLUSIVE =
      Pattern.compile("(?is)\\s*SELECT\\b(?!.*\\bSELECT\\b).*\\bFOR\\s+UPDATE\\s*;?\\s*");

  /** What a transaction locked. Compared by identity. */
  private static final class Locks {
    private final long session;
    private final String operation;

    /** The first lock of each row. */
    private final Map<ScopedRow, Lock> locks;

    /** The row that it locked first. */
    private final ScopedRow first;

    Locks(long session, String operation, Map<ScopedRow, Lock> locks, ScopedRow first) {
      this.session = session;
      this.operation = operation;
      this.locks = locks;
      this.first = first;
    }

    /** The number of the statement that locked a row first; 0 if none did. */
    private int statement(ScopedRow row) {
      Lock lock = locks.get(row);
      return lock == null ? 0 : lock.statement;
    }

    /** Whether it locked the row of another one later, and in its first statement none of its. */
    private boolean locksLater(Locks other) {
      int number = statement(first);
      return statement(other.first) > number
          && locks.entrySet().stream()
              .filter(lock -> lock.getValue().statement == number)
              .allMatch(
                  lock -> lock.getKey().equals(first) || !other.locks.containsKey(lock.getKey()));
    }

    private PossibleDeadlock.Side side(ScopedRow then) {
      return new PossibleDeadlock.Side(operation, shown(first), shown(then));
    }

    private PossibleDeadlock.Lock shown(ScopedRow row) {
      return Objects.requireNonNull(locks.get(row)).shown;
    }
  }

  private record Lock(int statement, PossibleDeadlock.Lock shown) {}

  private final Map<ScopedRow, Deque<Locks>> recent = new HashMap<>();
  private final Deque<Locks> kept = new ArrayDeque<>();
  private int keptRows;

  /** Whether a statement of this text may lock something by name. */
  private final Map<String, Boolean> lockingByName = new HashMap<>();

  /** Sessions that may have locked something by name, perhaps beyond a transaction. */
  private final Set<Long> withLocksByName = new LinkedHashSet<>();

  /** The pairs of operations that have deadlocked. */
  private final Set<Set<String>> deadlocked = new HashSet<>();

  private List<PossibleDeadlock> found = List.of();

  /**
   * Takes in an event.
   *
   * @param transactions those that are known, this event included
   */
  public void accept(Event event, LongFunction<Optional<Transaction>> transactions) {
    if (event instanceof Event.StatementExecuted executed) {
      executed(executed);
    } else if (event instanceof Event.TransactionEnded ended) {
      if (ended.outcome() == Outcome.COMMITTED) {
        transactions
            .apply(ended.transaction())
            .ifPresent(transaction -> ended(ended.session(), transaction));
      }
    } else if (event instanceof Event.SessionClosed) {
      withLocksByName.remove(event.session());
    }
  }

  private void executed(Event.StatementExecuted event) {
    if (lockingByName.size() >= MAX_TEXTS && !lockingByName.containsKey(event.sql())) {
      lockingByName.clear();
    }
    // Whatever the DBMS: the transaction, which knows it, may have been discarded.
    boolean locksByName =
        lockingByName.computeIfAbsent(
            event.sql(),
            sql -> RulesRegistry.KNOWN.stream().anyMatch(rules -> rules.mayLockByName(sql)));
    if (locksByName) {
      withLocksByName.add(event.session());
    }
  }

  private void ended(long session, Transaction transaction) {
    if (transaction.statements().size() < 2 || withLocksByName.contains(session)) {
      return;
    }
    Locks locks = locks(session, transaction);
    if (locks == null) {
      return;
    }
    Set<Locks> candidates = new LinkedHashSet<>();
    for (ScopedRow row : locks.locks.keySet()) {
      candidates.addAll(recent.getOrDefault(row, new ArrayDeque<>()));
    }
    Map<String, PossibleDeadlock> kinds = new LinkedHashMap<>();
    for (Locks other : candidates) {
      PossibleDeadlock possible = possible(locks, other);
      if (possible != null) {
        kinds.putIfAbsent(possible.kind(), possible);
      }
    }
    if (!kinds.isEmpty()) {
      List<PossibleDeadlock> all = new ArrayList<>(found);
      all.addAll(kinds.values());
      found = PossibleDeadlock.sum(all);
    }
    keep(locks);
  }

  private static @Nullable Locks locks(long session, Transaction transaction) {
    DbmsRules rules = RulesRegistry.of(transaction.database().product());
    if (!rules.deadlocksByRows(transaction.database())) {
      return null;
    }
    Transaction.Statement first = firstLocking(transaction, rules);
    if (first == null) {
      return null;
    }
    List<LockedRow> rows = transaction.lockedRows(MAX_ROWS).orElse(List.of());
    Map<ScopedRow, Lock> locks = new LinkedHashMap<>();
    for (LockedRow row : rows) {
      Transaction.Statement statement = transaction.statement(row.statement()).orElse(null);
      if (statement == null) {
        return null;
      }
      if (!row.inserted()) {
        Lock lock =
            new Lock(
                statement.number(),
                new PossibleDeadlock.Lock(
                    row.row().table(), row.key(), statement.callSite(), statement.sql()));
        locks.merge(row.row(), lock, (a, b) -> a.statement <= b.statement ? a : b);
      }
    }
    rows.stream().filter(LockedRow::inserted).forEach(row -> locks.remove(row.row()));
    String table = AccessedColumns.parse(first.columns()).tables().get(0).table();
    List<ScopedRow> ofFirst =
        locks.entrySet().stream()
            .filter(lock -> lock.getValue().statement == first.number())
            .map(Map.Entry::getKey)
            .filter(row -> row.table().equals(table))
            .toList();
    return ofFirst.size() == 1 && locks.size() > 1
        ? new Locks(session, Operations.of(transaction), locks, ofFirst.get(0))
        : null;
  }

  /**
   * The first statement that locked anything; null if what it locked is not certain, or if it is
   * not certain that another one waited for the locks of others.
   */
  private static Transaction.@Nullable Statement firstLocking(
      Transaction transaction, DbmsRules rules) {
    Transaction.Statement first = null;
    for (Transaction.Statement statement : transaction.statements()) {
      switch (statement.kind()) {
        case SELECT -> {
          boolean isUnknown = statement.columns().isEmpty() && !statement.rowsSeen();
          if (first == null && (isUnknown || rules.plainReadsLock(transaction.level()))) {
            return null;
          }
        }
        case LOCKING_SELECT -> {
          if (!EXCLUSIVE.matcher(statement.sql()).matches() || !isOfOneRow(statement)) {
            return null;
          }
          first = first == null ? statement : first;
        }
        case UPDATE, DELETE -> {
          if (first == null && !isOfOneRow(statement)) {
            return null;
          }
          first = first == null ? statement : first;
        }
        case INSERT, REPLACE, MERGE -> {
          if (first == null) {
            return null;
          }
        }
        case DDL, OTHER -> {
          return null;
        }
      }
    }
    return first;
  }

  /** Whether it uses one table alone, and one row of it at most. */
  private static boolean isOfOneRow(Transaction.Statement statement) {
    List<AccessedColumns.OfTable> tables = AccessedColumns.parse(statement.columns()).tables();
    return tables.size() == 1 && !tables.get(0).key().names().isEmpty();
  }

  private static @Nullable PossibleDeadlock possible(Locks one, Locks other) {
    boolean isOneAfterTheOther =
        one.session == other.session && one.operation.equals(other.operation);
    return !isOneAfterTheOther && one.locksLater(other) && other.locksLater(one)
        ? new PossibleDeadlock(one.side(other.first), other.side(one.first), 1)
        : null;
  }

  private void keep(Locks locks) {
    kept.addLast(locks);
    keptRows += locks.locks.size();
    for (ScopedRow row : locks.locks.keySet()) {
      Deque<Locks> ofRow = recent.computeIfAbsent(row, r -> new ArrayDeque<>(1));
      ofRow.addLast(locks);
      if (ofRow.size() > MAX_OF_ROW) {
        ofRow.removeFirst();
      }
    }
    while (keptRows > MAX_KEPT_ROWS) {
      discard(kept.removeFirst());
    }
  }

  private void discard(Locks locks) {
    keptRows -= locks.locks.size();
    for (ScopedRow row : locks.locks.keySet()) {
      Deque<Locks> ofRow = recent.getOrDefault(row, new ArrayDeque<>());
      ofRow.remove(locks);
      if (ofRow.isEmpty()) {
        recent.remove(row);
      }
    }
  }

  /** Operations deadlocked: they are not shown as ones that could. */
  public void reported(Anomaly deadlock, LongFunction<Optional<Transaction>> transactions) {
    List<String> operations =
        deadlock.transactions().stream()
            .map(
                side ->
                    transactions
                        .apply(side.id())
                        .map(Operations::of)
                        .orElseGet(() -> Operations.of(side)))
            .toList();
    for (int i = 0; i < operations.size() && deadlocked.size() < MAX_DEADLOCKS; i++) {
      String next = operations.get((i + 1) % operations.size());
      deadlocked.add(new HashSet<>(List.of(operations.get(i), next)));
    }
  }

  /** What was found, the most frequent first. */
  public List<PossibleDeadlock> found() {
    return found.stream()
        .filter(
            possible ->
                !deadlocked.contains(
                    new HashSet<>(
                        List.of(possible.one().operation(), possible.other().operation()))))
        .toList();
  }

  /** Discards the transactions that are kept. */
  public void restart() {
    recent.clear();
    kept.clear();
    keptRows = 0;
  }
}
