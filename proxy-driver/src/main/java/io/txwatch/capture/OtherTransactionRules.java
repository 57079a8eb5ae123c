package io.txwatch.capture;

import io.txwatch.history.Database;
import io.txwatch.sql.dialect.Dialect;
import java.sql.SQLException;

/** Any other DBMS: what the SQL standard says of SQLStates. */
final class OtherTransactionRules extends TransactionRules {

  private final boolean levelCommits;

  OtherTransactionRules(Dialect dialect, Database database) {
    super(dialect);
    this.levelCommits = database.product().equals("Apache Derby");
  }

  /** Class 40 is the rollback of the transaction. */
  @Override
  AfterError afterServersError(SQLException error) {
    String state = error.getSQLState();
    return state != null && state.startsWith("40") ? AfterError.ROLLED_BACK : AfterError.GOES_ON;
  }

  @Override
  public boolean levelCommits() {
    return levelCommits;
  }
}
