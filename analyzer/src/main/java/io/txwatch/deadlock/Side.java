package io.txwatch.deadlock;

import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.StatementKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A transaction in a deadlock.
 *
 * @param waited the number of its statement that waited; 0 if it is not known
 * @param tables the tables of that statement; empty if they are not known
 * @param locks the statements before it that may have locked rows, the first one first
 */
record Side(
    ObservedTransaction transaction,
    Database database,
    int waited,
    Set<String> tables,
    List<Lock> locks) {

  /** A statement that may have locked rows, and its tables; no tables if they are not known. */
  record Lock(ObservedStatement statement, Set<String> tables) {}

  static Side of(Transaction transaction, int waited, int attempt) {
    List<ObservedStatement> statements = new ArrayList<>();
    List<Lock> locks = new ArrayList<>();
    Set<String> tables = Set.of();
    for (Transaction.Statement statement : transaction.statements()) {
      ObservedStatement observed = ObservedStatement.of(statement, transaction);
      if (statement.number() == waited) {
        statements.add(observed);
        tables = tables(statement);
      } else if (mayLock(statement.kind()) && (waited == 0 || statement.number() < waited)) {
        locks.add(new Lock(observed, tables(statement)));
        statements.add(observed);
      }
    }
    return new Side(
        new ObservedTransaction(
            transaction.id(),
            transaction.sessionName(),
            transaction.level(),
            transaction.outcome(),
            statements,
            transaction.endedMicros(),
            transaction.name(),
            transaction.traceId(),
            List.of(),
            attempt),
        transaction.database(),
        waited,
        tables,
        locks);
  }

  /**
   * A side of which nothing is known.
   *
   * @param waiter what the event states of it; null if nothing
   * @param number distinguishes it from others
   */
  static Side unknown(Event.Deadlocked.@Nullable Waiter waiter, Side failed, int number) {
    String session =
        waiter == null || waiter.session() != 0 ? "not known" : "a session that is not watched";
    return new Side(
        new ObservedTransaction(
            -number, session, failed.transaction.level(), Optional.empty(), List.of(), 0, "", ""),
        failed.database,
        0,
        Set.of(),
        List.of());
  }

  private static boolean mayLock(StatementKind kind) {
    return kind.mayWrite() || kind == StatementKind.LOCKING_SELECT;
  }

  private static Set<String> tables(Transaction.Statement statement) {
    return AccessedColumns.parse(statement.columns()).tables().stream()
        .map(AccessedColumns.OfTable::table)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** True if nothing is known of it. */
  boolean isUnknown() {
    return transaction.statements().isEmpty();
  }

  /** The statement by which it locked what another side waited for; empty if several may have. */
  Optional<Lock> lockFor(Side waiting) {
    List<Lock> sameTable =
        locks.stream()
            .filter(lock -> lock.tables().stream().anyMatch(waiting.tables::contains))
            .toList();
    List<Lock> possible = sameTable.isEmpty() ? locks : sameTable;
    return possible.size() == 1 ? Optional.of(possible.get(0)) : Optional.empty();
  }

  /** The statement that waited; empty if it is not known. */
  Optional<ObservedStatement> waitedIn() {
    return transaction.statements().stream()
        .filter(statement -> statement.number() == waited)
        .findFirst();
  }
}
