package io.txwatch.pairs;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;

/** The tables of a pair, and a connection for each of its operations. */
public final class PairDatabase implements AutoCloseable {

  /** A database for all pairs: a schema for each costs less than a database. */
  private static final Map<ServerKind, String> SHARED = new EnumMap<>(ServerKind.class);

  private static int schemas;

  private final Pair pair;
  private final boolean isPostgres;
  private final String url;
  private final Connection own;
  private final List<Connection> connections = new ArrayList<>();

  /**
   * Creates the tables.
   *
   * @param watched whether the operations' connections are watched
   */
  public PairDatabase(Pair pair, Cell cell, boolean watched) throws SQLException {
    this.pair = pair;
    this.isPostgres = cell.kind() == ServerKind.POSTGRESQL;
    url = isPostgres ? freshSchema() : TestServers.freshDatabase(cell.kind());
    own = DriverManager.getConnection(url);
    try (Statement statement = own.createStatement()) {
      for (Pair.Table table : pair.tables()) {
        statement.execute("CREATE TABLE " + table.name() + " (" + table.columns() + ")");
      }
    }
    reset();
    Properties settings = new Properties();
    if (watched) {
      settings.setProperty("txwatch.analyzer", "none");
    }
    for (int i = 0; i < 2; i++) {
      Connection connection =
          DriverManager.getConnection(
              watched ? url.replaceFirst("jdbc:", "jdbc:txwatch:") : url, settings);
      connection.setTransactionIsolation(
          pair.isSerializable() ? Connection.TRANSACTION_SERIALIZABLE : cell.level());
      connection.setAutoCommit(pair.isAutocommit());
      connections.add(connection);
    }
  }

  private static String freshSchema() throws SQLException {
    String url = SHARED.get(ServerKind.POSTGRESQL);
    if (url == null) {
      url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
      SHARED.put(ServerKind.POSTGRESQL, url);
    }
    String schema = "pair_" + ++schemas;
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA " + schema);
      // A deadlock is otherwise noticed only after a second.
      statement.execute(
          "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 5',"
              + " current_database()); END $$");
    }
    return url + (url.contains("?") ? "&" : "?") + "currentSchema=" + schema;
  }

  /** The JDBC URL of its tables. */
  public String url() {
    return url;
  }

  /** Gives the tables the rows that they had first. */
  public void reset() throws SQLException {
    List<Pair.Table> reversed = new ArrayList<>(pair.tables());
    Collections.reverse(reversed);
    try (Statement statement = own.createStatement()) {
      for (Pair.Table table : reversed) {
        statement.execute("DELETE FROM " + table.name());
      }
      for (Pair.Table table : pair.tables()) {
        if (!table.rows().isEmpty()) {
          statement.execute("INSERT INTO " + table.name() + " VALUES " + table.rows());
        }
      }
    }
  }

  /** The rows of all tables. */
  public String rows() throws SQLException {
    StringBuilder all = new StringBuilder();
    try (Statement statement = own.createStatement()) {
      for (Pair.Table table : pair.tables()) {
        List<String> rows = new ArrayList<>();
        try (ResultSet result = statement.executeQuery("SELECT * FROM " + table.name())) {
          int columns = result.getMetaData().getColumnCount();
          while (result.next()) {
            List<String> row = new ArrayList<>();
            for (int i = 1; i <= columns; i++) {
              row.add(String.valueOf(result.getString(i)));
            }
            rows.add(row.toString());
          }
        }
        Collections.sort(rows);
        all.append(table.name()).append(rows);
      }
    }
    return all.toString();
  }

  /** An operation on its connection. */
  public Callable<Object> operation(int number) {
    Pair.Body body = pair.operations().get(number);
    return () -> new PairSession(connections.get(number), isPostgres).execute(body);
  }

  @Override
  public void close() throws SQLException {
    for (Connection connection : connections) {
      connection.close();
    }
    own.close();
  }
}
