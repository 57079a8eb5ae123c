package io.txwatch.product.postgresql;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.history.Database;
import io.txwatch.product.WatchedProduct;
import io.txwatch.sql.dialect.Dialect;

/** PostgreSQL. */
public final class PostgresProduct implements WatchedProduct {

  @Override
  public Dialect dialect() {
    return Dialect.POSTGRESQL;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new PostgresTransactionRules(dialect());
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new PostgresSnapshotRules(dialect(), database.product().is("PostgreSQL"));
  }
}
