package io.txwatch.dbms;

import io.txwatch.history.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A DBMS in this JVM. A workspace is an in-memory database with one schema. */
abstract class EmbeddedDbms implements Dbms {

  private final Database database;
  final Connector connector;

  EmbeddedDbms(Database database, Connector connector) {
    this.database = database;
    this.connector = connector;
  }

  @Override
  public Database database() {
    return database;
  }

  /** The URL of an in-memory database; the first connection creates it. */
  abstract String urlOf(String name);

  /** The schema of the tables, as in the catalog. */
  abstract String schema();

  /** Initializes a session. */
  abstract Connection initialize(Connection session) throws SQLException;

  abstract WaitMonitor monitor(Connection watcher) throws SQLException;

  /** Closes the last connection and removes the database. */
  abstract void shutDown(Connection last, String name) throws SQLException;

  @Override
  public Workspace newWorkspace() throws SQLException {
    String name = Sql.uniqueName();
    String url = urlOf(name);
    Connection own = initialize(connector.connect(url));
    return new Workspace() {
      @Override
      public Connection connect() throws SQLException {
        return connect(connector);
      }

      @Override
      public Connection connect(Connector by) throws SQLException {
        return initialize(by.connect(url));
      }

      @Override
      public List<String> tables() throws SQLException {
        List<String> tables = new ArrayList<>();
        try (ResultSet result = own.getMetaData().getTables(null, schema(), "%", null)) {
          while (result.next()) {
            if (result.getString("TABLE_TYPE").toUpperCase(Locale.ROOT).endsWith("TABLE")) {
              tables.add('"' + result.getString("TABLE_NAME").replace("\"", "\"\"") + '"');
            }
          }
        }
        return tables.stream().sorted().toList();
      }

      @Override
      public List<String> resetStatements(List<String> tables) {
        return Workspace.deleteAllStatements(tables);
      }

      @Override
      public void clear() throws SQLException {
        List<String> left = tables();
        while (!left.isEmpty()) {
          List<String> referenced = new ArrayList<>();
          for (String table : left) {
            try {
              Sql.execute(own, "DROP TABLE " + table);
            } catch (SQLException e) {
              referenced.add(table);
              if (referenced.size() == left.size()) {
                throw e;
              }
            }
          }
          left = referenced;
        }
      }

      @Override
      public WaitMonitor newMonitor() throws SQLException {
        return monitor(connect());
      }

      @Override
      public void close() throws SQLException {
        shutDown(own, name);
      }
    };
  }
}
