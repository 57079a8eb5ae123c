package io.txwatch.dbms.postgresql;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Sql;
import io.txwatch.dbms.Workspace;
import io.txwatch.interleave.product.postgresql.PostgresWaitMonitor;
import io.txwatch.interleave.wait.WaitMonitor;
import io.txwatch.product.postgresql.PgCatalogNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** A schema of its own on PostgreSQL or a DBMS with the same protocol. */
final class PostgresWorkspace implements Workspace {

  /** A case need not survive a crash. */
  private static final String ASYNCHRONOUS_COMMIT = "SET synchronous_commit = off";

  /** For rows of a hundred bytes, including their headers. */
  private static final int VERSIONS_PER_PAGE = 64;

  private final Connector connector;
  private final String url;

  /** False for a DBMS with the same protocol but without PostgreSQL's catalog and storage. */
  private final boolean isPostgres;

  private final String schema = Sql.uniqueName();

  /** Defines tables. */
  private final Connection own;

  PostgresWorkspace(Connector connector, String url, boolean isPostgres) throws SQLException {
    this.connector = connector;
    this.url = url;
    this.isPostgres = isPostgres;
    this.own =
        Sql.initialize(
            connector.connect(url), ASYNCHRONOUS_COMMIT, "CREATE SCHEMA " + schema, searchPath());
  }

  private String searchPath() {
    return "SET search_path TO " + schema;
  }

  /** True if the workspace's session may execute a statement, which takes a privilege. */
  boolean mayExecute(String sql) {
    try {
      Sql.execute(own, sql);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  @Override
  public Connection connect() throws SQLException {
    return connect(connector);
  }

  @Override
  public Connection connect(Connector by) throws SQLException {
    return Sql.initialize(by.connect(url), searchPath(), ASYNCHRONOUS_COMMIT);
  }

  @Override
  public List<String> tables() throws SQLException {
    return Sql.column(
        own,
        PgCatalogNames.qualify(
            isPostgres
                ? "SELECT quote_ident(relname) FROM pg_catalog.pg_class WHERE relnamespace = '"
                    + schema
                    + "'::regnamespace AND relkind = ANY ('{r,p}') AND NOT relispartition ORDER BY 1"
                : "SELECT quote_ident(table_name) FROM information_schema.tables"
                    + " WHERE table_schema = '"
                    + schema
                    + "' AND table_type = 'BASE TABLE' ORDER BY 1"));
  }

  @Override
  public WaitMonitor newMonitor() throws SQLException {
    return new PostgresWaitMonitor(connector.connect(url));
  }

  /**
   * On a single page, rows are scanned in the order of insertion, and none is pruned: PostgreSQL
   * prunes a page that is nine tenths full.
   */
  @Override
  public int maxDeadVersions() {
    return isPostgres ? VERSIONS_PER_PAGE : 0;
  }

  @Override
  public List<String> resetStatements(List<String> tables) {
    return List.of(
        "TRUNCATE " + String.join(", ", tables) + (isPostgres ? " RESTART IDENTITY" : ""));
  }

  @Override
  public boolean resetRestartsNumbers() {
    return isPostgres;
  }

  /** Statistics change plans, and with them the order in which rows are locked. */
  @Override
  public void disableMaintenance(List<String> tables) throws SQLException {
    if (isPostgres) { // only partitions accept the setting, not the partitioned table
      List<String> withRows =
          Sql.column(
              own,
              PgCatalogNames.qualify(
                  "SELECT quote_ident(relname) FROM pg_catalog.pg_class WHERE relnamespace = '"
                      + schema
                      + "'::regnamespace AND relkind = 'r'"));
      Sql.executeAll(
          own,
          withRows.stream()
              .map(table -> "ALTER TABLE " + table + " SET (autovacuum_enabled = off)")
              .toList());
    }
  }

  @Override
  public void clear() throws SQLException {
    Sql.executeAll(own, List.of("DROP SCHEMA " + schema + " CASCADE", "CREATE SCHEMA " + schema));
  }

  @Override
  public void close() throws SQLException {
    try (own) {
      Sql.execute(own, "DROP SCHEMA IF EXISTS " + schema + " CASCADE");
    }
  }
}
