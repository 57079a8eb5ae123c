package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.List;
import java.util.Random;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Made-up prepared UPDATEs on MySQL and MariaDB, executed and in batches, with values of fitting
 * and of other kinds, to twin databases: what the application sees is the same, and a row names a
 * writer more exactly if the DBMS takes it for changed.
 */
class UnchangedParametersTest {

  private static final int STATEMENTS = 40;
  private static final int EXECUTIONS = 5;
  private static final long SEED = 20261122;
  private static final String BATCHES = "&rewriteBatchedStatements=true";

  private static final String TABLE =
      "CREATE TABLE r (id INT PRIMARY KEY, i INT, k TINYINT, g BIGINT, u INT UNSIGNED,"
          + " d DECIMAL(8,3), p DECIMAL(20,4), s VARCHAR(10), o VARCHAR(10) CHARACTER SET utf16,"
          + " l VARCHAR(8) CHARACTER SET latin1, c CHAR(3), `key` VARCHAR(10) NOT NULL, f DOUBLE,"
          + " i2 INT NOT NULL, g2 BIGINT NOT NULL, d2 DECIMAL(8,3) NOT NULL,"
          + " m DATETIME, m3 DATETIME(3) NOT NULL, m6 DATETIME(6), w TIMESTAMP NULL,"
          + " w6 TIMESTAMP(6) NOT NULL DEFAULT '2020-01-01', y DATE, y2 DATE NOT NULL,"
          + " at DATETIME(6) DEFAULT '2000-01-01' ON UPDATE CURRENT_TIMESTAMP(6))";

  private static final String ROW =
      "INSERT INTO r (id, i, k, g, u, d, p, s, o, l, c, `key`, f, i2, g2, d2, m3, y2)"
          + " VALUES (1, 1, 1, 1, 1, 1.5, 1.5, 'a', 'a', 'a', 'a', 'a', 1, 1, 1, 1.5,"
          + " '2020-01-01', '2020-01-01')";

  private static final String CONTENTS =
      "i, k, g, u, d, p, hex(s), hex(o), hex(l), hex(c), hex(`key`), f, i2, g2, d2,"
          + " m, m3, m6, w, least(w6, timestamp'2026-01-01 00:00:00'), y, y2";

  /** Ways to assign each column. */
  private static final List<List<String>> ASSIGNMENTS =
      List.of(
          List.of("i = ?", "i = i + ?", "i = i - ?", "i = i + 1", "i = 1"),
          List.of("k = ?", "k = k + ?", "r.k = r.k - ?", "k = null"),
          List.of("g = ?", "g = g + ?", "g = g - 1", "g = g + 0"),
          List.of("u = ?", "u = u + ?", "u = 1"),
          List.of("d = ?", "d = d + ?", "d = d - ?", "d = 1", "d = d + 0.0004"),
          List.of("p = ?", "p = p + ?"),
          List.of("s = ?", "s = concat(s, ?)", "s = 'a'"),
          List.of("o = ?"),
          List.of("l = ?"),
          List.of("c = ?"),
          List.of("r.key = ?", "`key` = ?"),
          List.of("f = ?", "f = f + ?"),
          List.of("i2 = i2 + 1", "i2 = i2 - ?", "i2 = ?"),
          List.of("g2 = g2 + ?", "g2 = g2 - 1", "g2 = ?"),
          List.of("d2 = d2 + ?", "r.d2 = r.d2 - 2", "d2 = d2 + 0"),
          List.of("m = ?", "m = m + interval 1 second"),
          List.of("m3 = ?", "r.m3 = ?"),
          List.of("m6 = ?", "m6 = null"),
          List.of("w = ?", "w = from_unixtime(1577836800)"),
          List.of("w6 = ?"),
          List.of("y = ?", "y = '2020-01-01'"),
          List.of("y2 = ?"));

  private static final List<Object> NUMBERS =
      Arrays.asList(
          0,
          1,
          1,
          -1,
          127,
          1L,
          3_000_000_000L,
          (short) 1,
          1.0,
          1.2,
          0.0004,
          0.0005,
          0.001,
          -0.0,
          1.5f,
          "1",
          "1.2",
          true,
          new BigDecimal("1.5"),
          new BigDecimal("1.500"),
          new BigDecimal("1.5004"),
          new BigDecimal("0.0005"),
          new BigDecimal("-0.001"),
          new BigDecimal("1E+2"),
          null);

  private static final List<Object> TEXTS =
      Arrays.asList("a", "a", "A", "a ", "ä", "a'b", "a\\b", "a\tb", "", "123456789012", null);

  private static final List<Object> TIMES =
      Arrays.asList(
          Timestamp.valueOf("2020-01-01 00:00:00"),
          Timestamp.valueOf("2020-01-01 00:00:00"),
          Timestamp.valueOf("2020-01-01 00:00:00.4"),
          Timestamp.valueOf("2020-01-01 00:00:00.5"),
          Timestamp.valueOf("2020-01-01 00:00:00.0004"),
          Timestamp.valueOf("2020-01-01 00:00:00.0005"),
          Timestamp.valueOf("2020-01-01 00:00:00.000001"),
          Timestamp.valueOf("2020-01-01 00:00:00.0000006"),
          Timestamp.valueOf("2019-12-31 23:59:59.999999"),
          Timestamp.valueOf("1969-12-31 12:00:00"),
          Timestamp.valueOf("1970-01-01 00:00:00"),
          Timestamp.valueOf("2038-01-19 03:14:07"),
          Timestamp.valueOf("2038-01-20 00:00:00"),
          LocalDateTime.of(2020, 1, 1, 0, 0),
          LocalDateTime.of(2020, 1, 1, 0, 0, 0, 500_000_000),
          LocalDateTime.of(2020, 1, 1, 0, 0, 0, 1_000),
          OffsetDateTime.of(2020, 1, 1, 0, 0, 0, 0, ZoneOffset.ofHours(1)),
          new java.util.Date(1_577_836_800_000L),
          Date.valueOf("2020-01-01"),
          Date.valueOf("2020-01-02"),
          LocalDate.of(2020, 1, 1),
          LocalDate.of(1, 1, 1),
          "2020-01-01",
          "2020-01-01 00:00:00.5",
          "0000-00-00",
          20_200_101,
          null);

  /** The times, each after the next of them, after the one before and after the second before. */
  private static final List<Object> NEIGHBOURS = neighbours();

  private static List<Object> neighbours() {
    List<Object> all = new ArrayList<>(TIMES);
    for (int i = 0; i < TIMES.size(); i++) {
      all.add(TIMES.get(i));
      all.add(TIMES.get((i + 2) % TIMES.size()));
    }
    return all;
  }

  private interface Work {
    List<Object> run(PreparedStatement statement) throws SQLException;
  }

  static Stream<Arguments> sessions() {
    return UnchangedRowsTest.kinds()
        .flatMap(
            kind ->
                Stream.of(
                    Arguments.of(kind, "", "SELECT 1"),
                    Arguments.of(kind, "", "SET SESSION sql_mode = ''"),
                    Arguments.of(kind, "", "SET character_set_connection = utf16"),
                    Arguments.of(kind, fractions(kind), "SELECT 1"),
                    Arguments.of(kind, "", "SET time_zone = '+05:30'"),
                    Arguments.of(kind, "&useServerPrepStmts=true", "SELECT 1"),
                    Arguments.of(kind, BATCHES, "SELECT 1")));
  }

  /** A session that does with fractions of seconds what others do not: it is strict as well. */
  private static String fractions(ServerKind kind) {
    String mode = kind == ServerKind.MYSQL ? "TIME_TRUNCATE_FRACTIONAL" : "TIME_ROUND_FRACTIONAL";
    return "&sessionVariables=sql_mode='STRICT_TRANS_TABLES," + mode + "'";
  }

  /** A row as a session beside the application's sees it, and as it was seen last. */
  private static final class Row {
    private final Connection beside;
    private final String query;
    private List<String> last;

    /** With {@code first}, a column that changes with each write of the row. */
    Row(Connection beside, String first) throws SQLException {
      this.beside = beside;
      query = "SELECT " + first + ", at, " + CONTENTS + " FROM r";
      last = List.of();
      change();
    }

    /** Whether the first column is another one than the last time, whether `at` is, the values. */
    List<Object> change() throws SQLException {
      List<String> now = new ArrayList<>();
      try (Statement statement = beside.createStatement();
          ResultSet row = statement.executeQuery(query)) {
        row.next();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
          now.add(String.valueOf(row.getString(i)));
        }
      }
      List<Object> change =
          last.isEmpty()
              ? List.of()
              : List.of(
                  !now.get(0).equals(last.get(0)),
                  !now.get(1).equals(last.get(1)),
                  now.subList(2, now.size()));
      last = now;
      return change;
    }
  }

  /** The same row raw and watched, each with a session of the application's and one beside it. */
  private record Rows(
      TestDatabase watched,
      Connection plain,
      Connection connection,
      Connection inRaw,
      Connection inWatched,
      Row raw,
      Row seen)
      implements AutoCloseable {

    static Rows of(ServerKind kind, String option, String session) throws SQLException {
      TestDatabase raw =
          TestDatabase.at(kind, TestServers.freshDatabase(kind), List.of(TABLE, ROW));
      TestDatabase watched = TestDatabase.of(kind, TABLE, ROW);
      String options = "&useAffectedRows=true" + option;
      Connection plain = DriverManager.getConnection(raw.url + options);
      Connection connection = watched.watched(DriverManager.getConnection(watched.url + options));
      Connection inRaw = raw.raw();
      Connection inWatched = watched.raw();
      TestDatabase.execute(plain, session);
      TestDatabase.execute(connection, session);
      return new Rows(
          watched,
          plain,
          connection,
          inRaw,
          inWatched,
          new Row(inRaw, "at"),
          new Row(inWatched, "txw_wl"));
    }

    /** Counts or the error, warnings, whether `at` changed and the values are as raw. */
    void nameTheirWriterIfTheyChange(
        PreparedStatement one, PreparedStatement other, Work work, String what)
        throws SQLException {
      List<Object> expected = outcome(one, work);
      List<Object> inRaw = raw.change();
      List<Object> outcome = outcome(other, work);
      List<Object> inWatched = seen.change();
      assertThat(outcome).describedAs(what).isEqualTo(expected);
      assertThat(inWatched.subList(1, 3)).describedAs(what).isEqualTo(inRaw.subList(1, 3));
      assertThat(inWatched.get(0)).describedAs(what).isEqualTo(inRaw.get(0));
    }

    @Override
    public void close() throws SQLException {
      for (Connection each : List.of(plain, connection, inRaw, inWatched)) {
        each.close();
      }
      assertThat(watched.events(Event.Gap.class)).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("sessions")
  void nameTheirWriterIfTheyChangeTheRow(ServerKind kind, String option, String session)
      throws SQLException {
    try (Rows rows = Rows.of(kind, option, session)) {
      Random random = new Random(SEED);
      for (int i = 0; i < STATEMENTS; i++) {
        String sql = statement(random);
        try (PreparedStatement one = rows.plain.prepareStatement(sql);
            PreparedStatement other = rows.connection.prepareStatement(sql)) {
          for (int k = 0; k < EXECUTIONS; k++) {
            List<Object> values = values(sql, random);
            Work work =
                random.nextBoolean() ? execution(values) : batch(sql, random.nextInt(), values);
            rows.nameTheirWriterIfTheyChange(one, other, work, sql + " " + values);
          }
        }
      }
    }
  }

  /** Those whose executions, not in batches, differ. */
  static Stream<Arguments> sessionsOfSingleExecutions() {
    return sessions().filter(session -> !session.get()[1].equals(BATCHES));
  }

  /** Each after each of those near to it, in columns of every kind. */
  @ParameterizedTest
  @MethodSource("sessionsOfSingleExecutions")
  void timesAreComparedAsTheyAreStored(ServerKind kind, String option, String session)
      throws SQLException {
    try (Rows rows = Rows.of(kind, option, session)) {
      for (String column : List.of("m", "m3", "m6", "w", "w6", "y", "y2")) {
        String sql = "UPDATE r SET " + column + " = ? WHERE id = ?";
        try (PreparedStatement one = rows.plain.prepareStatement(sql);
            PreparedStatement other = rows.connection.prepareStatement(sql)) {
          for (Object time : NEIGHBOURS) {
            Work work = execution(Arrays.asList(time, 1));
            rows.nameTheirWriterIfTheyChange(one, other, work, sql + " " + time);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.jdbc.UnchangedRowsTest#kinds")
  void areNotComparedOnceTheSessionMakesValuesFit(ServerKind kind) throws SQLException {
    TestDatabase watched = TestDatabase.of(kind, TABLE, ROW);
    try (Connection beside = watched.raw();
        Connection connection =
            watched.watched(DriverManager.getConnection(watched.url + "&useAffectedRows=true"));
        PreparedStatement add = connection.prepareStatement("UPDATE r SET k = k + ?")) {
      add.setInt(1, 126);
      assertThat(add.executeUpdate()).isEqualTo(1);
      String before = writers(beside);
      TestDatabase.execute(connection, "SET SESSION sql_mode = ''");
      add.setInt(1, 1);
      assertThat(add.executeUpdate()).describedAs("127 is the most").isEqualTo(0);
      assertThat(writers(beside)).isEqualTo(before);
    }
  }

  /** One to four assignments, at times two of the same column. */
  private static String statement(Random random) {
    List<String> assignments = new ArrayList<>();
    for (int i = random.nextInt(4); i >= 0; i--) {
      List<String> ways = ASSIGNMENTS.get(random.nextInt(ASSIGNMENTS.size()));
      assignments.add(ways.get(random.nextInt(ways.size())));
    }
    String ignore = random.nextInt(8) == 0 ? "IGNORE " : "";
    return "UPDATE " + ignore + "r SET " + String.join(", ", assignments) + " WHERE id = ?";
  }

  /** A value for each parameter. */
  private static List<Object> values(String sql, Random random) {
    List<Object> values = new ArrayList<>();
    for (int at = sql.indexOf('?'); at >= 0; at = sql.indexOf('?', at + 1)) {
      String before = sql.substring(0, at);
      String assignment =
          before.substring(Math.max(before.lastIndexOf(','), before.indexOf("SET")));
      boolean text = assignment.matches("(?s).*\\b(s|o|l|c|key)\\b.*");
      boolean time = assignment.matches("(?s).*\\b(m|m3|m6|w|w6|y|y2)\\b.*");
      List<Object> from = time ? TIMES : text ? TEXTS : NUMBERS;
      values.add(before.endsWith("id = ") ? 1 : from.get(random.nextInt(from.size())));
    }
    return values;
  }

  private static Work execution(List<Object> values) {
    return statement -> {
      set(statement, values);
      return List.of(statement.executeUpdate());
    };
  }

  private static Work batch(String sql, int seed, List<Object> first) {
    return statement -> {
      Random random = new Random(seed);
      statement.clearBatch();
      set(statement, first);
      statement.addBatch();
      for (int i = random.nextInt(3); i > 0; i--) {
        set(statement, values(sql, random));
        statement.addBatch();
      }
      return new ArrayList<>(Arrays.stream(statement.executeBatch()).boxed().toList());
    };
  }

  private static void set(PreparedStatement statement, List<Object> values) throws SQLException {
    for (int i = 0; i < values.size(); i++) {
      Object value = values.get(i);
      if (value instanceof Integer number) {
        statement.setInt(i + 1, number);
      } else if (value instanceof Long number) {
        statement.setLong(i + 1, number);
      } else if (value instanceof Double number) {
        statement.setDouble(i + 1, number);
      } else if (value instanceof Boolean flag) {
        statement.setBoolean(i + 1, flag);
      } else if (value instanceof String text) {
        statement.setString(i + 1, text);
      } else if (value instanceof Timestamp time && time.getNanos() % 2 == 0) {
        statement.setTimestamp(i + 1, time);
      } else if (value instanceof Timestamp time) {
        statement.setTimestamp(i + 1, time, Calendar.getInstance(TimeZone.getTimeZone("GMT-3")));
      } else if (value instanceof Date day) {
        statement.setDate(i + 1, day);
      } else if (value == null) {
        statement.setNull(i + 1, Types.VARCHAR);
      } else {
        statement.setObject(i + 1, value);
      }
    }
  }

  /** Counts or the error; the warnings. */
  private static List<Object> outcome(PreparedStatement statement, Work work) throws SQLException {
    List<Object> seen = new ArrayList<>();
    try {
      seen.addAll(work.run(statement));
      for (SQLWarning w = statement.getWarnings(); w != null; w = w.getNextWarning()) {
        seen.add("warning " + w.getErrorCode() + " " + w.getMessage());
      }
    } catch (SQLException e) {
      statement.clearBatch();
      seen.add("error " + e.getErrorCode() + " " + e.getSQLState());
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
