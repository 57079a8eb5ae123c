package io.txwatch.product.h2;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers the databases of H2 in memory that have existed in this process. One of a name that is
 * opened after another one of it was closed is empty at first, and its rows are others, although
 * their keys may be the same.
 */
public final class H2MemoryRuns {

  private static final AtomicLong COUNT = new AtomicLong();

  /** By H2's own object, compared by identity, which is not kept from here. */
  private static final Cache<Object, Long> NUMBERS =
      Caffeine.newBuilder().weakKeys().executor(Runnable::run).build();

  private H2MemoryRuns() {}

  /**
   * The number of the database of a connection. Nothing is executed on it.
   *
   * @param connection H2's own, or a handle on it
   * @return empty if it is not known which database that is
   */
  public static String of(Connection connection) {
    try {
      Connection own =
          connection.getClass().getName().startsWith("org.h2.")
              ? connection
              : connection.unwrap(Connection.class);
      Object session = own.getClass().getMethod("getSession").invoke(own);
      Object database = session.getClass().getMethod("getDatabase").invoke(session);
      return Long.toString(NUMBERS.get(database, key -> COUNT.incrementAndGet()));
    } catch (ReflectiveOperationException
        | java.sql.SQLException
        | RuntimeException
        | LinkageError e) {
      return ""; // another version of H2, or another driver with its URLs
    }
  }
}
