package io.txwatch.debezium;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * Two clients of txwatch.jar at REPEATABLE READ: they lose an update, have a write skew, and then
 * run one after the other. They are a process of their own, because txwatch and the engine read
 * logs with classes of the same names.
 *
 * <p>Arguments: the database's URL, the history, the values of {@code txwatch.versions} and {@code
 * txwatch.value-key}.
 */
final class WatchedClients {

  static final List<String> TABLES =
      List.of(
          "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
          "INSERT INTO account VALUES (1,100),(2,100),(3,100),(4,100)");

  private final boolean isMariaDb;

  /** So that the times of commits differ: MariaDB's log states the second alone. */
  private final long pauseMillis;

  private WatchedClients(boolean isMariaDb) {
    this.isMariaDb = isMariaDb;
    this.pauseMillis = isMariaDb ? 1100 : 200;
  }

  /** Runs them in a process of their own, on a database with {@link #TABLES}. */
  static void start(String url, Path history, String versions, String key) throws Exception {
    Driver driver = DriverManager.getDriver(url);
    String path =
        String.join(
            System.getProperty("path.separator"),
            location(WatchedClients.class),
            ChildProcess.jar().toString(),
            location(driver.getClass()));
    ChildProcess.java(
        List.of(
            "-cp", path, WatchedClients.class.getName(), url, history.toString(), versions, key));
  }

  private static String location(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  public static void main(String[] args) throws Exception {
    String url = args[0];
    String watched =
        url.replaceFirst("^jdbc:", "jdbc:txwatch:")
            + (url.contains("?") ? "&" : "?")
            + "txwatch.versions="
            + args[2]
            + "&txwatch.history="
            + args[1]
            + "&txwatch.value-key="
            + args[3];
    try (Connection other = DriverManager.getConnection(url);
        Statement statement = other.createStatement();
        Connection a = DriverManager.getConnection(watched);
        Connection b = DriverManager.getConnection(watched)) {
      for (Connection each : List.of(a, b)) {
        each.setAutoCommit(false);
        each.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      }
      new WatchedClients(url.startsWith("jdbc:mariadb:")).run(a, b, statement);
    }
  }

  private void run(Connection a, Connection b, Statement other)
      throws SQLException, InterruptedException {
    // All rows are written once, so that their first versions are in the topics.
    for (int id = 1; id <= 4; id++) {
      other.execute("UPDATE account SET balance = 90 WHERE id = " + id);
    }
    Thread.sleep(pauseMillis);
    if (isMariaDb) {
      // What is read next is not what was written last: only the log has that version.
      update(a, 1, 80);
      a.commit();
      Thread.sleep(pauseMillis);
      other.execute("UPDATE account SET balance = 70 WHERE id = 1");
      Thread.sleep(pauseMillis);
    }
    int readByA = balance(a, 1);
    int readByB = balance(b, 1);
    update(a, 1, readByA - 10);
    a.commit();
    update(b, 1, readByB - 20);
    b.commit();
    Thread.sleep(pauseMillis);

    balance(a, 2);
    balance(a, 3);
    balance(b, 2);
    balance(b, 3);
    update(a, 2, 0);
    update(b, 3, 0);
    a.commit();
    b.commit();
    Thread.sleep(pauseMillis);

    for (Connection each : List.of(a, b)) {
      update(each, 4, balance(each, 4) - 1);
      each.commit();
    }
    Thread.sleep(pauseMillis);
    balance(a, 4);
    a.commit();
  }

  private static int balance(Connection connection, int id) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT id, balance FROM account WHERE id = ?")) {
      select.setInt(1, id);
      try (ResultSet rows = select.executeQuery()) {
        rows.next();
        return rows.getInt(2);
      }
    }
  }

  /** MariaDB's log has no numbers of connections, so that there the text has to state the row. */
  private void update(Connection connection, int id, int balance) throws SQLException {
    String condition = isMariaDb ? "id = ? AND id = ?" : "id BETWEEN ? AND ?";
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE account SET balance = ? WHERE " + condition)) {
      update.setInt(1, balance);
      update.setInt(2, id);
      update.setInt(3, id);
      update.executeUpdate();
    }
  }
}
