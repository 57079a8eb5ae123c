package io.txwatch.jdbc.session;

import io.txwatch.capture.SessionTracker;
import io.txwatch.capture.TransactionRules;
import io.txwatch.jdbc.plan.CachedPlan;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What makes it safe to try a rewritten text. On PostgreSQL an error aborts the transaction, so a
 * text that has never been executed there, or that has failed since, has a savepoint set before it.
 */
public final class SavepointGuard {

  /** The savepoint that stands before a rewritten text on probation. */
  private static final String NAME = "txw_guard";

  private final ConnectionState connection;
  private final SessionTracker tracker;
  private boolean set;

  public SavepointGuard(ConnectionState connection) {
    this.connection = connection;
    this.tracker = connection.tracker();
  }

  /**
   * A text is about to be sent.
   *
   * @throws SQLException if the connection turns out to be lost: what the application's own text
   *     would have been reported
   */
  public void set(CachedPlan cached) throws SQLException {
    set = false;
    if (cached.usage().isProven()
        || !connection.rules().errorAbortsTransaction()
        || !tracker.inTransactionMode()
        || tracker.mustRollBack()) {
      return;
    }
    try (Statement statement = connection.real().createStatement()) {
      statement.execute("SAVEPOINT " + NAME);
      set = true;
    } catch (SQLException e) {
      if (TransactionRules.connectionLost(e)) {
        throw e;
      }
    }
  }

  /** True if the text that is about to be sent has a savepoint before it. */
  public boolean isSet() {
    return set;
  }

  /** The text has been executed. */
  public void release() {
    if (set) {
      set = false;
      if (!connection.execute("RELEASE SAVEPOINT " + NAME)) {
        connection.fault(new IllegalStateException("the guarding savepoint is gone"));
      }
    }
  }

  /** True if the transaction is as it was before the text that failed, or could be put back. */
  public boolean goBack() {
    if (set) {
      set = false;
      return connection.execute("ROLLBACK TO SAVEPOINT " + NAME)
          && connection.execute("RELEASE SAVEPOINT " + NAME);
    }
    return !connection.rules().errorAbortsTransaction() || !tracker.inTransactionMode();
  }
}
