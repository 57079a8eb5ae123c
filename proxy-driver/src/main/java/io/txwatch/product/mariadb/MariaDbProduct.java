package io.txwatch.product.mariadb;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.history.Database;
import io.txwatch.product.WatchedProduct;
import io.txwatch.product.mysql.InnoDbSnapshotRules;
import io.txwatch.sql.dialect.Dialect;

/** MariaDB. */
public final class MariaDbProduct implements WatchedProduct {

  @Override
  public Dialect dialect() {
    return Dialect.MARIADB;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new MariaDbTransactionRules(dialect(), database);
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new InnoDbSnapshotRules(dialect(), database.product().is("MariaDB"));
  }
}
