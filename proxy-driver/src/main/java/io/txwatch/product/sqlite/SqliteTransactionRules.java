package io.txwatch.product.sqlite;

import io.txwatch.capture.TransactionRules;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;
import java.util.Optional;

/** SQLite: a COMMIT that finds the database busy may be repeated. */
public final class SqliteTransactionRules extends TransactionRules {

  private static final int BUSY = 5;
  private static final int CONSTRAINT = 19;

  public SqliteTransactionRules(Dialect dialect) {
    super(dialect);
  }

  @Override
  public boolean keepsSnapshot(IsolationLevel level) {
    return true;
  }

  @Override
  public AfterError afterServersError(SQLException error) {
    return AfterError.GOES_ON;
  }

  /**
   * A COMMIT that times out waiting for a reader, or that violates a deferred constraint, leaves
   * the transaction open.
   */
  @Override
  public Optional<Outcome> afterRefusedCommit(SQLException error) {
    int code = error.getErrorCode() & 0xff;
    return code == BUSY || code == CONSTRAINT ? Optional.empty() : Optional.of(Outcome.UNKNOWN);
  }
}
