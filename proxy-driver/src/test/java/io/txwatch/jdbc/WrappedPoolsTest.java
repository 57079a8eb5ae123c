package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.txwatch.servers.ServerKind;
import io.txwatch.settings.Setting;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.PooledConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mariadb.jdbc.MariaDbPoolDataSource;

/** Pools that are wrapped: their connections are the application's alone. */
class WrappedPoolsTest {

  private static final String[] SETUP = {
    "CREATE TABLE account (id INT PRIMARY KEY, balance INT)", "INSERT INTO account VALUES (1, 10)"
  };

  /** HikariCP sets it for the whole process, by its own timeout. */
  @AfterEach
  void resetLoginTimeout() {
    DriverManager.setLoginTimeout(0);
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void lookUpsDoNotUseTheOnlyConnectionOfAPool(ServerKind kind) throws SQLException {
    TestDatabase database = TestDatabase.of(kind, SETUP);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url);
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(250);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      TxWatchDataSource source = new TxWatchDataSource(pool);
      source.setProperty(Setting.ANALYZER.key(), "none");
      for (boolean autoCommit : new boolean[] {true, false}) {
        try (Connection connection = source.getConnection();
            Statement statement = connection.createStatement()) {
          assertThat(Watch.isWatched(connection)).isTrue();
          connection.setAutoCommit(autoCommit);
          statement.executeUpdate("UPDATE account SET balance = balance + 1 WHERE id = 1");
          if (!autoCommit) {
            connection.commit();
          }
          assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isEqualTo(1);
        }
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
      }
    }
    try (Connection raw = database.raw()) {
      assertThat(text(raw, "SELECT balance FROM account")).isEqualTo("12");
      if (kind != ServerKind.POSTGRESQL) { // which has no such column
        assertThat(text(raw, "SELECT txw_wl FROM account")).isNotBlank();
      }
    }
  }

  @Test
  void driversOwnPoolReturnsDistinctConnections() throws SQLException {
    TestDatabase database = TestDatabase.of(ServerKind.MARIADB, SETUP);
    String separator = database.url.contains("?") ? "&" : "?";
    try (MariaDbPoolDataSource pool =
        new MariaDbPoolDataSource(
            database.url + separator + "maxPoolSize=2&connectTimeout=1000&registerJmxPool=false")) {
      TxWatchXADataSource source = new TxWatchXADataSource(pool);
      source.setProperty(Setting.ANALYZER.key(), "none");
      for (int i = 0; i < 3; i++) {
        PooledConnection one = source.getPooledConnection();
        PooledConnection two = source.getXAConnection();
        try (Connection first = one.getConnection();
            Connection second = two.getConnection()) {
          assertThat(Watch.isWatched(first)).isTrue();
          assertThat(id(first)).isNotEqualTo(id(second));
        }
        assertThat(pool.testGetConnectionIdleThreadIds()).hasSize(2);
      }
      PooledConnection last = source.getPooledConnection();
      last.close();
      assertThat(pool.testGetConnectionIdleThreadIds()).hasSize(1);
    }
  }

  private static String id(Connection connection) throws SQLException {
    return text(connection, "SELECT CONNECTION_ID()");
  }

  private static String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }
}
