package io.txwatch.catalog;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A connection of our own, open for one use only.
 *
 * <p>Only two things need one: lookups in a database that is part of this process (H2, SQLite),
 * where a connection costs nothing and takes no place of the application's, and the DDL of {@code
 * txwatch.prepare=auto}. It is in autocommit and has bounds on what it may wait for. It is opened
 * only while the application's own connection is open, so it never creates a database that is gone,
 * and never keeps one in memory alive.
 */
public final class DedicatedConnection {

  private static final Duration WORK = Duration.ofSeconds(2);

  private final ConnectionSource source;
  private final SchemaReader reader;

  DedicatedConnection(ConnectionSource source, SchemaReader reader) {
    boolean isEmbedded = reader.sql().driver().isEmbedded();
    this.source = isEmbedded ? source : new BoundedConnectionSource(source, WORK);
    this.reader = reader;
  }

  /** Something to be done with a connection. */
  public interface Use<T> {
    T with(Connection connection) throws SQLException;
  }

  /**
   * Opens a connection, uses it, and closes it.
   *
   * @param application the session that it is for
   * @param lock how long a statement may wait for a lock
   */
  public <T> T use(Connection application, Duration lock, Use<T> use) throws SQLException {
    if (application.isClosed()) {
      throw new SQLException("the session is closed");
    }
    try (Connection own = source.open()) {
      own.setAutoCommit(true);
      CatalogQueries.run(own, reader.bounds(lock, WORK));
      return use.with(own);
    }
  }
}
