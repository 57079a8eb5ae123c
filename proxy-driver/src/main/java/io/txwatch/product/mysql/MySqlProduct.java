package io.txwatch.product.mysql;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.history.Database;
import io.txwatch.product.WatchedProduct;
import io.txwatch.sql.dialect.Dialect;

/** MySQL. */
public final class MySqlProduct implements WatchedProduct {

  @Override
  public Dialect dialect() {
    return Dialect.MYSQL;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new MySqlTransactionRules(dialect(), database);
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new InnoDbSnapshotRules(dialect(), database.product().is("MySQL"));
  }
}
