package io.txwatch.product.other;

import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/** Which tables have triggers, of which JDBC's metadata state nothing. */
public final class TableTriggers {

  private static final String STANDARD =
      "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TRIGGERS"
          + " WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ?";
  private static final String DERBY =
      "SELECT COUNT(*) FROM SYS.SYSTRIGGERS g JOIN SYS.SYSTABLES t ON t.TABLEID = g.TABLEID"
          + " JOIN SYS.SYSSCHEMAS s ON s.SCHEMAID = t.SCHEMAID"
          + " WHERE s.SCHEMANAME = ? AND t.TABLENAME = ?";
  private static final String ORACLE =
      "SELECT COUNT(*) FROM ALL_TRIGGERS WHERE TABLE_OWNER = ? AND TABLE_NAME = ?";
  private static final String SQL_SERVER =
      "SELECT COUNT(*) FROM sys.triggers g JOIN sys.objects t ON t.object_id = g.parent_id"
          + " JOIN sys.schemas s ON s.schema_id = t.schema_id WHERE s.name = ? AND t.name = ?";
  private static final String DB2 =
      "SELECT COUNT(*) FROM SYSCAT.TRIGGERS WHERE TABSCHEMA = ? AND TABNAME = ?";

  private TableTriggers() {}

  /** False if a table surely has none. */
  static boolean mayBeOn(DatabaseMetaData metaData, String schema, String table)
      throws SQLException {
    String product = String.valueOf(metaData.getDatabaseProductName()).toLowerCase(Locale.ROOT);
    if (product.equals("duckdb")) {
      return false; // it has no triggers
    }
    String sql =
        switch (product) {
          case "apache derby" -> DERBY;
          case "oracle" -> ORACLE;
          case "microsoft sql server" -> SQL_SERVER;
          default -> product.startsWith("db2") ? DB2 : STANDARD;
        };
    try (PreparedStatement query = metaData.getConnection().prepareStatement(sql)) {
      query.setString(1, schema);
      query.setString(2, table);
      try (ResultSet row = query.executeQuery()) {
        return !row.next() || row.getLong(1) != 0;
      }
    } catch (SQLException e) {
      return true; // there is no such table of triggers, or no right to read it
    }
  }
}
