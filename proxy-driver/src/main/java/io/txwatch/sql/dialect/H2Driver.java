package io.txwatch.sql.dialect;

/** H2's driver, which is a part of the DBMS. */
final class H2Driver extends DriverTraits {

  @Override
  public boolean isEmbedded() {
    return true;
  }

  @Override
  public boolean sharesQueryTimeout() {
    return true;
  }
}
