package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.Pipeline;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reads and writes by value, without anything but the statements: plain tables, a URL, and one
 * setting.
 */
class VersionsFromStatementsTest {

  @TempDir private Path directory = Path.of("");

  private final Properties properties = new Properties();
  private Path report = Path.of("");

  @BeforeEach
  void settings() throws IOException {
    report = Files.createTempFile(directory, "anomalies", ".jsonl");
    properties.setProperty("txwatch.versions", "statements");
    properties.setProperty("txwatch.report", report.toString());
  }

  static Stream<ServerKind> kinds() {
    return TestServers.concurrentKinds();
  }

  /** The URL of a bank with two accounts. */
  private static String bank(ServerKind kind) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    try (Connection raw = DriverManager.getConnection(url);
        Statement statement = raw.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)");
      statement.execute("INSERT INTO account VALUES (1, 100), (2, 100)");
    }
    return url;
  }

  /** What two sessions do, and a third one that is not watched. */
  private interface Work {
    void with(Connection one, Connection other, Connection unwatched) throws SQLException;
  }

  private List<String> reportOf(ServerKind kind, int level, Work work) throws Exception {
    String url = bank(kind);
    String watched = "jdbc:txwatch:" + url.substring("jdbc:".length());
    try (Connection unwatched = DriverManager.getConnection(url);
        Connection one = DriverManager.getConnection(watched, properties);
        Connection other = DriverManager.getConnection(watched, properties)) {
      for (Connection connection : List.of(one, other)) {
        connection.setTransactionIsolation(level);
        connection.setAutoCommit(false);
      }
      work.with(one, other, unwatched);
    }
    Pipeline.of(Settings.ofUrlProperties(properties)).close();
    return Files.readAllLines(report);
  }

  private static int balance(Connection connection, int id) throws SQLException {
    try (PreparedStatement read =
        connection.prepareStatement("SELECT id, balance FROM account WHERE id = ?")) {
      read.setInt(1, id);
      try (ResultSet row = read.executeQuery()) {
        assertThat(row.next()).isTrue();
        return row.getInt(2);
      }
    }
  }

  private static void set(Connection connection, int id, int balance) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
      update.setInt(1, balance);
      update.setInt(2, id);
      assertThat(update.executeUpdate()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aLostUpdateIsReported(ServerKind kind) throws Exception {
    List<String> found =
        reportOf(
            kind,
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other, unwatched) -> {
              int seenByOne = balance(one, 1);
              int seenByOther = balance(other, 1);
              set(one, 1, seenByOne - 10);
              one.commit();
              set(other, 1, seenByOther - 20);
              other.commit();
            });
    assertThat(found).hasSize(1);
    assertThat(found.get(0))
        .contains("LOST_UPDATE", "CONFIRMED", "VersionsFromStatementsTest.set")
        .contains("\"possible\":false");
  }

  /** INSERT IGNORE leaves a row out that is there already: it wrote no version of it. */
  @Test
  void aRowThatABatchLeavesOutIsNotWritten() throws Exception {
    List<String> found =
        reportOf(
            ServerKind.MARIADB,
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other, unwatched) -> {
              balance(one, 2);
              try (PreparedStatement insert =
                  other.prepareStatement("INSERT IGNORE INTO account VALUES (?, 100)")) {
                for (int id : List.of(1, 3)) {
                  insert.setInt(1, id);
                  insert.addBatch();
                }
                assertThat(insert.executeBatch())
                    .containsExactly(Statement.SUCCESS_NO_INFO, Statement.SUCCESS_NO_INFO);
              }
              set(other, 2, 50);
              other.commit();
              balance(one, 1);
              one.commit();
            });
    assertThat(found).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aWriteSkewIsReported(ServerKind kind) throws Exception {
    List<String> found =
        reportOf(
            kind,
            Connection.TRANSACTION_REPEATABLE_READ,
            (one, other, unwatched) -> {
              int sumOfOne = balance(one, 1) + balance(one, 2);
              int sumOfOther = balance(other, 1) + balance(other, 2);
              set(one, 1, 150 - sumOfOne);
              set(other, 2, 150 - sumOfOther);
              one.commit();
              other.commit();
            });
    assertThat(found).hasSize(1);
    assertThat(found.get(0)).contains("WRITE_SKEW", "CONFIRMED", "\"possible\":false");
  }

  /** Inserts, deletes and updates by key or without, one after the other. */
  @ParameterizedTest
  @MethodSource("kinds")
  void oneTransactionAfterTheOtherIsNoAnomaly(ServerKind kind) throws Exception {
    List<String> found =
        reportOf(
            kind,
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other, unwatched) -> {
              for (int i = 0; i < 20; i++) {
                Connection connection = i % 2 == 0 ? one : other;
                set(connection, 1, balance(connection, 1) + balance(connection, 2));
                try (Statement statement = connection.createStatement()) {
                  statement.executeUpdate("INSERT INTO account VALUES (3, " + i + ")");
                  connection.commit();
                  statement.executeUpdate("UPDATE account SET balance = 7 WHERE balance < 100");
                  balance(connection, 3);
                  connection.commit();
                  statement.executeUpdate("DELETE FROM account WHERE id = 3");
                  connection.commit();
                }
              }
            });
    assertThat(found).isEmpty();
  }

  /** Each change of the watched ones is followed by one that sets the row back. */
  @ParameterizedTest
  @MethodSource("kinds")
  void aWriterThatIsNotWatchedMakesNoAnomaly(ServerKind kind) throws Exception {
    List<String> found =
        reportOf(
            kind,
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other, unwatched) -> {
              for (int i = 0; i < 10; i++) {
                Connection connection = i % 2 == 0 ? one : other;
                set(connection, 1, balance(connection, 1) + 1);
                connection.commit();
                set(unwatched, 1, 100);
              }
            });
    assertThat(found).isEmpty();
  }
}
