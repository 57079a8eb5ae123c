package io.txwatch.capture;

import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;
import java.util.Optional;

/** SQLite: a COMMIT that finds the database busy may be repeated. */
final class SqliteTransactionRules extends TransactionRules {

  private static final int BUSY = 5;

  SqliteTransactionRules(Dialect dialect) {
    super(dialect);
  }

  @Override
  public boolean keepsSnapshot(IsolationLevel level) {
    return true;
  }

  @Override
  AfterError afterServersError(SQLException error) {
    return AfterError.GOES_ON;
  }

  @Override
  Optional<Outcome> afterRefusedCommit(SQLException error) {
    boolean isOpen = (error.getErrorCode() & 0xff) == BUSY;
    return isOpen ? Optional.empty() : Optional.of(Outcome.UNKNOWN);
  }
}
