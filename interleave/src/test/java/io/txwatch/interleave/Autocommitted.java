package io.txwatch.interleave;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** A database of H2, with a watched connection for each statement. */
final class Autocommitted {

  private final String url;

  /** Executes statements that create it. */
  Autocommitted(String... setup) throws SQLException {
    url = TestServers.freshDatabase(ServerKind.H2);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : setup) {
        statement.execute(sql);
      }
    }
  }

  private Connection connect() throws SQLException {
    Properties settings = new Properties();
    settings.setProperty("txwatch.analyzer", "none");
    return DriverManager.getConnection(url.replaceFirst("jdbc:", "jdbc:txwatch:"), settings);
  }

  int update(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  /** The number in the first column of a query's first row. */
  int number(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
