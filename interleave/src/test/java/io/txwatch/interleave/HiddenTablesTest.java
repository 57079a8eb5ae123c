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
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Operations that use tables which their statements do not name. */
class HiddenTablesTest {

  private String url = "";

  private void on(ServerKind kind, String... setup) throws SQLException {
    url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : setup) {
        statement.execute(sql);
      }
    }
  }

  /** Executes statements in one transaction; each "?" is the number that the query before gave. */
  private Object execute(String... statements) throws SQLException {
    Properties settings = new Properties();
    settings.setProperty("txwatch.analyzer", "none");
    try (Connection connection =
            DriverManager.getConnection(url.replaceFirst("jdbc:", "jdbc:txwatch:"), settings);
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      int last = 0;
      for (String sql : statements) {
        if (statement.execute(sql.replace("?", String.valueOf(last)))) {
          try (ResultSet rows = statement.getResultSet()) {
            last = rows.next() ? rows.getInt(1) : 0;
          }
        }
      }
      connection.commit();
      return last;
    }
  }

  private Verdict twice(String... statements) throws InterruptedException {
    Interleaved found = new Interleaver().operation("A", () -> execute(statements)).times(2).run();
    return found.verdict();
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aViewIsItsTables(ServerKind kind) throws Exception {
    on(
        kind,
        "CREATE TABLE stock (id INT PRIMARY KEY, n INT)",
        "INSERT INTO stock VALUES (1, 5)",
        "CREATE VIEW available AS SELECT id, n FROM stock WHERE n > 0",
        "CREATE VIEW offered AS SELECT id, n FROM available");
    String read = "SELECT n FROM offered WHERE id = 1";
    assertThat(twice(read, "UPDATE stock SET n = ? - 1 WHERE id = 1")).isEqualTo(Verdict.RACE);
    assertThat(twice("UPDATE stock SET n = n - 1 WHERE id = 1", read)).isEqualTo(Verdict.SAFE);
  }

  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"MARIADB", "MYSQL"})
  void whatATriggerWritesIsCompared(ServerKind kind) throws Exception {
    on(
        kind,
        "CREATE TABLE sale (item INT)",
        "CREATE TABLE total (n INT)",
        "INSERT INTO total VALUES (0)",
        "CREATE TRIGGER counted AFTER INSERT ON sale FOR EACH ROW"
            + " BEGIN DECLARE seen INT; SELECT n INTO seen FROM total;"
            + " UPDATE total SET n = seen + 1; END");
    assertThat(twice("INSERT INTO sale VALUES (1)")).isEqualTo(Verdict.RACE);
  }

  @Test
  void whatAFunctionWritesIsCompared() throws Exception {
    on(
        ServerKind.POSTGRESQL,
        "CREATE TABLE counter (n INT)",
        "INSERT INTO counter VALUES (0)",
        "CREATE FUNCTION count_up() RETURNS INT LANGUAGE plpgsql AS $$ DECLARE seen INT; BEGIN"
            + " SELECT n INTO seen FROM counter; RETURN seen; END $$",
        "CREATE FUNCTION put(v INT) RETURNS VOID LANGUAGE sql AS"
            + " $$ UPDATE counter SET n = v $$");
    assertThat(twice("SELECT count_up()", "SELECT put(? + 1)")).isEqualTo(Verdict.RACE);
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void whatReadsNoRowIsIndependent(ServerKind kind) throws Exception {
    on(kind, "CREATE TABLE stock (id INT PRIMARY KEY, n INT)", "INSERT INTO stock VALUES (1, 5)");
    Interleaved found =
        new Interleaver()
            .operation("A", () -> execute("SELECT 1", "SELECT 2", "SELECT 3"))
            .operation("B", () -> execute("SELECT 1", "SELECT n FROM stock WHERE id = 1"))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
    assertThat(found.executions()).isEqualTo(1);
  }
}
