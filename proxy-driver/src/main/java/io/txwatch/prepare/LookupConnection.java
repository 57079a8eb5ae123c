package io.txwatch.prepare;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The one connection of our own to a database: opened when first needed, opened again when it was
 * lost, in autocommit, with bounds on what it may wait for. Used by one thread at a time.
 */
final class LookupConnection implements AutoCloseable {

  static final Duration LOCK = Duration.ofMillis(400);
  private static final Duration WORK = Duration.ofSeconds(2);

  private final ConnectionSource source;
  private final SchemaReader reader;
  private @Nullable Connection connection;
  private boolean closed;

  LookupConnection(ConnectionSource source, SchemaReader reader) {
    this.source = source;
    this.reader = reader;
  }

  /** Something to be done with it. */
  interface Use<T> {
    T with(Connection connection) throws SQLException;
  }

  /** Does it, a second time on a new connection if the old one turns out to be lost. */
  synchronized <T> T use(Use<T> use) throws SQLException {
    Connection current = connection;
    boolean fresh = current == null;
    if (current == null) {
      current = open();
    }
    try {
      return use.with(current);
    } catch (SQLException e) {
      if (fresh || isUsable(current)) {
        throw e;
      }
      discard();
      return use.with(open());
    }
  }

  private static boolean isUsable(Connection connection) {
    try {
      return connection.isValid(1);
    } catch (SQLException e) {
      return false;
    }
  }

  private Connection open() throws SQLException {
    if (closed) {
      throw new SQLException("the last session of this URL was closed");
    }
    Connection opened = source.open();
    connection = opened;
    opened.setAutoCommit(true);
    SchemaReader.run(opened, reader.bounds(LOCK, WORK));
    return opened;
  }

  private void discard() {
    Connection current = connection;
    connection = null;
    if (current != null) {
      try {
        current.close();
      } catch (SQLException e) {
        // It was lost already: there is nothing left to release.
      }
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    discard();
  }
}
