package io.txwatch.interleave.state;

import io.txwatch.interleave.run.TableConstraints;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the constraints of tables from the catalog. */
final class ForeignAndUniqueKeys {

  private final Connection connection;

  ForeignAndUniqueKeys(Connection connection) {
    this.connection = connection;
  }

  /**
   * The constraints of a table.
   *
   * @param path its catalog, schema and name
   */
  TableConstraints of(String[] path) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    Set<String> columns = new HashSet<>();
    Set<String> checked = new HashSet<>();
    Set<String> changed = new HashSet<>();
    try (ResultSet unique = metaData.getIndexInfo(path[0], path[1], path[2], true, true)) {
      while (unique.next()) {
        addColumn(unique.getString("COLUMN_NAME"), columns);
      }
    }
    try (ResultSet parents = metaData.getImportedKeys(path[0], path[1], path[2])) {
      while (parents.next()) {
        addColumn(parents.getString("FKCOLUMN_NAME"), columns);
        checked.add(table(parents, "PK"));
      }
    }
    try (ResultSet children = metaData.getExportedKeys(path[0], path[1], path[2])) {
      while (children.next()) {
        boolean acts = acts(children, "DELETE_RULE") || acts(children, "UPDATE_RULE");
        (acts ? changed : checked).add(table(children, "FK"));
      }
    }
    return new TableConstraints(columns, checked, changed);
  }

  private static void addColumn(@Nullable String column, Set<String> columns) {
    if (column != null) {
      columns.add(column.toLowerCase(Locale.ROOT));
    }
  }

  /** The name of a key's table, with its schema where that is not the connection's. */
  private String table(ResultSet key, String side) throws SQLException {
    String catalog = key.getString(side + "TABLE_CAT");
    String schema = key.getString(side + "TABLE_SCHEM");
    String table = key.getString(side + "TABLE_NAME");
    return isHome(connection, catalog, schema)
        ? table
        : (schema == null || schema.isEmpty() ? catalog : schema) + "." + table;
  }

  /** True for the schema of the connection; for its catalog, if the DBMS has no schemas. */
  static boolean isHome(Connection connection, @Nullable String catalog, @Nullable String schema)
      throws SQLException {
    return schema == null || schema.isEmpty()
        ? catalog == null || catalog.equals(connection.getCatalog())
        : schema.equals(connection.getSchema());
  }

  /** True if a rule changes rows; RESTRICT and NO ACTION only read them. */
  private static boolean acts(ResultSet key, String rule) throws SQLException {
    int action = key.getInt(rule);
    return action != DatabaseMetaData.importedKeyRestrict
        && action != DatabaseMetaData.importedKeyNoAction;
  }
}
