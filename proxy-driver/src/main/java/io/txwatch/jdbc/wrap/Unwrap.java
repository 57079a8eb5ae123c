package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.execution.ExecutionContext;
import java.sql.SQLException;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;

/**
 * {@link Wrapper} for all wrappers: what the application asks for by a vendor's class is given to
 * it, and counted, for what is done with it is not seen.
 */
final class Unwrap {

  private Unwrap() {}

  static <T> T unwrap(
      Wrapper self, Wrapper delegate, @Nullable Class<T> type, ExecutionContext context)
      throws SQLException {
    if (type != null && type.isInstance(self)) {
      return type.cast(self);
    }
    T unwrapped =
        type != null && type.isInstance(delegate) ? type.cast(delegate) : delegate.unwrap(type);
    context.bypassed("unwrap to " + (type == null ? null : type.getName()));
    return unwrapped;
  }

  /** The same of an object through which nothing is done unseen. */
  static <T> T unwrap(Wrapper self, Wrapper delegate, @Nullable Class<T> type) throws SQLException {
    return type != null && type.isInstance(self) ? type.cast(self) : delegate.unwrap(type);
  }

  /** The driver is called first: what is closed may have an error to give. */
  static boolean isWrapperFor(Wrapper self, Wrapper delegate, @Nullable Class<?> type)
      throws SQLException {
    return delegate.isWrapperFor(type)
        || (type != null && (type.isInstance(self) || type.isInstance(delegate)));
  }
}
