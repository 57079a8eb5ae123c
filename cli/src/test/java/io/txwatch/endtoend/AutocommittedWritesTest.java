package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Autocommitted UPDATEs by key, among longer transactions. The row is read once more at the end.
 */
class AutocommittedWritesTest {

  static Stream<ServerKind> kinds() {
    return TestServers.kinds()
        .filter(
            kind ->
                kind == ServerKind.POSTGRESQL
                    || kind == ServerKind.MARIADB
                    || kind == ServerKind.MYSQL);
  }

  private static String bank(ServerKind kind) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url)) {
      execute(connection, "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)");
      execute(connection, "INSERT INTO account VALUES (1, 100), (2, 200)");
      Watched.prepare(connection);
    }
    return url;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int balance(Connection connection, int id, String lock) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT balance FROM account WHERE id = " + id + lock)) {
      assertThat(row.next()).isTrue();
      return row.getInt(1);
    }
  }

  private static int balance(Connection connection, int id) throws SQLException {
    return balance(connection, id, "");
  }

  private static void set(Connection connection, int id, int balance) throws SQLException {
    execute(connection, "UPDATE account SET balance = " + balance + " WHERE id = " + id);
  }

  private static void begin(Connection connection) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    connection.setAutoCommit(false);
  }

  private static void assertLostUpdate(Watched watched) throws Exception {
    assertThat(watched.reported())
        .extracting(ReportedAnomaly::phenomenon)
        .containsExactly("LOST_UPDATE");
    assertThat(watched.reported()).noneMatch(ReportedAnomaly::possible);
  }

  /**
   * T1 reads 100; autocommitted updates set the balance; T1 writes a value computed from the 100.
   */
  @ParameterizedTest
  @MethodSource("kinds")
  void areLostByAnOverwrite(ServerKind kind, @TempDir Path folder) throws Exception {
    String url = bank(kind);
    for (int writes : new int[] {1, 3, 6}) {
      Watched watched = new Watched(folder.resolve("writes" + writes), Map.of());
      try (watched;
          Connection one = watched.connect(url);
          Connection other = watched.connect(url)) {
        begin(one);
        int read = balance(one, 1);
        for (int i = 0; i < writes; i++) {
          set(other, 1, 500 + i);
        }
        set(one, 1, read + 10);
        one.commit();
        balance(other, 1);
      }
      assertLostUpdate(watched);
    }
  }

  /** T1 locks the row and adds to it; T2, which had read it without a lock, overwrites that. */
  @ParameterizedTest
  @MethodSource("kinds")
  void updateOfALockedRowIsLostByAnOverwrite(ServerKind kind, @TempDir Path folder)
      throws Exception {
    String url = bank(kind);
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      begin(one);
      begin(other);
      int read = balance(other, 1);
      balance(one, 1, " FOR UPDATE");
      execute(one, "UPDATE account SET balance = balance + 5 WHERE id = 1");
      one.commit();
      set(other, 1, read + 10);
      other.commit();
      balance(one, 1);
      one.commit();
    }
    assertLostUpdate(watched);
  }

  /** T1 reads both rows, T2 sets the first with autocommit, T3 reads both, T1 sets the second. */
  @ParameterizedTest
  @MethodSource("kinds")
  void areInACycleOfThree(ServerKind kind, @TempDir Path folder) throws Exception {
    String url = bank(kind);
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url);
        Connection reader = watched.connect(url)) {
      for (Connection each : List.of(one, reader)) {
        each.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        each.setAutoCommit(false);
      }
      balance(one, 1);
      balance(one, 2);
      set(other, 1, 500);
      assertThat(balance(reader, 1)).isEqualTo(500);
      balance(reader, 2);
      reader.commit();
      set(one, 2, 7);
      one.commit();
      balance(other, 2);
    }
    assertThat(watched.reported())
        .singleElement()
        .satisfies(
            anomaly -> {
              assertThat(anomaly.transactions()).hasSize(3);
              assertThat(anomaly.possible()).isFalse();
            });
  }

  /** Transactions that read the newest version cause no anomaly. */
  @ParameterizedTest
  @MethodSource("kinds")
  void updatesOfTheVersionReadAreNoAnomaly(ServerKind kind, @TempDir Path folder) throws Exception {
    String url = bank(kind);
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      one.setAutoCommit(false);
      for (int i = 0; i < 20; i++) {
        set(other, 1, i);
        assertThat(balance(one, 1)).isEqualTo(i);
        set(one, 1, i + 1);
        one.commit();
      }
    }
    assertThat(watched.reported()).isEmpty();
  }
}
