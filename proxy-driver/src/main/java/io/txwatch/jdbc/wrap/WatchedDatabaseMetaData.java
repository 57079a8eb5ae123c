package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.execution.ExecutionContext;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The description of the database, without what we added to it. */
class WatchedDatabaseMetaData extends PlainDatabaseMetaData {

  WatchedDatabaseMetaData(DatabaseMetaData delegate, ExecutionContext context) {
    super(delegate, context);
  }

  @Override
  public ResultSet getColumns(String catalog, String schema, String table, String column)
      throws SQLException {
    boolean isAll = column == null || column.equals("%");
    return ColumnsResultSet.of(
        delegate.getColumns(catalog, schema, table, column),
        context,
        row -> namesOurColumn(row, ColumnsResultSet.NAME),
        row -> isAll ? null : allColumns(row.getString(1), row.getString(2), row.getString(3)));
  }

  private ResultSet allColumns(@Nullable String catalog, @Nullable String schema, String table)
      throws SQLException {
    String escape = delegate.getSearchStringEscape();
    String pattern = escape.isEmpty() ? table : table.replace(escape, escape + escape);
    for (String special : escape.isEmpty() ? List.<String>of() : List.of("_", "%")) {
      pattern = pattern.replace(special, escape + special);
    }
    return delegate.getColumns(catalog, schema, pattern, null);
  }

  @Override
  public ResultSet getColumnPrivileges(String catalog, String schema, String table, String column)
      throws SQLException {
    return withoutOurs(delegate.getColumnPrivileges(catalog, schema, table, column), "COLUMN_NAME");
  }

  @Override
  public ResultSet getPseudoColumns(String catalog, String schema, String table, String column)
      throws SQLException {
    return withoutOurs(delegate.getPseudoColumns(catalog, schema, table, column), "COLUMN_NAME");
  }

  @Override
  public ResultSet getIndexInfo(
      String catalog, String schema, String table, boolean unique, boolean approximate)
      throws SQLException {
    return withoutOurs(
        delegate.getIndexInfo(catalog, schema, table, unique, approximate), "COLUMN_NAME");
  }

  private ResultSet withoutOurs(ResultSet rows, String nameColumn) throws SQLException {
    int column = rows.findColumn(nameColumn);
    return new FilteredResultSet(rows, context, row -> namesOurColumn(row, column));
  }

  private boolean namesOurColumn(ResultSet row, int column) throws SQLException {
    return ColumnMask.isOurs(row.getString(column))
        && context.state().hasOurColumns(row.getString(1), row.getString(2), row.getString(3));
  }
}
