package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.jdbc.wrap.WatchedConnection;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * MySQL and MariaDB leave a row alone that an UPDATE gives the values that it has. Where that
 * cannot be recognized, the row is written anew, with its writer; elsewhere it is left alone, too.
 */
class RowsWrittenAnewTest {

  private static final String TABLE = "CREATE TABLE t (id INT PRIMARY KEY, x INT, s VARCHAR(9))";
  private static final String ROWS = "INSERT INTO t (id, x, s) VALUES (1, 1, 'a'), (2, 2, 'b')";
  private static final String SAME = "UPDATE t SET x = 1 WHERE id = 1";

  private static final long SEED = 20261122;

  /** Something that a session does before it sends an UPDATE, or by which it sends it. */
  private interface Step {
    void run(Connection connection) throws SQLException;
  }

  private static void plain(Connection connection) throws SQLException {
    assertThat(TestDatabase.updated(connection, SAME)).isOne();
  }

  private static void prepared(Connection connection) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE t SET x = ?, s = ? WHERE id = ?")) {
      for (int i = 0; i < 2; i++) {
        setSame(update);
        assertThat(update.executeUpdate()).isOne();
      }
    }
  }

  private static void setSame(PreparedStatement update) throws SQLException {
    update.setInt(1, 1);
    update.setString(2, "a");
    update.setInt(3, 1);
  }

  private static Step doing(String... texts) {
    return connection -> TestDatabase.execute(connection, texts);
  }

  private static Arguments seen(String why, List<String> setup, String option, Step... steps) {
    return Arguments.of(why, setup, option, List.of(steps));
  }

  /** The cases on MySQL and on MariaDB, each with its DBMS in front. */
  static Stream<Arguments> ofEach(Stream<Arguments> cases) {
    List<Arguments> all = cases.toList();
    return UnchangedRowsTest.kinds()
        .flatMap(
            kind ->
                all.stream()
                    .map(
                        one -> {
                          List<Object> with = new ArrayList<>(List.of(kind));
                          with.addAll(List.of(one.get()));
                          return Arguments.of(with.toArray());
                        }));
  }

  static Stream<Arguments> unseen() {
    List<String> table = List.of(TABLE, ROWS);
    return ofEach(
        Stream.of(
            seen("autocommit", table, "", RowsWrittenAnewTest::plain),
            seen("autocommit", table, "", RowsWrittenAnewTest::prepared),
            seen(
                "after a transaction",
                table,
                "",
                doing("BEGIN", "SELECT x FROM t", "COMMIT", "SET @a = 1"),
                RowsWrittenAnewTest::prepared),
            seen(
                "a type whose equal values cannot be recognized",
                List.of(TABLE, "ALTER TABLE t ADD j JSON", ROWS),
                "",
                doing("UPDATE t SET j = NULL WHERE id = 1"))));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("unseen")
  void nameTheirWriter(
      ServerKind kind, String why, List<String> setup, String option, List<Step> steps)
      throws SQLException {
    assertThat(newWriters(kind, setup, option, steps)).isTrue();
  }

  static Stream<Arguments> recognized() {
    List<String> table = List.of(TABLE, ROWS);
    Step off = connection -> connection.setAutoCommit(false);
    Step plain = RowsWrittenAnewTest::plain;
    Step prepared = RowsWrittenAnewTest::prepared;
    return ofEach(
        Stream.of(
            seen("its count", table, "&useAffectedRows=true", doing(SAME)),
            seen("a snapshot", table, "", off, plain),
            seen("a snapshot", table, "", off, prepared),
            seen("a snapshot", table, "", doing("BEGIN"), plain),
            seen("a snapshot", table, "", doing("SET autocommit = 0"), prepared),
            seen("a snapshot, and the statement is older", table, "", olderStatement()),
            seen("a snapshot, and the batch is older", table, "", olderBatch()),
            seen("a snapshot, and the batch is older", table, "", olderPlainBatch()),
            seen("another transaction's conflict", table, "", naming(), plain),
            seen("a transaction that a procedure begins", begun(), "", called(), plain),
            seen("a transaction that a procedure begins", begun(), "", doing("CALL b()"), prepared),
            seen("a chain", table, "", doing("SET completion_type = 1", "COMMIT"), plain),
            seen("who has the driver's own connection", table, "", unwrapped(), plain),
            seen("a deadlock's choice", table, "", doing("UPDATE t SET x = id WHERE x < 9")),
            seen(
                "ON UPDATE",
                List.of(
                    TABLE,
                    "ALTER TABLE t ADD at DATETIME DEFAULT '2000-01-01'"
                        + " ON UPDATE CURRENT_TIMESTAMP",
                    ROWS),
                "",
                plain)));
  }

  private static Step olderStatement() {
    return connection -> {
      try (PreparedStatement update =
          connection.prepareStatement("UPDATE t SET x = ?, s = ? WHERE id = ?")) {
        connection.setAutoCommit(false);
        setSame(update);
        assertThat(update.executeUpdate()).isOne();
        connection.commit();
      }
    };
  }

  private static Step olderBatch() {
    return connection -> {
      try (PreparedStatement update =
          connection.prepareStatement("UPDATE t SET x = ?, s = ? WHERE id = ?")) {
        setSame(update);
        update.addBatch();
        connection.setAutoCommit(false);
        assertThat(update.executeBatch()).hasSize(1);
        connection.commit();
      }
    };
  }

  private static Step olderPlainBatch() {
    return connection -> {
      try (Statement update = connection.createStatement()) {
        update.addBatch(SAME);
        connection.setAutoCommit(false);
        assertThat(update.executeBatch()).hasSize(1);
        connection.commit();
      }
    };
  }

  /** As a session does that sets it; servers without that setting take a variable of that name. */
  private static Step naming() {
    return doing("SET @innodb_snapshot_isolation = 1");
  }

  private static List<String> begun() {
    return List.of(TABLE, ROWS, "CREATE PROCEDURE b() START TRANSACTION");
  }

  private static Step called() {
    return connection -> connection.prepareCall("{call b()}").execute();
  }

  private static Step unwrapped() {
    return connection -> {
      Connection own = connection.unwrap(WatchedConnection.class).context().real();
      connection.unwrap(own.getClass().asSubclass(Connection.class)).setAutoCommit(false);
    };
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("recognized")
  void areLeftAloneWhereEqualityIsRecognizedBy(
      ServerKind kind, String why, List<String> setup, String option, List<Step> steps)
      throws SQLException {
    assertThat(newWriters(kind, setup, option, steps)).isFalse();
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.jdbc.UnchangedRowsTest#kinds")
  void areLeftAloneByATableWithATrigger(ServerKind kind) throws SQLException {
    String trigger = "CREATE TRIGGER f AFTER UPDATE ON t FOR EACH ROW SET @fired = 1";
    TestDatabase database = TestDatabase.of(kind, TABLE, ROWS);
    try (Connection raw = database.raw()) {
      TestDatabase.execute(raw, trigger);
    }
    assertThat(newWriters(database, "", List.of(RowsWrittenAnewTest::plain))).isFalse();
  }

  private static boolean newWriters(
      ServerKind kind, List<String> setup, String option, List<Step> steps) throws SQLException {
    return newWriters(TestDatabase.of(kind, setup.toArray(String[]::new)), option, steps);
  }

  /** Whether the row names another writer after the steps than before. */
  private static boolean newWriters(TestDatabase database, String option, List<Step> steps)
      throws SQLException {
    try (Connection beside = database.raw()) {
      String before = writers(beside);
      try (Connection connection =
          database.watched(DriverManager.getConnection(database.url + option))) {
        for (Step step : steps) {
          step.run(connection);
        }
        if (!connection.getAutoCommit()) {
          connection.commit();
        } else {
          TestDatabase.execute(connection, "COMMIT");
        }
      }
      return !writers(beside).equals(before);
    }
  }

  private static String writers(Connection beside) throws SQLException {
    return rows(beside, "SELECT txw_wl FROM t WHERE id = 1");
  }

  /** Two sessions that mostly assign what is there, with and without transactions. */
  @ParameterizedTest
  @MethodSource("io.txwatch.jdbc.UnchangedRowsTest#kinds")
  void differInNothingThatSessionsSee(ServerKind kind) throws SQLException {
    for (int i = 0; i < 12; i++) {
      TestDatabase raw =
          TestDatabase.at(kind, TestServers.freshDatabase(kind), List.of(TABLE, ROWS));
      TestDatabase watched = TestDatabase.of(kind, TABLE, ROWS);
      assertThat(run(watched, true, SEED + i)).isEqualTo(run(raw, false, SEED + i));
    }
  }

  /** What two sessions see; each holds no row that the other is about to write. */
  private static List<String> run(TestDatabase database, boolean watch, long seed)
      throws SQLException {
    Random random = new Random(seed);
    List<String> seen = new ArrayList<>();
    try (Connection one = watch ? database.watched() : database.raw();
        Connection two = watch ? database.watched() : database.raw();
        PreparedStatement ofOne = one.prepareStatement("UPDATE t SET x = ? WHERE id = ?");
        PreparedStatement ofTwo = two.prepareStatement("UPDATE t SET x = ? WHERE id = ?")) {
      Connection[] sessions = {one, two};
      PreparedStatement[] updates = {ofOne, ofTwo};
      int[] held = {0, 0};
      for (int step = 0; step < 60; step++) {
        int who = random.nextInt(2);
        Connection session = sessions[who];
        int row = 1 + random.nextInt(2);
        int value = 1 + random.nextInt(2);
        switch (random.nextInt(6)) {
          case 0 -> {
            if (session.getAutoCommit()) {
              session.setAutoCommit(false);
            }
          }
          case 1 -> {
            if (!session.getAutoCommit()) {
              session.commit();
              session.setAutoCommit(random.nextBoolean());
              held[who] = 0;
            }
          }
          case 2, 3 -> seen.add(who + " reads " + rows(session, "SELECT id, x FROM t ORDER BY id"));
          default -> {
            if ((held[1 - who] & row) == 0) {
              boolean own = random.nextBoolean();
              updates[who].setInt(1, value);
              updates[who].setInt(2, row);
              int count =
                  own
                      ? TestDatabase.updated(
                          session, "UPDATE t SET x = %d WHERE id = %d".formatted(value, row))
                      : updates[who].executeUpdate();
              String reported = count + " " + rows(session, "SELECT ROW_COUNT()");
              seen.add(who + " wrote " + row + " = " + value + ": " + reported);
              held[who] |= session.getAutoCommit() ? 0 : row;
            }
          }
        }
      }
    }
    return seen;
  }

  private static String rows(Connection connection, String query) throws SQLException {
    StringBuilder text = new StringBuilder();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          text.append(rows.getString(i)).append(' ');
        }
      }
    }
    return text.toString();
  }
}
