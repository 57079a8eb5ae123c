package io.txwatch.dialect;

/** pgjdbc. */
final class PostgresDriver extends DriverTraits {

  @Override
  public boolean readsDescribedInBinary() {
    return true;
  }

  @Override
  public boolean asksForColumns() {
    return true;
  }
}
