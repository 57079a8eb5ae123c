package io.txwatch.changes.binlog;

import io.txwatch.changes.ChangedTable;
import io.txwatch.changes.ColumnType;
import java.nio.charset.Charset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table as the catalog describes it.
 *
 * @param table what is passed on of it
 * @param columns parallel to the table's columns: how their values are decoded
 * @param hidden how many columns of functional keys the table has, which may follow in the log;
 *     MySQL 9.7 does not log them
 */
record TableDescription(ChangedTable table, List<Stored> columns, int hidden) {

  /**
   * How a column is stored.
   *
   * @param dataType the name of its type in {@code information_schema}
   * @param charset of a text; null if it is not text, or Java does not have the character set
   * @param labels of an ENUM or SET
   */
  record Stored(
      ColumnType type,
      String dataType,
      boolean isUnsigned,
      @Nullable Charset charset,
      List<String> labels) {}

  /** The reason why this is not the table of the log, or an empty text. */
  String mismatch(TableMap map) {
    int known = columns.size();
    int logged = map.types.length;
    if (logged != known && logged != known + hidden) {
      String ofKeys = hidden == 0 ? "" : ", and " + hidden + " of functional keys";
      return logged + " columns in the log, " + known + " in the catalog" + ofKeys;
    }
    for (int i = 0; i < known; i++) {
      String name = table.columns().get(i).name();
      if (!fits(map.types[i], columns.get(i).dataType())) {
        return "column " + name + " has another type in the log";
      }
      if (i < map.names.size() && !map.names.get(i).equalsIgnoreCase(name)) {
        return "column " + name + " is called " + map.names.get(i) + " in the log";
      }
    }
    return "";
  }

  private static boolean fits(int type, String dataType) {
    return switch (dataType) {
      case "tinyint" -> type == TableMap.TINY;
      case "smallint" -> type == TableMap.SHORT;
      case "mediumint" -> type == TableMap.INT24;
      case "int" -> type == TableMap.LONG;
      case "bigint" -> type == TableMap.LONGLONG;
      case "float" -> type == TableMap.FLOAT;
      case "double" -> type == TableMap.DOUBLE;
      case "decimal" -> type == TableMap.NEWDECIMAL;
      case "year" -> type == TableMap.YEAR;
      case "date" -> type == TableMap.DATE;
      case "time" -> type == TableMap.TIME2 || type == TableMap.TIME;
      case "datetime" -> type == TableMap.DATETIME2 || type == TableMap.DATETIME;
      case "timestamp" -> type == TableMap.TIMESTAMP2 || type == TableMap.TIMESTAMP;
      case "char", "binary" -> type == TableMap.STRING;
      case "varchar", "varbinary" ->
          type == TableMap.VARCHAR || type == TableMap.MARIADB_VARCHAR_COMPRESSED;
      case "enum" -> type == TableMap.ENUM;
      case "set" -> type == TableMap.SET;
      case "bit" -> type == TableMap.BIT;
      case "tinytext",
          "text",
          "mediumtext",
          "longtext",
          "tinyblob",
          "blob",
          "mediumblob",
          "longblob" ->
          type == TableMap.BLOB || type == TableMap.MARIADB_BLOB_COMPRESSED;
      case "json" -> type == TableMap.JSON;
      default -> true; // never comparable
    };
  }
}
