package io.txwatch.changes.binlog;

import io.txwatch.changes.ChangedTable;
import io.txwatch.changes.ColumnType;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the descriptions of tables from {@code information_schema}. */
final class TableCatalog {

  private static final Map<String, Charset> CHARSETS =
      Map.of(
          "utf8mb4", StandardCharsets.UTF_8,
          "utf8mb3", StandardCharsets.UTF_8,
          "utf8", StandardCharsets.UTF_8,
          "ascii", StandardCharsets.US_ASCII,
          "latin1", Charset.forName("windows-1252"),
          "utf16", StandardCharsets.UTF_16BE,
          "ucs2", StandardCharsets.UTF_16BE,
          "utf16le", StandardCharsets.UTF_16LE,
          "utf32", Charset.forName("UTF-32BE"));

  private TableCatalog() {}

  /** The table, if the user of the connection sees it. */
  static Optional<TableDescription> read(Connection connection, String schema, String table)
      throws SQLException {
    List<ChangedTable.Column> columns = new ArrayList<>();
    List<TableDescription.Stored> stored = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_SET_NAME, IS_NULLABLE,"
                + " DATETIME_PRECISION FROM INFORMATION_SCHEMA.COLUMNS"
                + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION")) {
      statement.setString(1, schema);
      statement.setString(2, table);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String declared = rows.getString(3);
          TableDescription.Stored column =
              stored(
                  rows.getString(2).toLowerCase(Locale.ROOT),
                  declared.toLowerCase(Locale.ROOT),
                  declared,
                  rows.getString(4));
          stored.add(column);
          columns.add(
              new ChangedTable.Column(
                  rows.getString(1),
                  column.type(),
                  declared,
                  rows.getString(5).equalsIgnoreCase("YES")));
        }
      }
    }
    if (columns.isEmpty()) {
      return Optional.empty();
    }
    Keys keys = keys(connection, schema, table, columns);
    return Optional.of(
        new TableDescription(
            new ChangedTable(schema, table, columns, keys.keys), stored, keys.expressions));
  }

  private record Keys(List<ChangedTable.Key> keys, int expressions) {}

  private static Keys keys(
      Connection connection, String schema, String table, List<ChangedTable.Column> columns)
      throws SQLException {
    Map<String, List<Integer>> unique = new LinkedHashMap<>();
    List<String> partial = new ArrayList<>();
    int expressions = 0;
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT INDEX_NAME, COLUMN_NAME, SUB_PART, NON_UNIQUE FROM"
                + " INFORMATION_SCHEMA.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?"
                + " ORDER BY INDEX_NAME = 'PRIMARY' DESC, INDEX_NAME, SEQ_IN_INDEX")) {
      statement.setString(1, schema);
      statement.setString(2, table);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String name = rows.getString(1);
          String column = rows.getString(2);
          int index = column == null ? -1 : indexOf(columns, column);
          if (column == null) {
            expressions++;
          }
          if (rows.getString(3) != null || index < 0) {
            partial.add(name);
          } else if (rows.getInt(4) == 0) {
            unique.computeIfAbsent(name, any -> new ArrayList<>()).add(index);
          }
        }
      }
    }
    partial.forEach(unique::remove);
    List<ChangedTable.Key> keys = new ArrayList<>();
    unique.forEach(
        (name, parts) -> keys.add(new ChangedTable.Key(name, name.equals("PRIMARY"), parts)));
    return new Keys(keys, expressions);
  }

  private static int indexOf(List<ChangedTable.Column> columns, String name) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equalsIgnoreCase(name)) {
        return i;
      }
    }
    return -1;
  }

  private static TableDescription.Stored stored(
      String dataType, String lower, String declared, @Nullable String charsetName) {
    Charset charset = charsetName == null ? null : CHARSETS.get(charsetName);
    List<String> labels =
        dataType.equals("enum") || dataType.equals("set") ? labels(declared) : List.of();
    return new TableDescription.Stored(
        type(dataType, lower, charset, !labels.isEmpty()),
        dataType,
        lower.contains("unsigned") || lower.contains("zerofill"),
        charset,
        labels);
  }

  private static ColumnType type(
      String dataType, String declared, @Nullable Charset charset, boolean hasLabels) {
    return switch (dataType) {
      case "tinyint" -> declared.startsWith("tinyint(1)") ? ColumnType.BOOLEAN : ColumnType.INTEGER;
      case "smallint", "mediumint", "int", "bigint" -> ColumnType.INTEGER;
      case "decimal" -> ColumnType.DECIMAL;
      // With a number of decimals it is rounded when it is read.
      case "double" -> declared.contains("(") ? ColumnType.OTHER : ColumnType.DOUBLE;
      case "year" -> ColumnType.YEAR;
      case "date" -> ColumnType.DATE;
      case "time" -> ColumnType.DURATION;
      case "datetime" -> ColumnType.DATE_TIME;
      case "timestamp" -> ColumnType.INSTANT;
      case "bit" -> ColumnType.BITS;
      case "enum", "set" -> hasLabels ? ColumnType.LABEL : ColumnType.OTHER;
      case "char" -> charset == null ? ColumnType.OTHER : ColumnType.PADDED_TEXT;
      case "varchar", "tinytext", "text", "mediumtext", "longtext" ->
          charset == null ? ColumnType.OTHER : ColumnType.TEXT;
      case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob" -> ColumnType.BYTES;
      default -> ColumnType.OTHER;
    };
  }

  /** The labels in {@code enum('a','b''c')}; none if a label has characters that are escaped. */
  private static List<String> labels(String declared) {
    if (declared.indexOf('\\') >= 0 || declared.indexOf('?') >= 0) {
      return List.of();
    }
    List<String> labels = new ArrayList<>();
    int at = declared.indexOf('(') + 1;
    while (at < declared.length() && declared.charAt(at) == '\'') {
      StringBuilder label = new StringBuilder();
      at++;
      while (at < declared.length()) {
        if (declared.charAt(at) != '\'') {
          label.append(declared.charAt(at++));
        } else if (declared.startsWith("''", at)) {
          label.append('\'');
          at += 2;
        } else {
          break;
        }
      }
      labels.add(label.toString());
      at += 2; // the quote and the comma
    }
    return labels;
  }
}
