package io.txwatch.dbms.h2;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Sql;
import io.txwatch.dbms.Workspace;
import io.txwatch.interleave.product.h2.H2WaitMonitor;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A schema of its own on H2. */
final class H2Workspace implements Workspace {

  private final Connector connector;
  private final String schema;
  private final String url;

  /** True if the database is in memory and belongs to this workspace. */
  private final boolean isInMemory;

  /** Defines tables. */
  private final Connection own;

  H2Workspace(Connector connector, String schema, String url, boolean isInMemory)
      throws SQLException {
    this.connector = connector;
    this.schema = schema;
    this.url = url;
    this.isInMemory = isInMemory;
    this.own =
        Sql.initialize(
            connector.connect(url),
            "SET LOCK_TIMEOUT 600000",
            "CREATE SCHEMA " + schema,
            "SET SCHEMA " + schema);
  }

  @Override
  public Connection connect() throws SQLException {
    return connect(connector);
  }

  @Override
  public Connection connect(Connector by) throws SQLException {
    return Sql.initialize(by.connect(url), "SET SCHEMA " + schema, "SET LOCK_TIMEOUT 600000");
  }

  @Override
  public List<String> tables() throws SQLException {
    return Sql.column(
        own,
        "SELECT '\"' || REPLACE(TABLE_NAME, '\"', '\"\"') || '\"' FROM"
            + " INFORMATION_SCHEMA.TABLES WHERE UPPER(TABLE_SCHEMA) = UPPER('"
            + schema
            + "') AND TABLE_TYPE IN ('BASE TABLE', 'TABLE') ORDER BY 1");
  }

  @Override
  public WaitMonitor newMonitor() throws SQLException {
    return new H2WaitMonitor(connector.connect(url), isInMemory);
  }

  @Override
  public List<String> resetStatements(List<String> tables) {
    return Workspace.deleteAllStatements(tables);
  }

  @Override
  public void clear() throws SQLException {
    Sql.execute(
        own,
        "DROP SCHEMA " + schema + " CASCADE",
        "CREATE SCHEMA " + schema,
        "SET SCHEMA " + schema);
  }

  /**
   * A session that searches for a row forever fails once the database is closed. SHUTDOWN waits for
   * its sessions, but no longer than twice the default lock timeout.
   */
  @Override
  public void abandon() throws SQLException {
    if (isInMemory) {
      Sql.execute(own, "SHUTDOWN IMMEDIATELY");
    } else {
      close();
    }
  }

  @Override
  public void close() throws SQLException {
    try (own) {
      Sql.execute(own, "DROP SCHEMA IF EXISTS " + schema + " CASCADE");
    }
  }
}
