package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reports name a row by its primary key, where a statement has found or returned it by that. Other
 * rows are named by their ids. With PostgreSQL's system columns an integer is the id itself.
 */
class RowKeysTest {

  static Stream<Arguments> keys() {
    return TestServers.concurrentKinds()
        .flatMap(
            kind ->
                Stream.of(
                    Arguments.of(kind, "id INT PRIMARY KEY", true),
                    Arguments.of(kind, "id BIGINT NOT NULL, PRIMARY KEY (id)", true),
                    Arguments.of(kind, "id INT NOT NULL, k INT PRIMARY KEY, UNIQUE (id)", false)));
  }

  @ParameterizedTest
  @MethodSource("keys")
  void rowsAreNamedByTheirPrimaryKey(
      ServerKind kind, String columns, boolean isNamed, @TempDir Path folder) throws Exception {
    String url = TestServers.freshDatabase(kind);
    boolean hasOtherKey = columns.contains("k INT");
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (" + columns + ", balance INT)");
      statement.execute(
          hasOtherKey
              ? "INSERT INTO account (id, k, balance) VALUES (471147, 7, 100)"
              : "INSERT INTO account (id, balance) VALUES (471147, 100)");
      if (kind != ServerKind.POSTGRESQL) {
        Watched.prepare(connection);
      }
    }
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      one.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      read(one);
      read(other);
      write(one, 90);
      write(other, 80);
      read(one);
      one.commit();
    }
    assertThat(watched.reported()).isNotEmpty();
    for (ReportedAnomaly anomaly : watched.reported()) {
      String name = rowName(anomaly);
      if (isNamed) {
        assertThat(name).isEqualTo("account row 471147");
      } else {
        assertThat(name).startsWith("account row ").isNotEqualTo("account row 471147");
      }
    }
  }

  /** The key of a row goes to another row, and the row has another one. */
  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "POSTGRESQL", "H2"})
  void rowIsNamedByTheKeyThatItHas(ServerKind kind, @TempDir Path folder) throws Exception {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.execute("INSERT INTO account VALUES (471147, 100)");
      if (kind != ServerKind.POSTGRESQL) {
        Watched.prepare(connection);
      }
    }
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      read(one, 471147);
      try (Statement statement = one.createStatement()) {
        statement.executeUpdate("UPDATE account SET id = 5 WHERE id = 471147");
        statement.executeUpdate("INSERT INTO account VALUES (471147, 7)");
      }
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      read(one, 471147);
      read(one, 5);
      read(other, 5);
      write(one, 5, 90);
      write(other, 5, 80);
      read(one, 5);
      one.commit();
    }
    assertThat(watched.reported()).isNotEmpty();
    for (ReportedAnomaly anomaly : watched.reported()) {
      assertThat(rowName(anomaly)).isEqualTo("account row 5");
    }
  }

  /** A mail address as a key. */
  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "POSTGRESQL", "H2"})
  void textIsNeverInAReport(ServerKind kind, @TempDir Path folder) throws Exception {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE customer (mail VARCHAR(60) PRIMARY KEY, n INT)");
      statement.execute("INSERT INTO customer VALUES ('bob.secret@example.org', 1)");
      if (kind != ServerKind.POSTGRESQL) {
        Watched.prepare(connection);
      }
    }
    Watched watched = new Watched(folder, Map.of("txwatch.redact", "true"));
    String update = "UPDATE customer SET n = n + 1 WHERE mail = 'bob.secret@example.org'";
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url);
        Statement ofOne = one.createStatement();
        Statement ofOther = other.createStatement()) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      one.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      for (Statement each : List.of(ofOne, ofOther)) {
        try (ResultSet rows = each.executeQuery("SELECT mail, n FROM customer WHERE n > 0")) {
          assertThat(rows.next()).isTrue();
        }
      }
      ofOne.executeUpdate(update);
      one.commit();
      ofOther.executeUpdate(update);
      other.commit();
      try (ResultSet rows = ofOne.executeQuery("SELECT mail, n FROM customer WHERE n > 0")) {
        assertThat(rows.next()).isTrue();
      }
      one.commit();
    }
    assertThat(watched.reported()).isNotEmpty();
    for (ReportedAnomaly anomaly : watched.reported()) {
      assertThat(rowName(anomaly)).matches("customer row #[0-9a-f]{8}");
      assertThat(anomaly.json().toString()).doesNotContain("secret");
    }
  }

  /** H2 stores names in capitals. */
  private static String rowName(ReportedAnomaly anomaly) {
    String name = anomaly.json().path("cycle").get(0).path("rowName").asText();
    return name.toLowerCase(Locale.ROOT);
  }

  private static void read(Connection connection) throws SQLException {
    read(connection, 471147);
  }

  private static void read(Connection connection, int id) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
      select.setInt(1, id);
      try (ResultSet row = select.executeQuery()) {
        assertThat(row.next()).isTrue();
      }
    }
  }

  private static void write(Connection connection, int balance) throws SQLException {
    write(connection, 471147, balance);
  }

  private static void write(Connection connection, int id, int balance) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
      update.setInt(1, balance);
      update.setInt(2, id);
      assertThat(update.executeUpdate()).isOne();
    }
    connection.commit();
  }
}
