package io.txwatch.product.postgresql;

import io.txwatch.dialect.DriverTraits;

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
}
