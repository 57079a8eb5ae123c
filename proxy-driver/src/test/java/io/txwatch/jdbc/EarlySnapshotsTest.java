package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nothing of ours takes the snapshot of a transaction, or its level, before the application's own
 * statement does: after each text that a transaction may begin with, raw and watched connections
 * accept SET TRANSACTION alike, and see alike what somebody else commits meanwhile.
 */
class EarlySnapshotsTest {

  private static final String SNAPSHOT =
      """
      BEGIN
      BEGIN; SET search_path TO public
      BEGIN; SET LOCAL search_path = other, public
      BEGIN; SELECT 1; SET search_path TO public
      BEGIN; SAVEPOINT s; SET search_path TO public; RELEASE s
      BEGIN; SAVEPOINT s; SET search_path TO public; ROLLBACK TO s; RELEASE s
      BEGIN; RESET search_path
      BEGIN; RESET ALL
      BEGIN; SET ROLE postgres
      BEGIN; SET LOCAL ROLE NONE
      BEGIN; RESET ROLE
      BEGIN; SET SESSION AUTHORIZATION DEFAULT
      BEGIN; SET SCHEMA 'public'
      BEGIN; SHOW search_path
      BEGIN; SHOW search_path; prepare
      BEGIN; prepare
      BEGIN; SET search_path TO public; prepare
      BEGIN; SET search_path TO public; SHOW search_path; prepare
      BEGIN; LISTEN a
      BEGIN; LOCK TABLE a0
      BEGIN; schema; prepare
      schema; BEGIN; prepare
      SET search_path TO public; BEGIN; prepare; SHOW search_path
      prepare; BEGIN; LOCK TABLE a0
      manual; SET search_path TO public
      manual; schema; prepare
      manual; SET LOCAL statement_timeout = 9999; schema; prepare; SHOW search_path
      """;

  private static final String IN_MYSQL =
      """
      START TRANSACTION
      START TRANSACTION; prepare
      START TRANSACTION; USE {D}
      START TRANSACTION; USE {D}; prepare
      START TRANSACTION; SET ROLE NONE; prepare
      START TRANSACTION; catalog; prepare
      catalog; START TRANSACTION; DO 1
      manual; catalog; prepare
      manual; USE {D}; DO 1; prepare
      manual; SET @x = 1; prepare
      """;

  private static final String H2 =
      """
      manual; SET SCHEMA PUBLIC
      manual; SET SCHEMA PUBLIC; prepare
      manual; schema
      manual; schema; prepare
      manual; SET LOCK_TIMEOUT 100; schema; prepare
      """;

  /** What happens to an application: its text, or error, and the row that it reads at the end. */
  private static String outcome(
      Connection connection, Connection other, String steps, String last, String table)
      throws SQLException {
    TestDatabase.execute(other, "UPDATE " + table + " SET v = 0");
    StringBuilder result = new StringBuilder();
    try (Statement statement = connection.createStatement()) {
      for (String step : (steps + ";" + last).split(";")) {
        String text = step.strip();
        try {
          switch (text) {
            case "" -> {}
            case "manual" -> connection.setAutoCommit(false);
            case "schema" -> connection.setSchema(connection.getSchema());
            case "catalog" -> connection.setCatalog(connection.getCatalog());
            case "prepare" ->
                connection.prepareStatement("SELECT v FROM " + table + " WHERE id = ?").close();
            default -> statement.execute(text);
          }
        } catch (SQLException e) {
          result.append(text).append(": ").append(e.getSQLState()).append('\n');
        }
      }
      TestDatabase.execute(other, "UPDATE " + table + " SET v = 1");
      result.append(read(statement, table));
      TestDatabase.execute(other, "UPDATE " + table + " SET v = 2");
      result.append(' ').append(read(statement, table));
    }
    if (!connection.getAutoCommit()) {
      connection.rollback();
    }
    return result.toString();
  }

  private static String read(Statement statement, String table) {
    try (ResultSet row = statement.executeQuery("SELECT v FROM " + table)) {
      return row.next() ? row.getString(1) : "nothing";
    } catch (SQLException e) {
      return String.valueOf(e.getSQLState());
    }
  }

  static List<ServerKind> kinds() {
    return TestServers.kinds().filter(kind -> kind != ServerKind.SQLITE).toList();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void isTakenByTheApplicationAlone(ServerKind kind) throws SQLException {
    boolean isPostgres = kind == ServerKind.POSTGRESQL;
    TestDatabase database = TestDatabase.of(kind, "CREATE TABLE a0 (id INT PRIMARY KEY, v INT)");
    List<String> levels =
        switch (kind) {
          case POSTGRESQL ->
              List.of(
                  "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                  "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
          case MYSQL, MARIADB -> List.of("", "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
          default -> List.of("");
        };
    String texts = isPostgres ? SNAPSHOT : kind == ServerKind.H2 ? H2 : IN_MYSQL;
    List<String> different = new ArrayList<>();
    int count = 0;
    try (Connection other = database.raw()) {
      String name = String.valueOf(other.getCatalog());
      for (String steps : texts.replace("{D}", name).lines().toList()) {
        for (String last : levels) {
          // each time a table that has not been looked up
          String table = "t" + ++count;
          TestDatabase.execute(
              other,
              "CREATE TABLE " + table + " (id INT PRIMARY KEY, v INT)",
              "INSERT INTO " + table + " VALUES (1, 0)");
          String raw;
          try (Connection connection = level(database.raw(), kind)) {
            raw = outcome(connection, other, steps, last, table);
          }
          try (Connection connection = level(database.watched(), kind)) {
            String watched = outcome(connection, other, steps, last, table);
            if (!watched.equals(raw)) {
              different.add(steps + "; " + last + ": raw " + raw + ", watched " + watched);
            }
          }
        }
      }
    }
    assertThat(different).isEmpty();
  }

  private static Connection level(Connection connection, ServerKind kind) throws SQLException {
    if (kind == ServerKind.H2) {
      connection.setTransactionIsolation(6); // SNAPSHOT
    }
    return connection;
  }
}
