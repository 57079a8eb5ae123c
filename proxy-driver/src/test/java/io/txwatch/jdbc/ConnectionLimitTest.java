package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Look-ups leave no trace in the application's connections, and fail nothing of its own. */
class ConnectionLimitTest {

  private static final String[] SHOP = {
    "CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(3) NOT NULL, balance INT)",
    "INSERT INTO account VALUES (1, 'ann', 10), (2, 'bob', 20), (3, 'cas', 30)",
    "CREATE TABLE other (id INT PRIMARY KEY, amount INT)",
    "INSERT INTO other VALUES (1, 1)"
  };

  static Stream<ServerKind> servers() {
    return Stream.of(ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL)
        .filter(kind -> TestServers.missing(kind).isEmpty());
  }

  /** A URL for a user who may have as many connections. */
  private static String limited(TestDatabase database, int connections) throws SQLException {
    String user = "few" + System.nanoTime();
    try (Connection admin = database.raw()) {
      if (database.kind == ServerKind.POSTGRESQL) {
        TestDatabase.execute(
            admin,
            "CREATE ROLE " + user + " LOGIN PASSWORD 'few' CONNECTION LIMIT " + connections,
            "GRANT ALL ON ALL TABLES IN SCHEMA public TO " + user,
            "GRANT ALL ON SCHEMA public TO " + user);
      } else {
        TestDatabase.execute(
            admin,
            "CREATE USER '"
                + user
                + "'@'%' IDENTIFIED BY 'few' WITH MAX_USER_CONNECTIONS "
                + connections,
            "GRANT ALL ON *.* TO '" + user + "'@'%'");
      }
    }
    return database.url.replaceAll("user=[^&]*", "user=" + user)
        + (database.url.contains("user=") ? "" : "&user=" + user)
        + "&password=few";
  }

  /** Its tables are not known then: its statements are sent as they are, and counted. */
  @ParameterizedTest
  @MethodSource("servers")
  void applicationWithALimitOfOneConnectionHasIt(ServerKind kind) throws Exception {
    TestDatabase database = TestDatabase.of(kind, SHOP);
    String url = limited(database, 1);
    try (Connection only = database.watchedAt(url)) {
      only.setAutoCommit(false);
      assertThat(one(only, "SELECT balance FROM account WHERE id = 1")).isEqualTo("10");
      only.createStatement().executeUpdate("UPDATE other SET amount = 2 WHERE id = 1");
      only.commit();
      assertThatThrownBy(() -> DriverManager.getConnection(url)).isInstanceOf(SQLException.class);
    }
    assertThat(database.events(Event.Gap.class))
        .isNotEmpty()
        .allMatch(gap -> gap.reason() == GapReason.LOOKUP_FAILED);
    assertThat(database.statements()).allMatch(statement -> statement.rows().isEmpty());
  }

  /** The connection on which it is changed is not to be had. */
  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void aTableIsPreparedOnceThereIsAConnectionForIt(ServerKind kind) throws Exception {
    assumeThat(TestServers.missing(kind)).isEmpty();
    String fresh = TestServers.freshDatabase(kind);
    TestDatabase database = TestDatabase.at(kind, fresh, List.of(SHOP));
    String url = limited(database, 1);
    String user = url.replaceAll(".*user=([^&]*).*", "$1");
    String watchedUrl = url.replaceFirst("jdbc:", "jdbc:txwatch:");
    try (Connection only =
            DriverManager.getConnection(
                watchedUrl
                    + "&txwatch.prepare=auto&txwatch.versions=columns&txwatch.analyzer=none");
        Connection admin = database.raw()) {
      assertThat(one(only, "SELECT balance FROM account WHERE id = 1")).isEqualTo("10");
      assertThatThrownBy(() -> one(admin, "SELECT txw_wl FROM account"))
          .isInstanceOf(SQLException.class);
      TestDatabase.execute(admin, "ALTER USER '" + user + "'@'%' WITH MAX_USER_CONNECTIONS 3");
      await()
          .atMost(Duration.ofSeconds(30))
          .ignoreExceptions()
          .until(
              () -> {
                assertThat(one(only, "SELECT balance FROM account WHERE id = 1")).isEqualTo("10");
                one(admin, "SELECT txw_wl FROM account");
                return true;
              });
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aTableThatIsMadeLaterIsLookedUpWhenAStatementOverItIsExecuted(ServerKind kind)
      throws Exception {
    TestDatabase database = TestDatabase.of(kind, SHOP);
    try (Connection watched = database.watched();
        Connection raw = database.raw()) {
      TestDatabase.execute(raw, "CREATE TABLE late (id INT PRIMARY KEY, v INT)");
      database.prepare(raw);
      try (PreparedStatement insert = watched.prepareStatement("INSERT INTO late VALUES (?, 1)")) {
        insert.setInt(1, 1);
        insert.executeUpdate();
        insert.setInt(1, 2);
        insert.executeUpdate();
      }
      try (Statement statement = watched.createStatement();
          ResultSet rows = statement.executeQuery("SELECT * FROM late")) {
        assertThat(rows.getMetaData().getColumnCount()).isEqualTo(2);
        assertThat(rows.next()).isTrue();
      }
    }
    assertThat(database.events(Event.Gap.class)).isEmpty();
    assertThat(database.statements()).hasSize(3);
    assertThat(database.statements()).allSatisfy(s -> assertThat(s.rows()).isNotEmpty());
  }

  @Test
  void tablesOfAnotherDatabaseAreKnown() throws SQLException {
    String other = TestServers.freshDatabase(ServerKind.MYSQL);
    TestDatabase there = TestDatabase.at(ServerKind.MYSQL, other, List.of());
    TestDatabase here =
        TestDatabase.at(ServerKind.MYSQL, TestServers.freshDatabase(ServerKind.MYSQL), List.of());
    String name;
    try (Connection raw = there.raw()) {
      name = raw.getCatalog();
      TestDatabase.execute(raw, "CREATE TABLE elsewhere (id INT PRIMARY KEY, v INT)");
      there.prepare(raw);
    }
    for (boolean byText : List.of(true, false)) {
      try (Connection watched = here.watched()) {
        if (byText) {
          TestDatabase.execute(watched, "USE " + name);
        } else {
          watched.setCatalog(name);
        }
        TestDatabase.execute(
            watched, "START TRANSACTION", "SELECT v FROM elsewhere WHERE id = 1", "COMMIT");
      }
    }
    assertThat(here.events(Event.Gap.class)).isEmpty();
    assertThat(here.statements()).hasSize(3); // USE, and both queries
  }

  /** What an application sees, step by step. */
  private interface Script {
    void run(TestDatabase database, Connection connection, List<Object> seen) throws SQLException;
  }

  /** Runs a script raw and watched; a table is new to the session when the script uses it. */
  private static void sameSeen(ServerKind kind, Script script) throws SQLException {
    List<List<Object>> seen = new ArrayList<>();
    for (boolean watched : new boolean[] {false, true}) {
      TestDatabase database = TestDatabase.of(kind, SHOP);
      List<Object> mine = new ArrayList<>();
      try (Connection connection = watched ? database.watched() : database.raw()) {
        try (Connection late = database.raw()) {
          TestDatabase.execute(
              late,
              "CREATE TABLE late (id INT PRIMARY KEY, v INT)",
              "INSERT INTO late VALUES (1, 1)");
          database.prepare(late);
          script.run(database, connection, mine);
        }
      }
      seen.add(mine);
    }
    assertThat(seen.get(1)).isEqualTo(seen.get(0));
  }

  private static Object one(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() ? String.valueOf(row.getObject(1)) : "none";
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void statusOfTheLastStatementIsUnchanged(ServerKind kind) throws Exception {
    assumeThat(TestServers.missing(kind)).isEmpty();
    sameSeen(
        kind,
        (database, connection, seen) -> {
          Statement statement = connection.createStatement();
          seen.add(statement.executeUpdate("UPDATE account SET balance = balance + 1"));
          try (PreparedStatement late = connection.prepareStatement("SELECT v FROM late")) {
            seen.add(one(connection, "SELECT ROW_COUNT()"));
            seen.add(late.executeQuery().next());
          }
          one(connection, "SELECT SQL_CALC_FOUND_ROWS id FROM account LIMIT 1");
          try (PreparedStatement late = connection.prepareStatement("SELECT id FROM late")) {
            seen.add(one(connection, "SELECT FOUND_ROWS()"));
            seen.add(late.executeQuery().next());
          }
          statement.executeUpdate("INSERT IGNORE INTO account VALUES (1, 'x', 1), (9, 'dee', 1)");
          try (PreparedStatement late =
              connection.prepareStatement("UPDATE late SET v = 2 WHERE id = 1")) {
            seen.add(String.valueOf(statement.getWarnings()));
            seen.add(one(connection, "SHOW WARNINGS"));
            seen.add(late.executeUpdate());
          }
          seen.add(one(connection, "SELECT LAST_INSERT_ID()"));
          seen.add(connection.getWarnings() == null);
          seen.add(connection.getAutoCommit());
        });
  }

  @ParameterizedTest
  @MethodSource("servers")
  void lookUpsTakeNoSnapshotBeforeTheFirstStatement(ServerKind kind) throws Exception {
    sameSeen(
        kind,
        (database, connection, seen) -> {
          connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
          connection.setAutoCommit(false);
          one(connection, "SELECT 1");
          try (PreparedStatement late = connection.prepareStatement("SELECT v FROM late");
              Connection elsewhere = database.raw()) {
            TestDatabase.execute(elsewhere, "UPDATE late SET v = 7");
            try (ResultSet rows = late.executeQuery()) {
              rows.next();
              seen.add(rows.getInt(1));
            }
            TestDatabase.execute(elsewhere, "UPDATE late SET v = 8");
            seen.add(one(connection, "SELECT v FROM late"));
          }
          connection.commit();
        });
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aLookUpWithinATransactionTakesNoSnapshot(ServerKind kind) throws Exception {
    sameSeen(
        kind,
        (database, connection, seen) -> {
          connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
          connection.setAutoCommit(false);
          try (Connection elsewhere = database.raw()) {
            TestDatabase.execute(connection, "UPDATE account SET balance = 0 WHERE id = 1");
            TestDatabase.execute(connection, "UPDATE late SET v = 3 WHERE id = 1");
            TestDatabase.execute(elsewhere, "UPDATE other SET amount = 7");
            seen.add(one(connection, "SELECT amount FROM other"));
          }
          connection.commit();
        });
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aTransactionsSettingsMayFollowAPreparedStatement(ServerKind kind) throws Exception {
    sameSeen(
        kind,
        (database, connection, seen) -> {
          connection.setAutoCommit(false);
          try (PreparedStatement late = connection.prepareStatement("SELECT v FROM late")) {
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            connection.setReadOnly(true);
            seen.add(late.executeQuery().next());
          }
          connection.rollback();
          connection.setReadOnly(false);
          connection.setAutoCommit(true);
          TestDatabase.execute(connection, "START TRANSACTION");
          try (PreparedStatement other = connection.prepareStatement("SELECT id FROM late")) {
            if (kind == ServerKind.POSTGRESQL) {
              TestDatabase.execute(connection, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
              seen.add(one(connection, "SHOW transaction_isolation"));
              seen.add(one(connection, "SHOW lock_timeout"));
              seen.add(one(connection, "SHOW statement_timeout"));
            }
            seen.add(other.executeQuery().next());
          }
          TestDatabase.execute(connection, "COMMIT");
        });
  }

  @Test
  void failedTransactionStaysFailed() throws Exception {
    sameSeen(
        ServerKind.POSTGRESQL,
        (database, connection, seen) -> {
          connection.setAutoCommit(false);
          try {
            one(connection, "SELECT 1/0");
          } catch (SQLException e) {
            seen.add(e.getSQLState());
          }
          try {
            one(connection, "SELECT v FROM late");
          } catch (SQLException e) {
            seen.add(e.getSQLState());
          }
          connection.rollback();
          seen.add(one(connection, "SELECT v FROM late"));
          connection.commit();
        });
  }

  @Test
  void aDatabaseInMemoryIsNeitherKeptAliveNorCreated() throws Exception {
    String url = "jdbc:h2:mem:brief" + System.nanoTime();
    TestDatabase database = TestDatabase.at(ServerKind.H2, url + ";DB_CLOSE_DELAY=0", List.of());
    try (Connection watched = database.watched()) {
      TestDatabase.execute(watched, "CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)");
      try (Statement statement = watched.createStatement()) {
        statement.executeQuery("SELECT a FROM t").close();
        statement.execute("SHUTDOWN");
        assertThatThrownBy(() -> statement.executeQuery("SELECT a FROM t, missing"))
            .isInstanceOf(SQLException.class);
      }
      assertThatThrownBy(() -> watched.prepareStatement("SELECT a FROM t, missing"))
          .isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> DriverManager.getConnection(url + ";IFEXISTS=TRUE"))
          .isInstanceOf(SQLException.class);
    }
  }
}
