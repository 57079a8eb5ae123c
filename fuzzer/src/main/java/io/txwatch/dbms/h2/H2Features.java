package io.txwatch.dbms.h2;

import io.txwatch.dbms.Sql;
import io.txwatch.dbms.SqlFeature;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Which parts of SQL an H2 lacks: each is probed with a statement that is only prepared. */
final class H2Features {

  /** Syntax errors. */
  private static final Set<Integer> UNKNOWN = Set.of(42000, 42001);

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

  private H2Features() {}

  /** True if the catalog is that of H2 2.0 or later. */
  static boolean hasStandardCatalog(Connection connection) {
    try (PreparedStatement statement = connection.prepareStatement(CATALOG)) {
      return statement.getMetaData() != null;
    } catch (SQLException e) {
      return false;
    }
  }

  /** The features that the DBMS lacks. */
  static Set<SqlFeature> missing(Connection connection) {
    Set<SqlFeature> missing = EnumSet.noneOf(SqlFeature.class);
    for (Map.Entry<SqlFeature, String> probe : PROBES.entrySet()) {
      String sql = probe.getValue().replace("{T}", Sql.uniqueName());
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.getParameterMetaData();
      } catch (SQLException e) {
        if (UNKNOWN.contains(e.getErrorCode())) {
          missing.add(probe.getKey());
        }
      }
    }
    return missing;
  }
}
