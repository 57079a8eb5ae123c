package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.StatementKind;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * PostgreSQL: three of four autocommitted UPDATEs by key use no RETURNING. The transactions that
 * depend on them identify them.
 */
class WritesWithoutReturningTest {

  /** The first such update uses RETURNING, the next three do not. */
  private static final int WITHOUT_RETURNING = 3;

  private String url;

  @BeforeEach
  void bank() throws SQLException {
    url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    try (Connection connection = DriverManager.getConnection(url)) {
      execute(connection, "CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      execute(connection, "INSERT INTO account VALUES (1, 100), (2, 200)");
      Watched.prepare(connection);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int balance(Connection connection, int id) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = " + id)) {
      assertThat(row.next()).isTrue();
      return row.getInt(1);
    }
  }

  private static void set(Connection connection, int id, int balance) throws SQLException {
    execute(connection, "UPDATE account SET balance = " + balance + " WHERE id = " + id);
  }

  private static List<Boolean> usedReturning(Watched watched) throws Exception {
    return watched.events().stream()
        .filter(Event.StatementExecuted.class::isInstance)
        .map(Event.StatementExecuted.class::cast)
        .filter(e -> e.kind() == StatementKind.UPDATE)
        .map(e -> !e.rows().isEmpty())
        .toList();
  }

  /**
   * T1 reads 100; autocommitted updates set the balance; T1 writes a value computed from the 100.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 6})
  void writeWithoutReturningIsLostByAnOverwrite(int writes, @TempDir Path folder) throws Exception {
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      set(other, 1, 100);
      one.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      one.setAutoCommit(false);
      int read = balance(one, 1);
      for (int i = 0; i < writes; i++) {
        set(other, 1, 500 + i);
      }
      set(one, 1, read + 10);
      one.commit();
    }
    assertThat(usedReturning(watched).subList(1, 1 + Math.min(writes, WITHOUT_RETURNING)))
        .containsOnly(false);
    assertThat(watched.reported())
        .extracting(ReportedAnomaly::phenomenon)
        .containsExactly("LOST_UPDATE");
    assertThat(watched.reported()).noneMatch(ReportedAnomaly::possible);
  }

  /** T1 reads both rows, T2 sets the first with autocommit, T3 reads both, T1 sets the second. */
  @Test
  void writeWithoutReturningIsFoundByALaterRead(@TempDir Path folder) throws Exception {
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url);
        Connection reader = watched.connect(url)) {
      set(other, 1, 100);
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
    }
    assertThat(usedReturning(watched)).containsExactly(true, false, true);
    assertThat(watched.reported())
        .singleElement()
        .satisfies(
            anomaly -> {
              assertThat(anomaly.transactions()).hasSize(3);
              assertThat(anomaly.possible()).isFalse();
            });
  }

  /** Transactions that read the newest version cause no anomaly. */
  @Test
  void updatesOfTheVersionReadAreNoAnomaly(@TempDir Path folder) throws Exception {
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
    assertThat(usedReturning(watched)).contains(true, false);
    assertThat(watched.reported()).isEmpty();
  }
}
