package io.txwatch.dbms.mysql;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Sql;
import io.txwatch.dbms.Workspace;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A database of its own on MySQL, MariaDB, or a DBMS with the same protocol. */
final class MySqlWorkspace implements Workspace {

  private final MySqlDbms dbms;
  private final String name;

  /** Defines and fills tables; has the snapshot that delays the purge. */
  private final Connection own;

  MySqlWorkspace(MySqlDbms dbms) throws SQLException {
    this.dbms = dbms;
    this.name = Sql.uniqueName();
    this.own =
        Sql.initialize(
            dbms.connector().connect(dbms.url()),
            "CREATE DATABASE " + name,
            "USE " + name,
            "SET SESSION foreign_key_checks = 0");
  }

  @Override
  public Connection connect() throws SQLException {
    return connect(dbms.connector());
  }

  @Override
  public Connection connect(Connector by) throws SQLException {
    Connection connection = by.connect(dbms.url());
    connection.setCatalog(name);
    return Sql.initialize(
        connection, "SET SESSION innodb_lock_wait_timeout = 600, lock_wait_timeout = 600");
  }

  @Override
  public List<String> tables() throws SQLException {
    return Sql.column(
        own,
        "SELECT CONCAT('`', REPLACE(table_name, '`', '``'), '`')"
            + " FROM information_schema.tables WHERE table_schema = '"
            + name
            + "' AND table_type = 'BASE TABLE' ORDER BY table_name");
  }

  @Override
  public WaitMonitor newMonitor() throws SQLException {
    return dbms.newMonitor();
  }

  /** A deleted row can be locked until it is purged, at a time that we cannot control. */
  @Override
  public List<String> resetStatements(List<String> tables) {
    List<String> statements = new ArrayList<>();
    if (tables.size() > 1) { // they may refer to each other
      statements.add("SET SESSION foreign_key_checks = 0");
    }
    tables.forEach(table -> statements.add("TRUNCATE TABLE " + table));
    if (tables.size() > 1) {
      statements.add("SET SESSION foreign_key_checks = 1");
    }
    return statements;
  }

  @Override
  public boolean resetRestartsNumbers() {
    return dbms.isInnodb();
  }

  /**
   * InnoDB does not purge what is committed after a snapshot: locks of deleted rows stay as they
   * are, and purge does not latch the pages ({@code row_purge_reset_trx_id}).
   */
  @Override
  public void delayPurge() throws SQLException {
    if (dbms.isInnodb()) {
      Sql.execute(own, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    }
  }

  @Override
  public void resumePurge() throws SQLException {
    if (dbms.isInnodb()) {
      Sql.execute(own, "COMMIT"); // ends the transaction of the snapshot
    }
  }

  @Override
  public void clear() throws SQLException {
    Sql.execute(own, "COMMIT"); // the transaction of the snapshot would show the old catalog
    // The statements that drop views, and then those that drop tables, in one query.
    String drop =
        "SELECT CONCAT(IF(table_type = 'VIEW', 'DROP VIEW `', 'DROP TABLE `'),"
            + " REPLACE(table_name, '`', '``'), '`')";
    Sql.executeAll(
        own,
        Sql.column(
            own,
            drop
                + " FROM information_schema.tables WHERE table_schema = '"
                + name
                + "' ORDER BY table_type = 'VIEW' DESC, table_name"));
  }

  @Override
  public void close() throws SQLException {
    try (own) {
      Sql.execute(own, "DROP DATABASE IF EXISTS " + name);
    }
  }
}
