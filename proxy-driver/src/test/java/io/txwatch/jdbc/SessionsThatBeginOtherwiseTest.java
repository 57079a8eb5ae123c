package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A session that begins otherwise than an earlier one of the same URL: the server's own settings
 * have been changed since ({@code SET GLOBAL sql_mode}, {@code ALTER SYSTEM}).
 */
class SessionsThatBeginOtherwiseTest {

  private static final String TABLE =
      "CREATE TABLE r (id INT PRIMARY KEY, k SMALLINT, s VARCHAR(40))";

  private static final String ROW = "INSERT INTO r VALUES (1, 32767, 'a')";

  static Stream<ServerKind> mysql() {
    return UnchangedRowsTest.kinds();
  }

  static Stream<ServerKind> servers() {
    return Stream.concat(Stream.of(ServerKind.POSTGRESQL), mysql());
  }

  /** Where values are made to fit, what is added may change nothing. */
  @ParameterizedTest
  @MethodSource("mysql")
  void sessionsThatConvertValuesCompareNone(ServerKind kind) throws SQLException {
    String options =
        "&useAffectedRows=true&sessionVariables=sql_mode=''"
            + (kind == ServerKind.MYSQL ? "&jdbcCompliantTruncation=false" : "");
    TestDatabase watched = TestDatabase.of(kind, TABLE, ROW);
    try (Connection earlier = watched.watched();
        Statement first = earlier.createStatement();
        Connection later = watched.watched(DriverManager.getConnection(watched.url + options));
        PreparedStatement add = later.prepareStatement("UPDATE r SET k = k + ?")) {
      assertThat(first.executeUpdate("UPDATE r SET s = 'b' WHERE id = 1")).isEqualTo(1);
      List<String> before = rows(watched);
      add.setInt(1, 1);
      assertThat(add.executeUpdate()).as("32767 is the most").isEqualTo(0);
      assertThat(rows(watched)).isEqualTo(before);
    }
  }

  /** Backslashes and quotes are what the session says that they are. */
  @ParameterizedTest
  @MethodSource("servers")
  void plansAreNotSharedBetweenSqlModes(ServerKind kind) throws SQLException {
    boolean postgres = kind == ServerKind.POSTGRESQL;
    String options =
        postgres
            ? "&options=-c%20standard_conforming_strings=off"
            : "&sessionVariables=sql_mode='NO_BACKSLASH_ESCAPES'";
    List<String> texts =
        List.of(
            postgres
                ? "UPDATE r SET s = 'it\\'s, k = 7 --' WHERE id = 1"
                : "UPDATE r SET s = 'it\\', k = 7 WHERE id = 1 -- '",
            "UPDATE r SET k = 8 WHERE s = 'nobody'");
    TestDatabase raw = TestDatabase.at(kind, TestServers.freshDatabase(kind), List.of(TABLE, ROW));
    TestDatabase watched = TestDatabase.of(kind, TABLE, ROW);
    try (Connection earlier = watched.watched();
        Connection plain = DriverManager.getConnection(raw.url + options);
        Connection later = watched.watched(DriverManager.getConnection(watched.url + options));
        Statement first = earlier.createStatement();
        Statement one = plain.createStatement();
        Statement other = later.createStatement()) {
      first.executeUpdate("UPDATE r SET k = 1 WHERE id = 2");
      for (String text : texts) {
        assertThat(other.executeUpdate(text)).as(text).isEqualTo(one.executeUpdate(text));
      }
      assertThat(shown(watched)).isEqualTo(shown(raw));
    }
    assertThat(watched.events(Event.Gap.class))
        .as("nothing of such a session is rewritten")
        .extracting(Event.Gap::reason)
        .hasSameSizeAs(texts)
        .containsOnly(GapReason.NOT_UNDERSTOOD);
  }

  private static List<String> shown(TestDatabase database) throws SQLException {
    return rows(database, "SELECT id, k, s FROM r");
  }

  private static List<String> rows(TestDatabase database) throws SQLException {
    return rows(database, "SELECT id, k, s, txw_wl FROM r");
  }

  private static List<String> rows(TestDatabase database, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = database.raw();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          row.append(result.getString(i)).append('|');
        }
        rows.add(row.toString());
      }
    }
    return rows;
  }
}
