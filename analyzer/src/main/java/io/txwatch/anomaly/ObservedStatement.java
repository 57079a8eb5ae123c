package io.txwatch.anomaly;

import io.txwatch.dependency.Transaction;
import io.txwatch.history.StatementKind;

/**
 * A statement as a report shows it.
 *
 * @param number its number in its transaction
 * @param kind what it is
 * @param sql its text
 * @param callSite where the application called it; empty if unknown
 * @param undone whether its transaction undid it by ROLLBACK TO SAVEPOINT; what it read was read
 */
public record ObservedStatement(
    int number, StatementKind kind, String sql, String callSite, boolean undone) {

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
}
