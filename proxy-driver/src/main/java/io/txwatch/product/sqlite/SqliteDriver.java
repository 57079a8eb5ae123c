package io.txwatch.product.sqlite;

import io.txwatch.dialect.DriverTraits;

/** sqlite-jdbc. */
public final class SqliteDriver extends DriverTraits {

  @Override
  public boolean isEmbedded() {
    return true;
  }

  @Override
  public boolean copiesWhenSet(Object value) {
    return !(value instanceof byte[]);
  }

  /** SQLite turns a BLOB that is read as text into one. */
  @Override
  public boolean convertsValuesInPlace() {
    return true;
  }

  @Override
  public boolean clearsParametersWithBatch() {
    return true;
  }
}
