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
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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

  private static final int MAX_NAMES = 10_000;

  private TableCatalog() {}

  /** The names of the tables of a schema that the user of the connection sees, in order. */
  static Collection<String> tables(Connection connection, String schema) throws SQLException {
    List<String> names = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ?"
                + " AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME LIMIT "
                + MAX_NAMES)) {
      statement.setString(1, schema);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          names.add(rows.getString(1));
        }
      }
    }
    return names;
  }

  /** Those of the tables that the user of the connection sees. */
  static Map<String, TableDescription> read(
      Connection connection, String schema, Collection<String> tables) throws SQLException {
    Map<String, Columns> columns = columns(connection, schema, tables);
    if (columns.isEmpty()) {
      return Map.of();
    }
    Map<String, Keys> keys = keys(connection, schema, tables, columns);
    Map<String, TableDescription> found = new HashMap<>();
    for (String table : tables) {
      String name = nameInCatalog(table, columns.keySet());
      Columns ofTable = columns.get(name);
      if (ofTable != null) {
        Keys ofKeys = keys.getOrDefault(name, new Keys());
        found.put(
            table,
            new TableDescription(
                new ChangedTable(schema, table, ofTable.columns, ofKeys.wholeColumns()),
                ofTable.stored,
                ofKeys.expressions));
      }
    }
    return found;
  }

  /** The log may have a name in lower case where the catalog has it as it was declared. */
  private static String nameInCatalog(String table, Set<String> names) {
    if (names.contains(table)) {
      return table;
    }
    List<String> similar = names.stream().filter(table::equalsIgnoreCase).toList();
    return similar.size() == 1 ? similar.get(0) : table;
  }

  /** The columns of a table. */
  private static final class Columns {
    final List<ChangedTable.Column> columns = new ArrayList<>();
    final List<TableDescription.Stored> stored = new ArrayList<>();
  }

  private static Map<String, Columns> columns(
      Connection connection, String schema, Collection<String> tables) throws SQLException {
    Map<String, Columns> found = new HashMap<>();
    try (PreparedStatement statement =
            prepared(
                connection,
                "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_SET_NAME, IS_NULLABLE,"
                    + " DATETIME_PRECISION, TABLE_NAME FROM INFORMATION_SCHEMA.COLUMNS",
                "ORDINAL_POSITION",
                schema,
                tables);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        String declared = rows.getString(3);
        TableDescription.Stored column =
            stored(
                rows.getString(2).toLowerCase(Locale.ROOT),
                declared.toLowerCase(Locale.ROOT),
                declared,
                rows.getString(4));
        Columns table = found.computeIfAbsent(rows.getString(7), any -> new Columns());
        table.stored.add(column);
        table.columns.add(
            new ChangedTable.Column(
                rows.getString(1),
                column.type(),
                declared,
                rows.getString(5).equalsIgnoreCase("YES")));
      }
    }
    return found;
  }

  private static PreparedStatement prepared(
      Connection connection, String select, String order, String schema, Collection<String> tables)
      throws SQLException {
    // MySQL before 8.0 and MariaDB find one table faster than one of a list.
    String condition = tables.size() == 1 ? "= ?" : "IN (" + "?, ".repeat(tables.size() - 1) + "?)";
    PreparedStatement statement =
        connection.prepareStatement(
            select + " WHERE TABLE_SCHEMA = ? AND TABLE_NAME " + condition + " ORDER BY " + order);
    statement.setString(1, schema);
    int index = 2;
    for (String table : tables) {
      statement.setString(index++, table);
    }
    return statement;
  }

  /** The keys of a table. */
  private static final class Keys {
    final Map<String, List<Integer>> unique = new LinkedHashMap<>();
    final Set<String> partial = new HashSet<>();
    int expressions;

    List<ChangedTable.Key> wholeColumns() {
      List<ChangedTable.Key> keys = new ArrayList<>();
      unique.forEach(
          (name, parts) -> {
            if (!partial.contains(name)) {
              keys.add(new ChangedTable.Key(name, name.equals("PRIMARY"), parts));
            }
          });
      return keys;
    }
  }

  private static Map<String, Keys> keys(
      Connection connection, String schema, Collection<String> tables, Map<String, Columns> columns)
      throws SQLException {
    Map<String, Keys> found = new HashMap<>();
    try (PreparedStatement statement =
            prepared(
                connection,
                "SELECT INDEX_NAME, COLUMN_NAME, SUB_PART, NON_UNIQUE, TABLE_NAME FROM"
                    + " INFORMATION_SCHEMA.STATISTICS",
                "INDEX_NAME = 'PRIMARY' DESC, INDEX_NAME, SEQ_IN_INDEX",
                schema,
                tables);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        Columns table = columns.get(rows.getString(5));
        if (table != null) {
          add(found.computeIfAbsent(rows.getString(5), any -> new Keys()), table, rows);
        }
      }
    }
    return found;
  }

  private static void add(Keys keys, Columns table, ResultSet row) throws SQLException {
    String name = row.getString(1);
    String column = row.getString(2);
    int index = column == null ? -1 : indexOf(table.columns, column);
    if (column == null) {
      keys.expressions++;
    }
    if (row.getString(3) != null || index < 0) {
      keys.partial.add(name);
    } else if (row.getInt(4) == 0) {
      keys.unique.computeIfAbsent(name, any -> new ArrayList<>()).add(index);
    }
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
