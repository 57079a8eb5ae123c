package io.txwatch.oracle.troc;

import io.txwatch.schedule.Values;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a statement.
 *
 * @param count its update count; -1 for a query
 * @param columns the labels of a query's columns
 * @param rows a query's rows, with values as the driver returns them
 */
record StatementResult(long count, List<String> columns, List<List<@Nullable Object>> rows) {

  /** Reads the current result of a statement to its end. */
  static StatementResult of(Statement statement, boolean isQuery) throws SQLException {
    if (!isQuery) {
      return new StatementResult(statement.getUpdateCount(), List.of(), List.of());
    }
    try (ResultSet result = statement.getResultSet()) {
      ResultSetMetaData metaData = result.getMetaData();
      List<String> columns = new ArrayList<>();
      for (int i = 1; i <= metaData.getColumnCount(); i++) {
        columns.add(metaData.getColumnLabel(i));
      }
      List<List<@Nullable Object>> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(AugmentedTables.row(result, 1, columns.size()));
      }
      return new StatementResult(-1, columns, rows);
    }
  }

  /** A query's rows without the added columns, with values as cases compare them. */
  List<List<@Nullable Object>> visible() throws SQLException {
    List<List<@Nullable Object>> visible = new ArrayList<>();
    for (List<@Nullable Object> row : rows) {
      List<@Nullable Object> kept = new ArrayList<>();
      for (int i = 0; i < row.size(); i++) {
        if (row.size() == 1 || !AugmentedTables.isAdded(columns.get(i))) {
          kept.add(Values.value(row.get(i)));
        }
      }
      visible.add(kept);
    }
    return visible;
  }
}
