package io.txwatch.corpus.sent;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.Outcome;
import io.txwatch.corpus.Watching;
import io.txwatch.history.Ids;
import io.txwatch.jdbc.Watch;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** By value, the driver and the server receive what the application sent, in its order. */
class ByteForByteTest {

  private record Run(List<String> calls, List<String> received, List<String> seen) {}

  static Stream<Arguments> ways() {
    TestServers.startBy(
        ServerKind.MARIADB, () -> MariaDbServer.start("--log-bin", "--binlog-format=ROW"));
    return TestServers.kinds()
        .flatMap(
            kind ->
                switch (kind) {
                  case MYSQL, MARIADB ->
                      Stream.of(
                          Arguments.of(kind, "log", ""),
                          Arguments.of(kind, "log", "&useServerPrepStmts=true&useCursorFetch=true"),
                          Arguments.of(kind, "statements", "&rewriteBatchedStatements=true"));
                  case H2 ->
                      Stream.of(
                          Arguments.of(kind, "triggers", ""), Arguments.of(kind, "statements", ""));
                  case POSTGRESQL, SQLITE -> Stream.of(Arguments.of(kind, "statements", ""));
                });
  }

  @ParameterizedTest
  @MethodSource("ways")
  void theSameIsSent(ServerKind kind, String versions, String options) throws SQLException {
    Run raw = run(kind, "", options);
    Run watched = run(kind, versions, options);
    assertThat(SentDifferences.ofConnection(raw.calls(), watched.calls()).differences()).isEmpty();
    assertThat(SentDifferences.ofConnection(raw.received(), watched.received()).differences())
        .isEmpty();
    assertThat(watched.seen()).isEqualTo(raw.seen());
    assertThat(raw.calls()).hasSizeGreaterThan(50);
    if (isLogged(kind)) {
      assertThat(raw.received()).hasSizeGreaterThan(40);
    }
  }

  private static boolean isLogged(ServerKind kind) {
    return kind == ServerKind.MYSQL || kind == ServerKind.MARIADB;
  }

  private static Run run(ServerKind kind, String versions, String options) throws SQLException {
    String url = TestServers.freshDatabase(kind) + options;
    try (Connection real = DriverManager.getConnection(url);
        GeneralLog log = isLogged(kind) ? GeneralLog.begin(TestServers.of(kind).connect()) : null) {
      long number = log == null ? 0 : GeneralLog.numberOf(real);
      RecordedConnection recorded = RecordedConnection.of(real);
      Outcome seen;
      try (Connection connection =
          versions.isEmpty()
              ? recorded.connection()
              : Watching.byValue(
                  recorded.connection(),
                  url,
                  versions,
                  TestServers.of(kind).user(),
                  new Pipeline(Ids.ofNode(1), IgnoredEvents.INSTANCE))) {
        assertThat(Watch.isWatched(connection)).isEqualTo(!versions.isEmpty());
        if (log != null) {
          log.clear();
        }
        recorded.clear();
        seen =
            Outcome.of(true, kind == ServerKind.SQLITE, outcome -> work(connection, kind, outcome));
      }
      if (log != null) {
        log.awaitEnd(number);
      }
      List<String> received =
          log == null ? List.of() : log.commands().getOrDefault(number, List.of());
      String database = url.replaceAll("\\?.*|;.*", "").replaceAll(".*[/:]", "");
      return new Run(masked(recorded.sent(), database), masked(received, database), seen.lines());
    }
  }

  private static List<String> masked(List<String> lines, String database) {
    return lines.stream().map(line -> line.replaceAll("(?i)" + database, "DB")).toList();
  }

  private static void work(Connection connection, ServerKind kind, Outcome seen)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql :
          List.of(
              "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20), qty INT)",
              "INSERT INTO item VALUES (1, 'apple', 10), (2, 'pear', 20), (3, NULL, 30)",
              "  SELECT * FROM item -- a comment\n ORDER BY id ",
              "/* é ü */ UPDATE item SET qty = qty + 1 WHERE name = 'äpfel 🍎' OR id = 1",
              "SELECT name, SUM(qty) FROM item GROUP BY name HAVING SUM(qty) > 1",
              "SELECT * FROM nosuch",
              "INSERT INTO item VALUES (1, 'twice', 1)",
              "SELECT * FROM item FOR UPDATE",
              "SET nosuch_variable = 1",
              "SET NAMES utf8mb4",
              "SET @a := 1",
              "SET search_path = public",
              "SET SCHEMA PUBLIC",
              "SET LOCK_TIMEOUT 2000",
              "PRAGMA cache_size = 100",
              "CREATE VIEW few AS SELECT id, qty FROM item WHERE qty < 25",
              "SELECT * FROM few ORDER BY id",
              "BEGIN",
              "UPDATE item SET qty = 7 WHERE id = 2",
              "COMMIT",
              "ALTER TABLE item ADD COLUMN note VARCHAR(10)",
              "SELECT * FROM item ORDER BY id")) {
        step(seen, () -> seen.line("result " + statement.execute(sql)));
      }
      step(seen, () -> connection.setCatalog(connection.getCatalog()));
      connection.setAutoCommit(false);
      step(seen, () -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
      statement.addBatch("INSERT INTO item (id, qty) VALUES (7, 1)");
      statement.addBatch("UPDATE item SET qty = qty + 1 WHERE id = 7");
      seen.line("counts " + statement.executeBatch().length);
      Savepoint savepoint = connection.setSavepoint("before_it");
      statement.executeUpdate("DELETE FROM item WHERE id = 7");
      connection.rollback(savepoint);
      step(seen, () -> connection.releaseSavepoint(savepoint));
      connection.commit();
      statement.addBatch("INSERT INTO item (id, qty) VALUES (8, 1)");
      statement.addBatch("INSERT INTO item (id, qty) VALUES (1, 1)");
      step(seen, statement::executeBatch);
      connection.rollback();
    }
    prepared(connection, seen);
    if (isLogged(kind)) {
      called(connection, seen);
    }
    connection.setAutoCommit(true);
    try (Statement cursor = connection.createStatement()) {
      cursor.setFetchSize(1);
      cursor.setMaxRows(2);
      rows(cursor.executeQuery("SELECT id, qty FROM item ORDER BY id"), seen);
    }
  }

  private static void prepared(Connection connection, Outcome seen) throws SQLException {
    try (PreparedStatement write =
            connection.prepareStatement("UPDATE item SET qty = ?, name = ? WHERE id = ?");
        PreparedStatement read =
            connection.prepareStatement(
                "SELECT id, name, qty FROM item WHERE id >= ? ORDER BY id");
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO item (id, name) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
      for (int i = 1; i <= 3; i++) {
        write.setInt(1, i);
        write.setString(2, "it's \\ \"" + i);
        write.setInt(3, i);
        write.addBatch();
      }
      seen.line("counts " + write.executeBatch().length);
      write.setLong(1, 5);
      write.setNull(2, java.sql.Types.VARCHAR);
      seen.line("count " + write.executeUpdate());
      for (int from = 0; from < 3; from++) {
        read.setInt(1, from);
        rows(read.executeQuery(), seen);
      }
      for (int id = 20; id < 23; id++) {
        insert.setInt(1, id == 22 ? 1 : id);
        insert.setString(2, "x");
        if (id < 22) {
          insert.executeUpdate();
          insert.getGeneratedKeys().close();
        } else {
          step(seen, insert::executeUpdate);
        }
      }
      connection.rollback();
      step(seen, () -> connection.prepareStatement("SELECT FROM WHERE").execute());
      connection.rollback();
    }
  }

  private static void called(Connection connection, Outcome seen) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE PROCEDURE add_to(IN k INT, OUT q INT) BEGIN "
              + "UPDATE item SET qty = qty + 1 WHERE id = k; SELECT qty INTO q FROM item WHERE id = k; END");
    }
    try (CallableStatement call = connection.prepareCall("{call add_to(?, ?)}")) {
      call.setInt(1, 2);
      call.registerOutParameter(2, java.sql.Types.INTEGER);
      call.execute();
      seen.line("out " + call.getInt(2));
    }
    connection.commit();
  }

  private static void rows(ResultSet rows, Outcome seen) throws SQLException {
    try (rows) {
      while (rows.next()) {
        seen.line(rows.getString(1) + " " + rows.getString(2));
      }
    }
  }

  private static void step(Outcome seen, Action action) {
    try {
      action.run();
    } catch (SQLException e) {
      seen.line("SQLState " + e.getSQLState() + " " + e.getErrorCode());
    }
  }

  private interface Action {
    void run() throws SQLException;
  }
}
