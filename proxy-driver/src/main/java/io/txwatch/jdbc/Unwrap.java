package io.txwatch.jdbc;

import io.txwatch.history.GapReason;
import java.sql.SQLException;
import java.sql.Wrapper;

/**
 * {@link Wrapper} for all wrappers: what the application asks for by a vendor's class is given to
 * it, and counted, for what is done with it is not seen.
 */
final class Unwrap {

  private Unwrap() {}

  static <T> T unwrap(Wrapper self, Wrapper delegate, Class<T> type, WatchedConnection connection)
      throws SQLException {
    if (type.isInstance(self)) {
      return type.cast(self);
    }
    T unwrapped = type.isInstance(delegate) ? type.cast(delegate) : delegate.unwrap(type);
    connection.plans.bypassed();
    connection.knownRows.bypassed();
    connection.gap(GapReason.BYPASS, "unwrap to " + type.getName());
    return unwrapped;
  }

  static boolean isWrapperFor(Wrapper self, Wrapper delegate, Class<?> type) throws SQLException {
    return type.isInstance(self) || type.isInstance(delegate) || delegate.isWrapperFor(type);
  }
}
