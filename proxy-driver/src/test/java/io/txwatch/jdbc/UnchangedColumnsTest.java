package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Made-up UPDATEs of several columns at once, on MySQL and MariaDB, to twin databases: what the
 * application sees is the same, and a row names its writer exactly if the DBMS counts it as
 * changed.
 */
class UnchangedColumnsTest {

  private static final int STATEMENTS = 150;
  private static final long SEED = 20261121;

  /** A column, its type, and values that are nearly the same. */
  private static final String[][] COLUMNS = {
    {"i", "int", "1", "'1'", "1.2", "i", "i + 1", "i - 0", "-2147483648", "null"},
    {"u", "bigint unsigned", "1", "18446744073709551615", "u"},
    {"k", "tinyint(1)", "-128", "127", "true", "k"},
    {"o", "int(9) zerofill", "1", "2", "o + 0"},
    {"d", "decimal(8,3)", "1.5", "1.500", "1.5004", "-0.0", "0", "d + 0.0001", "d - 1"},
    {"p", "decimal(65,30)", "-0.1", "-12345678901234567890123456789012345.5", "p"},
    {"f", "float", "0.1", "0.10000000149", "0.10000002", "16777217", "-0e0", "0"},
    {"g", "double", "0.1", "0.10000000000000002", "-2.2250738585072014e-308", "-0e0", "0"},
    {"s", "varchar(10)", "'a'", "'A'", "'a '", "'ä'", "'ae'", "''", "'-'", "null", "concat(s)"},
    {"v", "varchar(30) character set latin1", "'a'", "'A'", "'ä'", "repeat('ä', 30)", "null"},
    {"l", "varchar(200)", "'a'", "'A'", "repeat('x', 200)", "null"},
    {"c", "char(3)", "'a'", "'A'", "'a '", "''"},
    {"n", "binary(2)", "'a'", "x'6100'", "'A'"},
    {"x", "text", "'a'", "'A'", "repeat('x', 60000)", "null"},
    {"y", "date", "'2020-01-01'", "'2020-01-02'", "null"},
    {"z", "datetime(6)", "'2020-01-01'", "'2020-01-01 00:00:00.000001'", "null"},
    {"w", "timestamp(3) null", "'2020-01-01'", "'2020-01-01 00:00:00.001'", "null"},
    {"t", "time(6)", "'-838:59:59'", "'10:00:00'", "'10:00:00.000001'"},
    {"j", "year", "2020", "2021"},
    {"e", "enum('a','b')", "'a'", "'A'", "'b'", "1"},
    {"m", "set('a','b')", "'a'", "'b,a'", "3", "''"},
    {"b", "bit(9)", "b'1'", "b'100000000'", "1"},
  };

  private static final String TABLE =
      "CREATE TABLE r (id INT PRIMARY KEY, "
          + Stream.of(COLUMNS).map(c -> c[0] + " " + c[1]).collect(Collectors.joining(", "))
          + ", at DATETIME(6) DEFAULT '2000-01-01' ON UPDATE CURRENT_TIMESTAMP(6))";

  private static final String CONTENTS =
      "SELECT at > '2001-01-01', "
          + Stream.of(COLUMNS).map(c -> "hex(" + c[0] + ")").collect(Collectors.joining(", "))
          + " FROM r";

  /** As the column was made when there was room for a digest only. */
  private static final String AS_FORMERLY =
      "ALTER TABLE r MODIFY txw_wl VARCHAR(140) CHARACTER SET ascii COLLATE ascii_bin"
          + " NOT NULL DEFAULT '' INVISIBLE COMMENT 'txwatch: newest writers'";

  static Stream<Arguments> sessions() {
    return UnchangedRowsTest.kinds()
        .flatMap(
            kind ->
                Stream.of(
                        "SET character_set_connection = utf8mb4",
                        "SET collation_connection = utf8mb4_bin",
                        "SET character_set_connection = latin1",
                        "SET character_set_connection = utf16")
                    .flatMap(
                        session ->
                            Stream.of(false, true)
                                .map(formerly -> Arguments.of(kind, session, formerly))));
  }

  @ParameterizedTest
  @MethodSource("sessions")
  void nameTheirWriterIfTheyChanged(ServerKind kind, String session, boolean formerly)
      throws SQLException {
    String insert =
        "INSERT INTO r (id, "
            + Stream.of(COLUMNS).map(c -> c[0]).collect(Collectors.joining(", "))
            + ") VALUES (1, "
            + Stream.of(COLUMNS).map(c -> c[2]).collect(Collectors.joining(", "))
            + ")";
    TestDatabase raw =
        TestDatabase.at(kind, TestServers.freshDatabase(kind), List.of(TABLE, insert));
    TestDatabase watched = TestDatabase.of(kind, TABLE, insert);
    if (formerly) {
      try (Connection connection = watched.raw()) {
        TestDatabase.execute(connection, AS_FORMERLY);
      }
    }
    String option = "&useAffectedRows=true";
    try (Connection plain = DriverManager.getConnection(raw.url + option);
        Connection connection = watched.watched(DriverManager.getConnection(watched.url + option));
        Connection beside = watched.raw();
        Statement one = plain.createStatement();
        Statement other = connection.createStatement()) {
      one.execute(session);
      other.execute(session);
      Random random = new Random(SEED);
      String writers = "";
      for (int i = 0; i < STATEMENTS; i++) {
        String sql = statement(random);
        List<String> expected = outcome(one, sql);
        assertThat(outcome(other, sql)).describedAs(sql).isEqualTo(expected);
        String now = writers(beside);
        boolean changed = !expected.get(0).equals("0") && !expected.get(0).startsWith("error");
        assertThat(!now.equals(writers)).describedAs(sql).isEqualTo(changed);
        writers = now;
      }
    }
    assertThat(watched.events(Event.Gap.class)).isEmpty();
  }

  /** An UPDATE of one to six columns, some of them twice; or the branch of an upsert. */
  private static String statement(Random random) {
    String assignments =
        IntStream.rangeClosed(0, random.nextInt(random.nextBoolean() ? 2 : 6))
            .mapToObj(i -> COLUMNS[random.nextInt(COLUMNS.length)])
            .map(c -> c[0] + " = " + c[2 + random.nextInt(c.length - 2)])
            .collect(Collectors.joining(", "));
    return random.nextInt(4) == 0
        ? "INSERT INTO r (id) VALUES (1) ON DUPLICATE KEY UPDATE " + assignments
        : "UPDATE r SET " + assignments;
  }

  /** The count, or the error; the warnings; what stands in the table. */
  private static List<String> outcome(Statement statement, String sql) throws SQLException {
    List<String> seen = new ArrayList<>();
    try {
      seen.add(Integer.toString(statement.executeUpdate(sql)));
      for (SQLWarning w = statement.getWarnings(); w != null; w = w.getNextWarning()) {
        seen.add("warning " + w.getErrorCode() + " " + w.getMessage());
      }
    } catch (SQLException e) {
      seen.add("error " + e.getErrorCode() + " " + e.getSQLState());
    }
    try (ResultSet row = statement.executeQuery(CONTENTS)) {
      row.next();
      for (int i = 1; i <= COLUMNS.length + 1; i++) {
        seen.add(String.valueOf(row.getString(i)));
      }
    }
    return seen;
  }

  private static String writers(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT txw_wl FROM r")) {
      row.next();
      return row.getString(1);
    }
  }
}
