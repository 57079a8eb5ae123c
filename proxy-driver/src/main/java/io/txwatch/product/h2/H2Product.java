package io.txwatch.product.h2;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.history.Database;
import io.txwatch.product.WatchedProduct;
import io.txwatch.sql.dialect.Dialect;

/** H2. */
public final class H2Product implements WatchedProduct {

  @Override
  public Dialect dialect() {
    return Dialect.H2;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new H2TransactionRules(dialect());
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new H2SnapshotRules(dialect(), database.product().is("H2"));
  }
}
