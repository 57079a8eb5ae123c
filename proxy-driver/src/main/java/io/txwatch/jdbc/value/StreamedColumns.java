package io.txwatch.jdbc.value;

import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Locale;

/**
 * Whether a result may have a value that the driver does not keep until it is read, or that is not
 * a plain value. In doubt it has one.
 */
public final class StreamedColumns {

  private StreamedColumns() {}

  /** True if a column is not surely one of plain values. */
  public static boolean mayBeIn(ResultSetMetaData columns) throws SQLException {
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      if (!isPlain(columns, i)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isPlain(ResultSetMetaData columns, int index) throws SQLException {
    String name = columns.getColumnTypeName(index);
    if (name != null && name.toUpperCase(Locale.ROOT).startsWith("LONG")) {
      return false; // LONG VARCHAR and LONG RAW, whatever the driver takes them for
    }
    return switch (columns.getColumnType(index)) {
      case Types.BIT,
          Types.BOOLEAN,
          Types.TINYINT,
          Types.SMALLINT,
          Types.INTEGER,
          Types.BIGINT,
          Types.REAL,
          Types.FLOAT,
          Types.DOUBLE,
          Types.DECIMAL,
          Types.NUMERIC,
          Types.DATE,
          Types.TIME,
          Types.TIME_WITH_TIMEZONE,
          Types.TIMESTAMP,
          Types.TIMESTAMP_WITH_TIMEZONE,
          Types.ROWID ->
          true;
      case Types.CHAR, Types.NCHAR, Types.VARCHAR, Types.NVARCHAR, Types.BINARY, Types.VARBINARY ->
          ColumnReader.isShort(ResultColumns.described(columns), index);
      default -> false;
    };
  }
}
