package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * On MySQL and MariaDB an UPDATE that gives a row the values that it has does nothing to it. The
 * same statements go to twin databases, raw and watched: counts of changed rows, {@code ON UPDATE}
 * columns, warnings, contents and what a snapshot shows must be the same.
 */
class UnchangedRowsTest {

  static Stream<ServerKind> kinds() {
    return TestServers.kinds()
        .filter(kind -> kind == ServerKind.MARIADB || kind == ServerKind.MYSQL);
  }

  private static final long SEED = 20261122;

  /** A type, and values that some comparison takes for equal and the DBMS's own does not. */
  private static final String[][] VALUES = {
    {"int", "1", "1.2", "'1'", "null"},
    {"bigint unsigned", "1", "18446744073709551615"},
    {"decimal(10,3)", "1.5", "1.500", "1.5004", "-0.0", "0"},
    {
      "float",
      "0.1",
      "0.10000000149",
      "0.10000002",
      "16777216",
      "16777217",
      "-0e0",
      "0",
      "1234567.2"
    },
    {"double", "0.1", "0.10000000000000002", "-0e0", "0e0", "1e308"},
    {"char(10)", "'a'", "'A'", "'a '", "''"},
    {"varchar(20)", "'a'", "'A'", "'a '", "'ä'", "'ae'", "''", "null"},
    {"varchar(20) character set latin1", "'a'", "'ä'", "'Ä'"},
    {"varchar(20) character set utf16", "'a'", "'ä'", "'Ä'"},
    {"text", "'a'", "'A'", "'a '", "repeat('x', 60000)", "null"},
    {"blob", "'a'", "x'00'", "x'0000'"},
    {"varbinary(20)", "'a'", "x'00'", "'a '"},
    {"binary(4)", "'a'", "'a '", "x'61000000'"},
    {"date", "'2020-01-01'", "'2020-01-02'", "null"},
    {"datetime(6)", "'2020-01-01 00:00:00.1'", "'2020-01-01 00:00:00.100001'"},
    {"timestamp(3) null", "'2020-01-01 00:00:00'", "'2020-01-01 00:00:00.001'", "null"},
    {"time(3)", "'10:00:00.1'", "'10:00:00.101'", "'-10:00:00.1'"},
    {"year", "2020", "2021"},
    {"enum('a','b','c ')", "'a'", "'A'", "'b'", "1", "'c'"},
    {"set('x','y')", "'x'", "'x,y'", "'y,x'", "3"},
    {"bit(9)", "b'1'", "b'100000000'", "1"},
    {
      "json",
      "'{\"a\":1}'",
      "'{\"a\": 1}'",
      "'{\"a\":1.0}'",
      "'{\"b\":1, \"a\":1}'",
      "'null'",
      "null"
    },
    {"point", "point(1,2)", "point(1,3)"},
  };

  private static String table(String[] type) {
    return "CREATE TABLE t (id INT PRIMARY KEY, x "
        + type[0]
        + ", n INT, at DATETIME(6) DEFAULT '2000-01-01' ON UPDATE CURRENT_TIMESTAMP(6))";
  }

  private interface Steps {
    void run(Connection connection, List<String> seen) throws SQLException;
  }

  /** Runs the steps raw and watched; gives the watched database. */
  private static TestDatabase compare(ServerKind kind, String option, String[] setup, Steps steps)
      throws SQLException {
    List<List<String>> seen = new ArrayList<>();
    TestDatabase watched = null;
    for (boolean watch : new boolean[] {false, true}) {
      TestDatabase database = TestDatabase.of(kind, setup);
      List<String> lines = new ArrayList<>();
      Connection raw = java.sql.DriverManager.getConnection(database.url + option);
      try (Connection connection = watch ? database.watched(raw) : raw) {
        steps.run(connection, lines);
      }
      seen.add(lines);
      watched = database;
    }
    assertThat(seen.get(1)).isEqualTo(seen.get(0));
    return java.util.Objects.requireNonNull(watched);
  }

  private static void update(Connection connection, String sql, List<String> seen)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      StringBuilder line = new StringBuilder(sql + ": ");
      try {
        line.append(statement.executeUpdate(sql));
        for (SQLWarning w = statement.getWarnings(); w != null; w = w.getNextWarning()) {
          line.append(" warning ").append(w.getErrorCode()).append(w.getMessage());
        }
      } catch (SQLException e) {
        line.append(e.getErrorCode())
            .append(String.valueOf(e.getMessage()).replaceAll("^\\(conn=\\d+\\)", ""));
      }
      seen.add(line.toString());
    }
    contents(connection, seen);
  }

  /** What stands in the table, and in which rows the time of the change was noted. */
  private static void contents(Connection connection, List<String> seen) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT id, hex(x), n, at > '2001-01-01' FROM t ORDER BY id")) {
      while (rows.next()) {
        seen.add(
            rows.getInt(1) + " " + rows.getString(2) + " " + rows.getInt(3) + " " + rows.getInt(4));
      }
    }
  }

  static Stream<Arguments> types() {
    return kinds().flatMap(kind -> Stream.of(VALUES).map(type -> Arguments.of(kind, type)));
  }

  @ParameterizedTest
  @MethodSource("types")
  void countAsUnchanged(ServerKind kind, String[] type) throws SQLException {
    String[] setup = {table(type), "INSERT INTO t (id, x, n) VALUES (1, " + type[1] + ", 0)"};
    TestDatabase database =
        compare(
            kind,
            "&useAffectedRows=true",
            setup,
            (connection, seen) -> {
              for (int i = 1; i < type.length; i++) {
                for (int j = 1; j < type.length; j++) {
                  try (Statement statement = connection.createStatement()) {
                    statement.executeUpdate("DELETE FROM t");
                    statement.executeUpdate(
                        "INSERT INTO t (id, x, n) VALUES (1, " + type[i] + ", 0)");
                  }
                  update(connection, "UPDATE t SET x = " + type[j], seen);
                  update(connection, "UPDATE t SET x = x, n = 0, x = " + type[j], seen);
                  update(connection, "UPDATE t SET x = x, n = n + 1, x = " + type[i], seen);
                }
              }
            });
    boolean recognized = !(kind == ServerKind.MYSQL && type[0].equals("json"));
    assertThat(
            database.events(Event.Gap.class).stream()
                .filter(gap -> gap.detail().contains("type json")))
        .hasSize(recognized ? 0 : 3 * (type.length - 1) * (type.length - 1));
  }

  /** MySQL has no text of a JSON document to compare, which matters only if one is assigned. */
  @ParameterizedTest
  @MethodSource("kinds")
  void jsonThatIsNotAssignedIsNotCompared(ServerKind kind) throws SQLException {
    String[] setup = {
      table(new String[] {"json"}), "INSERT INTO t (id, x, n) VALUES (1, '{\"a\": 1}', 0)"
    };
    TestDatabase database =
        compare(
            kind,
            "&useAffectedRows=true",
            setup,
            (connection, seen) -> {
              for (String sql :
                  List.of("n = 1", "n = n + 1", "n = char_length(x)", "n = char_length(x)")) {
                update(connection, "UPDATE t SET " + sql + " WHERE id = 1", seen);
              }
            });
    assertThat(
            database.events(Event.Gap.class).stream()
                .filter(gap -> gap.reason() == GapReason.SHAPE))
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void onDuplicateKeyUpdateCounts(ServerKind kind) throws SQLException {
    for (String option : List.of("", "&useAffectedRows=true")) {
      compare(
          kind,
          option,
          new String[] {table(VALUES[0]), "INSERT INTO t (id, x, n) VALUES (1, 1, 1)"},
          (connection, seen) -> {
            String upsert = "INSERT INTO t (id, x) VALUES (%d, 5) ON DUPLICATE KEY UPDATE ";
            for (String set : List.of("x = 1", "x = 2", "x = 2", "n = n + 1, x = x", "id = id")) {
              update(connection, upsert.formatted(1) + set, seen);
            }
            update(connection, upsert.formatted(2) + "x = 7", seen);
            update(
                connection,
                "INSERT INTO t (id, x) SELECT id, n FROM t AS s ON DUPLICATE KEY UPDATE x = s.x",
                seen);
          });
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void updatesThatMayBecomeJoinsPassUntouched(ServerKind kind) throws SQLException {
    List<String> joins =
        List.of(
            "UPDATE t SET x = x WHERE id IN (SELECT id FROM o)",
            "UPDATE t SET x = 5 WHERE EXISTS (SELECT 1 FROM o WHERE o.id = t.id)",
            "UPDATE t SET x = x WHERE NOT EXISTS (SELECT 1 FROM o WHERE o.id = t.id)",
            "UPDATE t SET x = x WHERE id > (SELECT min(z.id) FROM t z)",
            "UPDATE t JOIN o ON o.id = t.id SET t.x = o.id",
            "UPDATE t JOIN o ON o.id = t.id SET t.x = t.x, o.s = 'B', t.n = t.n + 1",
            "UPDATE o, t SET o.s = 'b' WHERE o.id = t.id",
            "UPDATE o LEFT JOIN t ON o.id = t.id SET t.x = 1, o.s = NULL WHERE o.id > 1",
            "UPDATE t SET x = x * 1 WHERE id IN (SELECT id FROM o)",
            "UPDATE t JOIN o ON o.id = t.id SET t.x = o.id, o.id = o.id + 10",
            "UPDATE t JOIN o ON o.id = t.id SET o.s = concat(o.s, 'x')");
    TestDatabase database =
        compare(
            kind,
            "&useAffectedRows=true",
            new String[] {
              table(VALUES[0]),
              "CREATE TABLE o (id INT PRIMARY KEY, s VARCHAR(9))",
              "INSERT INTO t (id, x, n) VALUES (1, 0, 0), (2, 1, 1), (3, NULL, 2)",
              "INSERT INTO o VALUES (1, 'b'), (2, 'B')"
            },
            (connection, seen) -> {
              for (String join : joins) {
                update(connection, join, seen);
                update(connection, join, seen);
              }
              update(connection, "UPDATE t SET x = x WHERE id > (SELECT min(id) FROM o)", seen);
            });
    assertThat(database.events(Event.Gap.class))
        .extracting(Event.Gap::detail)
        .filteredOn(detail -> detail.contains("may join") || detail.contains("of several tables"))
        .hasSizeGreaterThanOrEqualTo(joins.size());
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void areNotVisibleToASnapshot(ServerKind kind) throws SQLException {
    TestDatabase watched =
        compare(
            kind,
            "",
            new String[] {table(VALUES[0]), "INSERT INTO t (id, x, n) VALUES (1, 0, 0), (2, 1, 1)"},
            (connection, seen) -> {
              connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
              connection.setAutoCommit(false);
              contents(connection, seen);
              try (Connection other =
                  java.sql.DriverManager.getConnection(connection.getMetaData().getURL())) {
                TestDatabase.execute(other, "UPDATE t SET x = 10 WHERE n = 1");
              }
              update(connection, "UPDATE t SET x = 10", seen);
              assertThat(seen.get(seen.size() - 1)).startsWith("2 1 ");
              connection.commit();
              contents(connection, seen);
              connection.commit();
            });
    assertThat(watched.events(Event.Gap.class)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void onlyChangedRowsNameTheWriter(ServerKind kind) throws SQLException {
    TestDatabase database =
        TestDatabase.of(
            kind, table(VALUES[0]), "INSERT INTO t (id, x, n) VALUES (1, 1, 0), (2, 2, 0)");
    try (Connection connection = database.watched();
        PreparedStatement update = connection.prepareStatement("UPDATE t SET x = ?, n = n");
        Statement read = connection.createStatement()) {
      for (int i = 1; i <= 10; i++) {
        update.setInt(1, i % 2 + 1);
        assertThat(update.executeUpdate()).isEqualTo(2);
      }
      try (ResultSet rows = read.executeQuery("SELECT x FROM t ORDER BY id")) {
        while (rows.next()) {
          assertThat(rows.getInt(1)).isOne();
        }
      }
    }
    List<Event.StatementExecuted> statements = database.statements();
    Event.StatementExecuted last = statements.get(statements.size() - 1);
    assertThat(last.rows()).extracting(row -> row.access()).containsOnly(Access.READ);
    // Nine of ten changed the first row, ten the second: the window holds eight.
    assertThat(last.rows()).extracting(row -> row.writers().size()).containsExactly(8, 8);
    for (int row = 0; row < 2; row++) {
      for (int i = 0; i < 8; i++) {
        assertThat(last.rows().get(row).writers().transaction(i))
            .isEqualTo(statements.get(2 + i).transaction());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void tablesWithTriggersPassThrough(ServerKind kind) throws SQLException {
    TestDatabase database =
        TestDatabase.of(
            kind, "CREATE TABLE t (id INT PRIMARY KEY, x INT)", "INSERT INTO t VALUES (1, 1)");
    try (Connection raw = database.raw()) {
      TestDatabase.execute(
          raw, "CREATE TRIGGER back BEFORE UPDATE ON t FOR EACH ROW SET NEW.x = OLD.x");
    }
    try (Connection connection =
            database.watched(
                java.sql.DriverManager.getConnection(database.url + "&useAffectedRows=true"));
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate("UPDATE t SET x = 2")).isZero();
    }
    assertThat(database.events(Event.Gap.class))
        .extracting(Event.Gap::reason)
        .containsExactly(GapReason.SHAPE);
  }

  /** Two sessions that mostly assign what is there, with and without transactions. */
  @ParameterizedTest
  @MethodSource("kinds")
  void differInNothingThatSessionsSee(ServerKind kind) throws SQLException {
    String[] setup = {
      "CREATE TABLE t (id INT PRIMARY KEY, x INT)", "INSERT INTO t VALUES (1, 1), (2, 2)"
    };
    for (int i = 0; i < 12; i++) {
      TestDatabase raw = TestDatabase.at(kind, TestServers.freshDatabase(kind), List.of(setup));
      TestDatabase watched = TestDatabase.of(kind, setup);
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
