package org.example.pools;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Uses each kind of pool on one database as an application does, with a lost update, and prints
 * what it sees.
 */
public final class PoolApplication {

  private static final int MAX_POLLS = 100;

  private PoolApplication() {}

  /**
   * Uses them all.
   *
   * @param arguments the prefix of a URL ({@code jdbc:} or {@code jdbc:txwatch:}); then, for each
   *     database, its URL and that of another one on its server
   */
  public static void main(String[] arguments) throws Exception {
    String prefix = arguments[0];
    for (int i = 1; i + 1 < arguments.length; i += 2) {
      String url = arguments[i];
      String given = prefix + url.substring("jdbc:".length());
      try (Connection direct = DriverManager.getConnection(arguments[i + 1])) {
        Map<String, PoolKinds.Maker> makers = new LinkedHashMap<>(PoolKinds.byUrl());
        if (given.equals(url)) {
          makers.putAll(PoolKinds.byDataSource(url));
        }
        for (Map.Entry<String, PoolKinds.Maker> each : makers.entrySet()) {
          String name = url.split(":", 3)[1] + " " + each.getKey();
          try {
            System.out.println(name + ": " + use(each.getKey(), each.getValue(), given, direct));
          } catch (Exception e) {
            System.out.println(name + ": " + e);
          }
        }
      }
    }
    System.exit(0);
  }

  /** Makes the table that a kind of pool is tried on. */
  public static void createTables(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      List<String> names = new ArrayList<>(PoolKinds.byUrl().keySet());
      names.addAll(PoolKinds.byDataSource(url).keySet());
      for (String name : names) {
        statement.execute(
            "CREATE TABLE account_" + name + " (id INT PRIMARY KEY, balance INT NOT NULL)");
        statement.execute(
            "INSERT INTO account_" + name + " VALUES (1, 100), (2, 100), (3, 100), (4, 100)");
      }
    }
  }

  private static String use(String name, PoolKinds.Maker maker, String url, Connection direct)
      throws Exception {
    String table = "account_" + name;
    StringBuilder seen = new StringBuilder();
    try (Pool pool = maker.make(url)) {
      seen.append(together(pool, table));
      Pool.Session reader = pool.session();
      for (int id = 1; id <= Pool.MAX_CONNECTIONS; id++) {
        seen.append(' ').append(balance(reader.connection(), table, id));
      }
      seen.append(", auto ").append(reader.connection().getAutoCommit());
      seen.append(", valid ").append(reader.connection().isValid(5));
      reader.giveBack();
      loseUpdate(pool, table);
    }
    return seen + ", left " + left(direct, url);
  }

  /** As many sessions as there may be, a transaction in each; all but the first commit. */
  private static String together(Pool pool, String table) throws Exception {
    List<Pool.Session> sessions = new ArrayList<>();
    Set<Integer> backends = new HashSet<>();
    for (int id = 1; id <= Pool.MAX_CONNECTIONS; id++) {
      Pool.Session session = pool.session();
      sessions.add(session);
      backends.add(backend(session.connection()));
      session.begin();
      update(session.connection(), table, id, 100 + id);
    }
    String more = pool.isBounded() ? oneMore(pool) : "unbounded";
    for (Pool.Session session : sessions.subList(1, sessions.size())) {
      session.commit();
    }
    for (Pool.Session session : sessions) {
      session.giveBack();
    }
    return backends.size() + " connections, " + more + ", balances";
  }

  private static String oneMore(Pool pool) throws Exception {
    try {
      pool.session();
      return "one more is given";
    } catch (SQLException e) {
      return "one more is a " + e.getClass().getName() + " " + e.getSQLState();
    }
  }

  /** Two sessions read a row, and both write it. */
  private static void loseUpdate(Pool pool, String table) throws Exception {
    Pool.Session one = pool.session();
    Pool.Session two = pool.session();
    one.begin();
    two.begin();
    int first = balance(one.connection(), table, 4);
    int second = balance(two.connection(), table, 4);
    update(one.connection(), table, 4, first + 10);
    one.commit();
    update(two.connection(), table, 4, second + 20);
    two.commit();
    // The read identifies the last writer.
    balance(one.connection(), table, 4);
    one.giveBack();
    two.giveBack();
  }

  private static int backend(Connection connection) throws SQLException {
    return number(
        connection, isPostgres(connection) ? "SELECT pg_backend_pid()" : "SELECT CONNECTION_ID()");
  }

  private static boolean isPostgres(Connection connection) throws SQLException {
    return connection.getMetaData().getDatabaseProductName().equals("PostgreSQL");
  }

  private static int balance(Connection connection, String table, int id) throws SQLException {
    return number(connection, "SELECT balance FROM " + table + " WHERE id = " + id);
  }

  private static void update(Connection connection, String table, int id, int to)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("UPDATE " + table + " SET balance = ? WHERE id = ?")) {
      statement.setInt(1, to);
      statement.setInt(2, id);
      if (statement.executeUpdate() != 1) {
        throw new SQLException("no row " + id);
      }
    }
  }

  private static int number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getInt(1);
    }
  }

  /** Connections that the server has to the database once those that end have ended. */
  private static int left(Connection direct, String url) throws Exception {
    String name = url.replaceFirst("[?].*", "").replaceFirst(".*/", "");
    String sql =
        isPostgres(direct)
            ? "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '" + name + "'"
            : "SELECT COUNT(*) FROM information_schema.processlist WHERE db = '" + name + "'";
    int left = number(direct, sql);
    for (int polls = 0; left > 0 && polls < MAX_POLLS; polls++) {
      Thread.sleep(20);
      left = number(direct, sql);
    }
    return left;
  }
}
