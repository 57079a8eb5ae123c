package io.txwatch.catalog;

import java.sql.SQLException;

/** A look-up would leave a trace in the session at this moment; a later one need not. */
final class LookupPostponedException extends SQLException {

  private static final long serialVersionUID = 1L;

  LookupPostponedException(String why) {
    super(why);
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this; // it is a way of control, and may come often
  }
}
