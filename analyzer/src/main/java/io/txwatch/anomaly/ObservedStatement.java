package io.txwatch.anomaly;

import io.txwatch.dependency.Transaction;
import io.txwatch.history.StatementKind;
import java.util.List;

/**
 * A statement as a report shows it.
 *
 * @param number its number in its transaction
 * @param kind what it is
 * @param sql its text
 * @param callSite where the application called it; empty if unknown
 * @param undone whether its transaction undid it by ROLLBACK TO SAVEPOINT; what it read was read
 * @param waits its waits for locks, as far as they are known
 */
public record ObservedStatement(
    int number,
    StatementKind kind,
    String sql,
    String callSite,
    boolean undone,
    List<LockWait> waits) {

  /** A statement that is not known to have waited. */
  public ObservedStatement(
      int number, StatementKind kind, String sql, String callSite, boolean undone) {
    this(number, kind, sql, callSite, undone, List.of());
  }

  /** A statement that was not undone. */
  public ObservedStatement(int number, StatementKind kind, String sql, String callSite) {
    this(number, kind, sql, callSite, false);
  }

  /** A statement of a transaction. */
  public static ObservedStatement of(Transaction.Statement statement, Transaction transaction) {
    return new ObservedStatement(
        statement.number(),
        statement.kind(),
        statement.sql(),
        statement.callSite(),
        transaction.isUndone(statement.number()));
  }

  /** The same with waits for locks. */
  public ObservedStatement with(List<LockWait> newWaits) {
    return newWaits.isEmpty()
        ? this
        : new ObservedStatement(number, kind, sql, callSite, undone, newWaits);
  }
}
