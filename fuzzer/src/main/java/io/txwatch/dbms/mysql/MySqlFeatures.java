package io.txwatch.dbms.mysql;

import io.txwatch.dbms.Sql;
import io.txwatch.dbms.SqlFeature;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Which parts of SQL a server lacks. Each is probed with a statement on a table of a database that
 * does not exist: a server that parses the statement rejects the name, or the lack of a right.
 */
public final class MySqlFeatures {

  /** A syntax error, an unknown function, and what the version does not support yet. */
  private static final Set<Integer> UNKNOWN = Set.of(1064, 1305, 1235, 1101);

  private static final Map<SqlFeature, String> PROBES =
      new EnumMap<>(
          Map.ofEntries(
              Map.entry(
                  SqlFeature.COMMON_TABLE_EXPRESSIONS, "WITH w AS (SELECT 1) SELECT * FROM w"),
              Map.entry(
                  SqlFeature.RECURSION,
                  "WITH RECURSIVE w(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM w WHERE n < 2)"
                      + " SELECT * FROM w"),
              Map.entry(SqlFeature.WINDOW_FUNCTIONS, "SELECT COUNT(*) OVER () FROM {T}"),
              Map.entry(SqlFeature.SET_OPERATIONS, "SELECT 1 INTERSECT SELECT 1 EXCEPT SELECT 2"),
              Map.entry(
                  SqlFeature.LATERAL,
                  "SELECT a.a FROM {T} a CROSS JOIN LATERAL (SELECT a.a AS b) o"),
              Map.entry(SqlFeature.NOWAIT, "SELECT * FROM {T} FOR UPDATE NOWAIT"),
              Map.entry(SqlFeature.SKIP_LOCKED, "SELECT * FROM {T} FOR UPDATE SKIP LOCKED"),
              Map.entry(SqlFeature.FOR_SHARE, "SELECT * FROM {T} FOR SHARE"),
              Map.entry(
                  SqlFeature.COMPUTED_COLUMNS,
                  "CREATE TABLE {T} (a INT, b INT GENERATED ALWAYS AS (a + 1) VIRTUAL)"),
              Map.entry(
                  SqlFeature.STORED_COLUMNS,
                  "CREATE TABLE {T} (a INT, b INT GENERATED ALWAYS AS (a + 1) STORED)"),
              Map.entry(SqlFeature.JSON, "CREATE TABLE {T} (a JSON)"),
              Map.entry(
                  SqlFeature.COMPUTED_DEFAULTS,
                  "CREATE TABLE {T} (a TEXT DEFAULT (REPEAT('a', 2)))"),
              Map.entry(SqlFeature.INDEXED_EXPRESSIONS, "CREATE TABLE {T} (a INT, KEY ((a + 1)))"),
              Map.entry(SqlFeature.RETURNING_OF_INSERT, "INSERT INTO {T} VALUES (1) RETURNING a"),
              Map.entry(SqlFeature.RETURNING_OF_DELETE, "DELETE FROM {T} RETURNING a"),
              Map.entry(SqlFeature.INVISIBLE_COLUMNS, "CREATE TABLE {T} (a INT, b INT INVISIBLE)"),
              Map.entry(
                  SqlFeature.STATISTICS_OPTIONS,
                  "CREATE TABLE {T} (a INT) STATS_PERSISTENT=1 STATS_AUTO_RECALC=0")));

  private static final String HINT =
      "SELECT /*+ SET_VAR(sql_mode = 'NO_AUTO_VALUE_ON_ZERO') */ @@sql_mode";

  private MySqlFeatures() {}

  /** The features that a server lacks. */
  public static Set<SqlFeature> missing(Connection connection) throws SQLException {
    Set<SqlFeature> missing = EnumSet.noneOf(SqlFeature.class);
    String table = Sql.uniqueName() + ".t";
    try (Statement statement = connection.createStatement()) {
      for (Map.Entry<SqlFeature, String> probe : PROBES.entrySet()) {
        if (isUnknown(statement, probe.getValue().replace("{T}", table))) {
          missing.add(probe.getKey());
        }
      }
      try (ResultSet mode = statement.executeQuery(HINT)) {
        if (!mode.next() || !"NO_AUTO_VALUE_ON_ZERO".equals(mode.getString(1))) {
          missing.add(SqlFeature.SETTING_HINTS); // to an older server it is a comment
        }
      }
    }
    return missing;
  }

  private static boolean isUnknown(Statement statement, String probe) {
    try {
      statement.execute(probe);
      return false;
    } catch (SQLException e) {
      return UNKNOWN.contains(e.getErrorCode());
    }
  }
}
