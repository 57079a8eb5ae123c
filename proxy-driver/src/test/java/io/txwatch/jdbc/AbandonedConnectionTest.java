package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.h2.jdbc.JdbcConnection;
import org.junit.jupiter.api.Test;

/**
 * A connection that the application loses without closing it is collected, as it is unwatched, and
 * so is the class loader of its driver. So is what is known of a database without connections.
 */
class AbandonedConnectionTest {

  private static final String URL = "jdbc:txwatch:h2:mem:%s;txwatch.analyzer=none";

  private static final int MAX_POLLS = 200;

  @Test
  void lostConnectionIsCollectedWhileOthersAreOpen() throws Exception {
    String url = URL.formatted("abandoned");
    try (Connection other = DriverManager.getConnection(url);
        Statement statement = other.createStatement()) {
      statement.execute("CREATE TABLE t (id INT PRIMARY KEY)");
      isCollected(lost(url));
      statement.execute("INSERT INTO t VALUES (2)");
    }
  }

  @Test
  void lostConnectionIsCollectedIfItWasTheOnlyOne() throws Exception {
    try (Connection raw = DriverManager.getConnection("jdbc:h2:mem:abandoned2");
        Statement statement = raw.createStatement()) {
      statement.execute("CREATE TABLE t (id INT PRIMARY KEY)");
      isCollected(lost(URL.formatted("abandoned2")));
    }
  }

  /** A test suite opens, uses and closes hundreds of databases in memory. */
  @Test
  void nothingIsKeptOfDatabasesWhoseConnectionsAreClosed() throws Exception {
    for (int i = 0; i < 50; i++) {
      try (Connection connection = DriverManager.getConnection(URL.formatted("closed" + i));
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE t (id INT PRIMARY KEY)");
        statement.execute("INSERT INTO t VALUES (1)");
        assertThat(Watch.databases("mem:closed" + i)).isEqualTo(1);
      }
    }
    for (int i = 0; i < MAX_POLLS && Watch.databases("mem:closed") > 0; i++) {
      System.gc();
      Thread.sleep(20);
    }
    assertThat(Watch.databases("mem:closed")).isZero();
  }

  /** The driver's connection of one that has a transaction open. */
  private static WeakReference<JdbcConnection> lost(String url) throws SQLException {
    Connection connection = DriverManager.getConnection(url);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO t VALUES (1)");
      connection.rollback();
      statement.executeQuery("SELECT * FROM t").close();
    }
    return new WeakReference<>(connection.unwrap(JdbcConnection.class));
  }

  private static void isCollected(WeakReference<JdbcConnection> connection)
      throws InterruptedException {
    for (int i = 0; i < MAX_POLLS && connection.get() != null; i++) {
      System.gc();
      Thread.sleep(20);
    }
    assertThat(connection.get()).isNull();
  }
}
