package io.txwatch.changes.h2;

import io.txwatch.changes.ChangedTable;
import io.txwatch.changes.ChangedTable.Column;
import io.txwatch.changes.ChangedTable.Key;
import io.txwatch.changes.ColumnType;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The tables of an H2 database as INFORMATION_SCHEMA describes them.
 *
 * @param tables by schema and name
 * @param unreadable those with values that H2 may fail to convert for a trigger
 * @param triggers the table of each trigger of txwatch
 */
record Catalog(Map<Name, ChangedTable> tables, Set<Name> unreadable, Map<String, Name> triggers) {

  /** The name of a table. */
  record Name(String schema, String table) {
    String quoted() {
      return Catalog.quoted(schema) + "." + Catalog.quoted(table);
    }
  }

  private static final String TABLES =
      "SELECT table_schema, table_name FROM information_schema.tables"
          + " WHERE table_type IN ('BASE TABLE', 'GLOBAL TEMPORARY') AND table_schema <> 'INFORMATION_SCHEMA'"
          + " AND storage_type <> 'TABLE LINK' ORDER BY 1, 2";

  private static final String COLUMNS =
      "SELECT table_schema, table_name, column_name, data_type, is_nullable"
          + " FROM information_schema.columns WHERE table_schema <> 'INFORMATION_SCHEMA'"
          + " ORDER BY 1, 2, ordinal_position";

  private static final String KEYS =
      "SELECT c.table_schema, c.table_name, c.constraint_name, c.constraint_type, k.column_name"
          + " FROM information_schema.table_constraints c"
          + " JOIN information_schema.key_column_usage k"
          + " ON k.constraint_schema = c.constraint_schema"
          + " AND k.constraint_name = c.constraint_name"
          + " AND k.table_schema = c.table_schema AND k.table_name = c.table_name"
          + " WHERE c.constraint_type IN ('PRIMARY KEY', 'UNIQUE')"
          + " ORDER BY c.constraint_type, 1, 2, 3, k.ordinal_position";

  private static final String TRIGGERS =
      "SELECT trigger_name, event_object_schema, event_object_table"
          + " FROM information_schema.triggers WHERE trigger_name LIKE 'TXWATCH\\_%'";

  /** DECFLOAT may be infinite, which H2 cannot convert; the others may contain values of it. */
  private static final Set<String> UNREADABLE = Set.of("DECFLOAT", "GEOMETRY", "ARRAY", "ROW");

  static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  static Catalog read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      Map<Name, List<Column>> columns = new LinkedHashMap<>();
      try (ResultSet rows = statement.executeQuery(TABLES)) {
        while (rows.next()) {
          columns.put(name(rows, 1), new ArrayList<>());
        }
      }
      Set<Name> unreadable = new LinkedHashSet<>();
      try (ResultSet rows = statement.executeQuery(COLUMNS)) {
        while (rows.next()) {
          Name table = name(rows, 1);
          List<Column> ofTable = columns.get(table);
          if (ofTable != null) {
            String type = string(rows, 4);
            ofTable.add(
                new Column(string(rows, 3), typeOf(type), type, "YES".equals(string(rows, 5))));
            if (UNREADABLE.contains(type)) {
              unreadable.add(table);
            }
          }
        }
      }
      Map<Name, List<Key>> keys = readKeys(statement, columns);
      Map<Name, ChangedTable> tables = new LinkedHashMap<>();
      columns.forEach(
          (name, ofTable) ->
              tables.put(
                  name,
                  new ChangedTable(
                      name.schema(), name.table(), ofTable, keys.getOrDefault(name, List.of()))));
      Map<String, Name> triggers = new LinkedHashMap<>();
      try (ResultSet rows = statement.executeQuery(TRIGGERS)) {
        while (rows.next()) {
          triggers.put(string(rows, 1), name(rows, 2));
        }
      }
      return new Catalog(tables, unreadable, triggers);
    }
  }

  private static Map<Name, List<Key>> readKeys(Statement statement, Map<Name, List<Column>> columns)
      throws SQLException {
    record KeyName(Name table, String name, boolean isPrimary) {}
    Map<KeyName, List<Integer>> parts = new LinkedHashMap<>();
    try (ResultSet rows = statement.executeQuery(KEYS)) {
      while (rows.next()) {
        Name table = name(rows, 1);
        String column = string(rows, 5);
        List<String> names =
            columns.getOrDefault(table, List.of()).stream().map(Column::name).toList();
        parts
            .computeIfAbsent(
                new KeyName(table, string(rows, 3), "PRIMARY KEY".equals(string(rows, 4))),
                key -> new ArrayList<>())
            .add(names.indexOf(column));
      }
    }
    Map<Name, List<Key>> keys = new LinkedHashMap<>();
    parts.forEach(
        (key, indexes) -> {
          if (!indexes.contains(-1)) {
            keys.computeIfAbsent(key.table(), table -> new ArrayList<>())
                .add(new Key(key.name(), key.isPrimary(), indexes));
          }
        });
    return keys;
  }

  private static Name name(ResultSet rows, int first) throws SQLException {
    return new Name(string(rows, first), string(rows, first + 1));
  }

  private static String string(ResultSet rows, int column) throws SQLException {
    return Objects.requireNonNullElse(rows.getString(column), "");
  }

  private static ColumnType typeOf(String type) {
    return switch (type) {
      case "TINYINT", "SMALLINT", "INTEGER", "BIGINT" -> ColumnType.INTEGER;
      case "BOOLEAN" -> ColumnType.BOOLEAN;
      case "NUMERIC" -> ColumnType.DECIMAL;
      case "DOUBLE PRECISION" -> ColumnType.DOUBLE;
      // A UUID is read as text, too, always in the same form.
      case "CHARACTER VARYING", "VARCHAR_IGNORECASE", "UUID" -> ColumnType.TEXT;
      case "CHARACTER" -> ColumnType.PADDED_TEXT;
      case "BINARY", "BINARY VARYING" -> ColumnType.BYTES;
      case "DATE" -> ColumnType.DATE;
      case "TIMESTAMP" -> ColumnType.DATE_TIME;
      case "TIME" -> ColumnType.DURATION;
      case "ENUM" -> ColumnType.LABEL;
      default -> ColumnType.OTHER;
    };
  }
}
