package io.txwatch.jdbc.execution;

import io.txwatch.capture.SessionTracker;
import io.txwatch.capture.TransactionRules;
import io.txwatch.history.IsolationLevel;
import io.txwatch.jdbc.session.ConnectionState;
import java.sql.SQLException;
import java.sql.Savepoint;

/** A connection's writes that are run as queries, so that they return the rows that they wrote. */
public final class ReturningWrites {

  private final ConnectionState connection;
  private final TransactionRules rules;
  private final SessionTracker tracker;

  ReturningWrites(ConnectionState connection) {
    this.connection = connection;
    this.rules = connection.rules();
    this.tracker = connection.tracker();
  }

  /** A write that was made to return its rows. */
  public interface Write {
    /** Sends it and reads its rows to the end; gives their number. */
    long send() throws SQLException;
  }

  /**
   * True if a write that is made to return its rows does what it does by itself. H2 keeps what such
   * a write did before it failed, so it must be undone, for which there must be a transaction. And
   * at REPEATABLE READ it takes the snapshot of a table when a statement first names it, and does
   * not count what is named within {@code FINAL TABLE (…)}, so such a write would overwrite what
   * the plain one fails on with 40001. Nor where the application asks for ROW_COUNT() after one:
   * MariaDB has none after RETURNING.
   */
  public boolean mayReturn() {
    if (connection.database().memory().isAskedForRowCount()) {
      return false;
    }
    return !rules.failedQueryKeepsWrites()
        || (tracker.inTransactionMode()
            && tracker.level().isKnown()
            && tracker.level() != IsolationLevel.REPEATABLE_READ);
  }

  /** True if the DBMS gives no result, not even an empty one, where a WHERE can never be true. */
  public boolean mayAnswerWithoutRows() {
    return connection.sql().driver().mayReturnNoResult();
  }

  /**
   * Runs a write as a query that returns its rows, and gives their number. If it fails, nothing of
   * it stays, as nothing of a plain write would.
   */
  public long run(Write query) throws SQLException {
    if (!rules.failedQueryKeepsWrites()) {
      return query.send();
    }
    Savepoint before = connection.real().setSavepoint();
    long count;
    try {
      count = query.send();
    } catch (SQLException e) {
      undo(before, e);
      throw e;
    }
    connection.real().releaseSavepoint(before);
    return count;
  }

  private void undo(Savepoint before, SQLException error) {
    try {
      if (rules.afterError(error) == TransactionRules.AfterError.ROLLED_BACK) {
        connection.real().rollback();
      } else {
        connection.real().rollback(before);
      }
    } catch (SQLException e) {
      error.addSuppressed(e);
    }
  }
}
