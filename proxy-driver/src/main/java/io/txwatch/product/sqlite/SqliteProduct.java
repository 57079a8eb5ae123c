package io.txwatch.product.sqlite;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.history.Database;
import io.txwatch.product.WatchedProduct;
import io.txwatch.product.other.OtherSnapshotRules;
import io.txwatch.sql.dialect.Dialect;

/** SQLite. */
public final class SqliteProduct implements WatchedProduct {

  @Override
  public Dialect dialect() {
    return Dialect.SQLITE;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new SqliteTransactionRules(dialect());
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new OtherSnapshotRules(dialect());
  }
}
