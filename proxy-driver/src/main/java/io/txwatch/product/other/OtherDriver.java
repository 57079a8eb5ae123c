package io.txwatch.product.other;

import io.txwatch.dialect.DriverTraits;

/** A driver of which nothing is known but what JDBC states. */
public final class OtherDriver extends DriverTraits {

  @Override
  public boolean mayCloseStreams() {
    return true;
  }

  @Override
  public boolean mayReadRowsLater() {
    return true;
  }
}
