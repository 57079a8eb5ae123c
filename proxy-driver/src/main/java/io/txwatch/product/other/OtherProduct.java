package io.txwatch.product.other;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.TransactionRules;
import io.txwatch.history.Database;
import io.txwatch.product.WatchedProduct;
import io.txwatch.sql.dialect.Dialect;

/** A DBMS that has no package of its own: its standard SQL is read and never rewritten. */
public final class OtherProduct implements WatchedProduct {

  @Override
  public Dialect dialect() {
    return Dialect.OTHER;
  }

  @Override
  public TransactionRules transactionRules(Database database) {
    return new OtherTransactionRules(dialect(), database);
  }

  @Override
  public SnapshotRules snapshotRules(Database database) {
    return new OtherSnapshotRules(dialect());
  }
}
