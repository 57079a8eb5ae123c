package io.txwatch.dbms.h2;

import io.txwatch.dbms.Sql;
import io.txwatch.dbms.SqlFeature;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The features of an H2 that depend on its version, which are probed.
 *
 * @param missing the parts of SQL that it lacks
 * @param hasStandardCatalog true if the catalog is that of H2 2.0 or later
 * @param updatesInDeltaTables true if an UPDATE in a data change delta table changes its rows
 */
record H2Features(
    Set<SqlFeature> missing, boolean hasStandardCatalog, boolean updatesInDeltaTables) {

  private static final int SYNTAX_ERROR = 42000;
  private static final int SYNTAX_ERROR_WITH_HINT = 42001;
  private static final int COLUMN_NOT_FOUND = 42122;

  /** Statements that are only prepared. */
  private static final Map<SqlFeature, String> PROBES =
      Map.of(
          SqlFeature.NOWAIT,
          "SELECT 1 FOR UPDATE NOWAIT",
          SqlFeature.SKIP_LOCKED,
          "SELECT 1 FOR UPDATE SKIP LOCKED",
          SqlFeature.COMPUTED_COLUMNS,
          "CREATE TABLE {T} (a INT, b INT GENERATED ALWAYS AS (a + 1))");

  /** A column of the catalog since 2.0, which watched connections read. */
  private static final String CATALOG = "SELECT IS_GENERATED FROM INFORMATION_SCHEMA.COLUMNS";

  /** Probes a database. */
  static H2Features of(Connection connection) throws SQLException {
    boolean hasStandardCatalog = canPrepare(connection, CATALOG);
    Set<SqlFeature> missing = EnumSet.noneOf(SqlFeature.class);
    for (Map.Entry<SqlFeature, String> probe : PROBES.entrySet()) {
      if (!canPrepare(connection, probe.getValue().replace("{T}", Sql.uniqueName()))) {
        missing.add(probe.getKey());
      }
    }
    if (!hasStandardCatalog) {
      // The manual of 1.4.200 calls WITH experimental; its views outlive their session.
      missing.add(SqlFeature.COMMON_TABLE_EXPRESSIONS);
      missing.add(SqlFeature.RECURSION);
    }
    return new H2Features(Set.copyOf(missing), hasStandardCatalog, canUpdate(connection));
  }

  private static boolean canPrepare(Connection connection, String sql) {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      return statement.getParameterMetaData() != null;
    } catch (SQLException e) {
      int code = e.getErrorCode();
      return code != SYNTAX_ERROR && code != SYNTAX_ERROR_WITH_HINT && code != COLUMN_NOT_FOUND;
    }
  }

  /** H2 1.4.200 returns the rows of such an UPDATE, and does not change them. */
  private static boolean canUpdate(Connection connection) throws SQLException {
    String table = Sql.uniqueName();
    try {
      Sql.execute(
          connection,
          "CREATE LOCAL TEMPORARY TABLE " + table + " (a INT)",
          "INSERT INTO " + table + " VALUES (1)");
      Sql.column(connection, "SELECT a FROM OLD TABLE (UPDATE " + table + " SET a = 2)");
      return Sql.column(connection, "SELECT a FROM " + table).equals(List.of("2"));
    } finally {
      Sql.execute(connection, "DROP TABLE IF EXISTS " + table);
    }
  }
}
