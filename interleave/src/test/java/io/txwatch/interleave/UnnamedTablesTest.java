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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls whose texts do not state all that they read, write or lock. */
class UnnamedTablesTest {

  private String url = "";

  @BeforeEach
  void create() throws SQLException {
    url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (id INT PRIMARY KEY, n INT)");
      statement.execute("INSERT INTO t VALUES (1, 5)");
    }
  }

  private interface Work {
    Object on(Statement statement) throws SQLException;
  }

  private Object inTransaction(Work work) throws SQLException {
    Properties settings = new Properties();
    settings.setProperty("txwatch.analyzer", "none");
    try (Connection connection =
            DriverManager.getConnection(url.replaceFirst("jdbc:", "jdbc:txwatch:"), settings);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      Object result = work.on(statement);
      connection.commit();
      return result;
    }
  }

  private Interleaved twice(Work work) throws InterruptedException {
    return new Interleaver()
        .operation("A", () -> inTransaction(work))
        .operation("B", () -> inTransaction(work))
        .run();
  }

  private static Statement updatable(Statement statement) throws SQLException {
    return statement
        .getConnection()
        .createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
  }

  @Test
  void aRowIsReadByAQueryThatIsNotParsed() throws Exception {
    Interleaved found =
        new Interleaver()
            .operation("A", () -> inTransaction(s -> read(updatable(s)) + " " + read(updatable(s))))
            .operation("B", () -> inTransaction(s -> s.executeUpdate("UPDATE t SET n = 4")))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
  }

  private static int read(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT id, n FROM t")) {
      row.next();
      return row.getInt(2);
    }
  }

  @Test
  void aRowIsChangedThroughAResultSet() throws Exception {
    Interleaved found =
        twice(
            statement -> {
              try (ResultSet row = updatable(statement).executeQuery("SELECT id, n FROM t")) {
                row.next();
                row.updateInt(2, row.getInt(2) - 1);
                row.updateRow();
                return "changed";
              }
            });
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
    assertThat(found.schedule()).contains("A: updateRow", "B: updateRow");
  }

  @Test
  void aLockIsTakenForEachRow() throws Exception {
    Interleaved found =
        twice(
            statement -> {
              try (ResultSet row =
                  statement.executeQuery("SELECT pg_try_advisory_xact_lock(id) FROM t")) {
                row.next();
                return row.getBoolean(1);
              }
            });
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
  }

  @Test
  void aTextThatBeginsATransactionTouchesNoTable() throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE large AS SELECT * FROM generate_series(1, 10001)");
    }
    Interleaved found =
        twice(
            statement -> {
              statement.execute("SAVEPOINT one");
              return statement.executeUpdate("UPDATE t SET n = n - 1 WHERE id = 1");
            });
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
  }
}
