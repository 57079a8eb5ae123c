package io.txwatch.schedule;

import java.sql.Blob;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a table as JDBC reads them.
 *
 * @param columns the labels of its columns
 * @param rows each with a value for each column
 */
public record StoredRows(List<String> columns, List<List<@Nullable Object>> rows) {

  /** Copies its arguments. */
  public StoredRows {
    columns = List.copyOf(columns);
    rows = List.copyOf(rows);
  }

  /**
   * Reads a table.
   *
   * @param table its name, as statements spell it
   */
  static StoredRows read(Connection session, String table) throws SQLException {
    try (Statement statement = session.createStatement();
        ResultSet result = statement.executeQuery("SELECT * FROM " + table)) {
      List<String> columns = Values.labels(result);
      List<List<@Nullable Object>> rows = new ArrayList<>();
      while (result.next()) {
        @Nullable Object[] row = new Object[columns.size()];
        for (int i = 0; i < row.length; i++) {
          Object value = result.getObject(i + 1);
          row[i] = value instanceof Blob blob ? blob.getBytes(1, (int) blob.length()) : value;
        }
        rows.add(Collections.unmodifiableList(Arrays.asList(row)));
      }
      return new StoredRows(columns, rows);
    }
  }
}
