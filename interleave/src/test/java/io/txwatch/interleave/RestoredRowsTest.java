package io.txwatch.interleave;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rows have the same values again after operations were interleaved. */
class RestoredRowsTest {

  private String url = "";

  private void on(ServerKind kind, String... setup) throws SQLException {
    url = TestServers.freshDatabase(kind);
    execute(setup);
  }

  private void execute(String... setup) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : setup) {
        statement.execute(sql);
      }
    }
  }

  private Connection watched() throws SQLException {
    Properties settings = new Properties();
    settings.setProperty("txwatch.analyzer", "none");
    return DriverManager.getConnection(url.replaceFirst("jdbc:", "jdbc:txwatch:"), settings);
  }

  private int update(String sql) throws SQLException {
    try (Connection connection = watched();
        Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  private List<String> values(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          values.add(String.valueOf(rows.getString(i)));
        }
      }
      return values;
    }
  }

  private Interleaved countTwice() throws InterruptedException {
    return new Interleaver()
        .operation("A", () -> update("UPDATE t SET n = n + 1"))
        .operation("B", () -> update("UPDATE t SET n = n + 1"))
        .run();
  }

  private static List<String> columns(ServerKind kind) {
    return switch (kind) {
      case POSTGRESQL ->
          List.of(
              "mood DEFAULT 'ok'",
              "TIME DEFAULT '10:11:12.123456'",
              "TIMETZ DEFAULT '10:11:12.123456+03'",
              "TIMESTAMPTZ DEFAULT '2024-03-31 02:30:00.123456+05'",
              "TIMESTAMP DEFAULT 'infinity'",
              "BIT(1) DEFAULT B'1'",
              "MONEY DEFAULT '12.34'",
              "XML DEFAULT '<a/>'",
              "INT[] DEFAULT '{{1,2},{3,4}}'",
              "JSONB DEFAULT '{\"a\": 1}'",
              "BYTEA DEFAULT '\\x00ff'",
              "INT4RANGE DEFAULT '[1,3)'");
      case MARIADB, MYSQL ->
          List.of(
              "TINYINT(1) DEFAULT 5",
              "TIME(6) DEFAULT '10:11:12.123456'",
              "TIME DEFAULT '-10:00:00'",
              "TIME DEFAULT '300:00:00'",
              "YEAR DEFAULT 2024",
              "BIT(1) DEFAULT 1",
              "BIT(8) DEFAULT 5",
              "BOOLEAN DEFAULT TRUE",
              "DATETIME(6) DEFAULT '2024-03-31 02:30:00.123456'",
              "ENUM('a', 'b') DEFAULT 'b'",
              "VARBINARY(9) DEFAULT 'abc'",
              "BIGINT UNSIGNED DEFAULT 18446744073709551615");
      case H2, SQLITE ->
          List.of(
              "TIME(9) DEFAULT '10:11:12.123456789'",
              "CLOB DEFAULT REPEAT('x', 20000)",
              "BLOB DEFAULT CAST(REPEAT('ab', 20000) AS VARBINARY(40000))",
              "JSON DEFAULT JSON '{\"a\":1}'",
              "INT ARRAY DEFAULT ARRAY[1, 2]",
              "BOOLEAN DEFAULT TRUE",
              "ENUM('a', 'b') DEFAULT 'b'");
    };
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void valuesOfManyTypesAreRestored(ServerKind kind) throws Exception {
    List<String> columns = columns(kind);
    StringBuilder table = new StringBuilder("CREATE TABLE t (n INT");
    for (int i = 0; i < columns.size(); i++) {
      table.append(", c").append(i).append(' ').append(columns.get(i));
    }
    on(kind);
    if (kind == ServerKind.POSTGRESQL) {
      execute("CREATE TYPE mood AS ENUM ('sad', 'ok')");
    }
    execute(table + ")", "INSERT INTO t (n) VALUES (0)");
    List<String> before = values("SELECT * FROM t");
    Interleaved found = countTwice();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
    assertThat(values("SELECT * FROM t")).isEqualTo(before);
  }

  @Test
  void whatTriggersWriteIsRemoved() throws Exception {
    on(
        ServerKind.MARIADB,
        "CREATE TABLE audit (what TEXT)",
        "CREATE TABLE t (n INT)",
        "INSERT INTO t VALUES (0)",
        "CREATE TRIGGER inserted AFTER INSERT ON t FOR EACH ROW INSERT INTO audit VALUES ('new')");
    Interleaved found =
        new Interleaver()
            .operation("A", () -> update("INSERT INTO audit SELECT 'seen' FROM t"))
            .operation("B", () -> update("UPDATE t SET n = n + 1"))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
    assertThat(values("SELECT * FROM audit")).isEmpty();
  }

  @Test
  void rowsThatATriggerChangesAreNotRestored() throws Exception {
    on(
        ServerKind.MARIADB,
        "CREATE TABLE t (n INT, size INT)",
        "INSERT INTO t VALUES (0, 7)",
        "CREATE TRIGGER sized BEFORE INSERT ON t FOR EACH ROW SET NEW.size = 1");
    Interleaved found = countTwice();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.UNDECIDED);
    assertThat(found.reason()).contains("t` are others when they are inserted again");
    assertThat(values("SELECT size FROM t")).containsExactly("7");
  }

  @Test
  void tablesDifferInCaseAlone() throws Exception {
    on(
        ServerKind.POSTGRESQL,
        "CREATE TABLE t (n INT)",
        "INSERT INTO t VALUES (5)",
        "CREATE TABLE \"T\" (n INT)",
        "INSERT INTO \"T\" VALUES (7)");
    assertThat(countTwice().verdict()).isEqualTo(Verdict.SAFE);
    Interleaved found =
        new Interleaver()
            .operation("A", () -> update("UPDATE \"T\" SET n = n + 1"))
            .operation("B", () -> update("UPDATE \"T\" SET n = n + 1"))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
    assertThat(values("SELECT t.n, \"T\".n FROM t, \"T\"")).containsExactly("5", "7");
  }

  @Test
  void aTransactionThatIsLeftOpenIsNamed() throws Exception {
    on(ServerKind.POSTGRESQL, "CREATE TABLE t (n INT)", "INSERT INTO t VALUES (1), (2)");
    List<Connection> left = new ArrayList<>();
    try {
      Interleaved found =
          new Interleaver()
              .operation("A", () -> updateAndLeave("UPDATE t SET n = 3 WHERE n = 1", left))
              .operation("B", () -> updateAndLeave("UPDATE t SET n = 4 WHERE n = 2", left))
              .run();
      assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.UNDECIDED);
      assertThat(found.reason()).endsWith("unless an operation has left a transaction open");
    } finally {
      for (Connection connection : left) {
        connection.close();
      }
    }
  }

  private int updateAndLeave(String sql, List<Connection> left) throws SQLException {
    Connection connection = watched();
    left.add(connection);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }
}
