package io.txwatch.dialect;

/** A driver of which nothing is known but what JDBC says. */
final class OtherDriver extends DriverTraits {

  @Override
  public boolean mayCloseStreams() {
    return true;
  }

  @Override
  public boolean mayReadRowsLater() {
    return true;
  }
}
