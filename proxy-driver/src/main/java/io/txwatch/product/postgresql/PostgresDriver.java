package io.txwatch.product.postgresql;

import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.LevelQuery;

/** pgjdbc. */
public final class PostgresDriver extends DriverTraits {

  @Override
  public boolean ignoresCatalog() {
    return true;
  }

  @Override
  public boolean readsDescribedInBinary() {
    return true;
  }

  @Override
  public boolean asksForColumns() {
    return true;
  }

  /** The driver asks without beginning a transaction. */
  @Override
  public LevelQuery queriesLevel() {
    return LevelQuery.BETWEEN_TRANSACTIONS;
  }
}
