package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * PostgreSQL: a table that could not be looked up may have auxiliary columns, which are visible.
 */
class FailedLookUpTest {

  private static final String NATURAL = "SELECT COUNT(*) FROM account NATURAL JOIN late";

  private static long count(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static Thread locked(Connection other) throws SQLException {
    other.setAutoCommit(false);
    TestDatabase.execute(other, "LOCK TABLE pg_catalog.pg_attribute IN ACCESS EXCLUSIVE MODE");
    Thread release =
        new Thread(
            () -> {
              try {
                Thread.sleep(1500);
                other.rollback();
              } catch (SQLException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    release.start();
    return release;
  }

  private static TestDatabase database() throws SQLException {
    return TestDatabase.of(
        ServerKind.POSTGRESQL,
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
        "INSERT INTO account VALUES (1, 10), (2, 20)");
  }

  private static void makeLate(TestDatabase database, boolean prepare) throws SQLException {
    try (Connection raw = database.raw()) {
      TestDatabase.execute(
          raw,
          "CREATE TABLE late (id INT PRIMARY KEY, v INT)",
          "INSERT INTO late VALUES (1, 1), (2, 2)");
      if (prepare) {
        database.prepare(raw);
      }
    }
  }

  @Test
  void aStatementThatMightReadItsColumnsIsNotSent() throws Exception {
    TestDatabase database = database();
    try (Connection watched = database.watched();
        Connection other = database.raw()) {
      makeLate(database, true);
      assertThat(count(watched, "SELECT balance FROM account WHERE id = 1")).isEqualTo(10);
      Thread release = locked(other);
      assertThatThrownBy(() -> count(watched, NATURAL))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("txwatch does not send this statement")
          .extracting(e -> ((SQLException) e).getSQLState())
          .isEqualTo("0A000");
      release.join();
      assertThat(count(watched, NATURAL)).isEqualTo(2);
    }
  }

  @Test
  void statementIsSentOnceTheTableIsKnown() throws Exception {
    TestDatabase database = database();
    try (Connection watched = database.watched()) {
      makeLate(database, true);
      watched.setAutoCommit(false);
      try (PreparedStatement natural = watched.prepareStatement(NATURAL);
          ResultSet row = natural.executeQuery()) {
        row.next();
        assertThat(row.getLong(1)).isEqualTo(2);
      }
      watched.commit();
      TestDatabase.execute(
          watched, "CREATE TEMPORARY TABLE mine (LIKE account)", "INSERT INTO mine VALUES (2, 20)");
      watched.commit();
      String mine = "SELECT COUNT(*) FROM mine NATURAL JOIN account";
      try (PreparedStatement natural = watched.prepareStatement(mine);
          ResultSet row = natural.executeQuery()) {
        row.next();
        assertThat(row.getLong(1)).isEqualTo(1);
      }
      watched.commit();
    }
  }

  @Test
  void statementIsSentWhereNoTableIsPrepared() throws Exception {
    TestDatabase database =
        TestDatabase.at(
            ServerKind.POSTGRESQL,
            TestServers.freshDatabase(ServerKind.POSTGRESQL),
            List.of(
                "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
                "INSERT INTO account VALUES (1, 10), (2, 20)"));
    try (Connection watched = database.watched();
        Connection other = database.raw()) {
      makeLate(database, false);
      Thread release = locked(other);
      assertThat(count(watched, NATURAL)).isEqualTo(2);
      release.join();
    }
  }
}
