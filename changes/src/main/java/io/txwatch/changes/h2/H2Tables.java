package io.txwatch.changes.h2;

import io.txwatch.changes.ChangedTable;
import io.txwatch.changes.ChangedTable.Column;
import io.txwatch.changes.ChangedTable.Key;
import io.txwatch.changes.ColumnType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.h2.constraint.Constraint;
import org.h2.constraint.ConstraintUnique;
import org.h2.engine.Database;
import org.h2.schema.Schema;
import org.h2.schema.TriggerObject;
import org.h2.table.Table;
import org.h2.table.TableType;
import org.h2.value.Value;

/**
 * The tables of an H2 database.
 *
 * @param tables by schema and name
 * @param engineTables H2's own objects of the same tables
 * @param unreadable those with values that H2 may fail to convert for a trigger
 * @param triggers the table of each trigger of txwatch
 */
record H2Tables(
    Map<Name, ChangedTable> tables,
    Map<Name, Table> engineTables,
    Set<Name> unreadable,
    Map<String, Name> triggers) {

  /** The name of a table. */
  record Name(String schema, String table) {
    private static final Comparator<Name> ORDER =
        Comparator.comparing(Name::schema).thenComparing(Name::table);

    private static Name of(Table table) {
      return new Name(table.getSchema().getName(), table.getName());
    }

    String quoted() {
      return H2Tables.quoted(schema) + "." + H2Tables.quoted(table);
    }
  }

  /** DECFLOAT may be infinite, which H2 cannot convert; the others may contain values of it. */
  private static final Set<String> UNREADABLE = Set.of("DECFLOAT", "GEOMETRY", "ARRAY", "ROW");

  static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /**
   * Reads H2's own objects: a query of INFORMATION_SCHEMA costs milliseconds, and sessions wait for
   * this.
   */
  static H2Tables read(Database database) {
    Map<Name, Table> present = new TreeMap<>(Name.ORDER);
    List<Constraint> constraints = new ArrayList<>();
    Map<String, Name> triggers = new TreeMap<>();
    for (Schema schema : database.getAllSchemas()) {
      if (schema.getName().equals("INFORMATION_SCHEMA")) {
        continue;
      }
      for (Table table : schema.getAllTablesAndViews(database.getSystemSession())) {
        String type = table.getSQLTableType();
        if ((type.equals("BASE TABLE") || type.equals("GLOBAL TEMPORARY"))
            && table.getTableType() != TableType.TABLE_LINK) {
          present.put(Name.of(table), table);
        }
      }
      constraints.addAll(schema.getAllConstraints());
    }
    for (TriggerObject trigger : triggers(database)) {
      triggers.put(trigger.getName(), Name.of(trigger.getTable()));
    }
    Map<Name, List<Key>> keys = readKeys(constraints, present);
    Map<Name, ChangedTable> tables = new LinkedHashMap<>();
    Set<Name> unreadable = new LinkedHashSet<>();
    present.forEach(
        (name, table) -> {
          List<Column> columns = new ArrayList<>();
          for (org.h2.table.Column column : table.getColumns()) {
            String type = typeName(column.getType().getValueType());
            columns.add(new Column(column.getName(), typeOf(type), type, column.isNullable()));
            if (UNREADABLE.contains(type)) {
              unreadable.add(name);
            }
          }
          tables.put(
              name,
              new ChangedTable(
                  name.schema(), name.table(), columns, keys.getOrDefault(name, List.of())));
        });
    return new H2Tables(tables, present, unreadable, triggers);
  }

  /** The triggers of txwatch. */
  static List<TriggerObject> triggers(Database database) {
    List<TriggerObject> triggers = new ArrayList<>();
    for (Schema schema : database.getAllSchemas()) {
      for (TriggerObject trigger : schema.getAllTriggers()) {
        if (trigger.getName().startsWith(WatchedTable.PREFIX)) {
          triggers.add(trigger);
        }
      }
    }
    return triggers;
  }

  /** The primary key is the first. */
  private static Map<Name, List<Key>> readKeys(
      List<Constraint> constraints, Map<Name, Table> present) {
    Map<Name, List<Key>> keys = new HashMap<>();
    for (Constraint constraint : constraints) {
      Name name = Name.of(constraint.getTable());
      // Not the constraint of a table that H2 replaces by another one of the same name.
      if (constraint instanceof ConstraintUnique unique
          && constraint.getTable().equals(present.get(name))) {
        keys.computeIfAbsent(name, table -> new ArrayList<>())
            .add(
                new Key(
                    unique.getName(),
                    unique.getConstraintType() == Constraint.Type.PRIMARY_KEY,
                    Arrays.stream(unique.getColumns())
                        .map(column -> column.column.getColumnId())
                        .toList()));
      }
    }
    keys.values()
        .forEach(
            ofTable ->
                ofTable.sort(
                    Comparator.comparing((Key key) -> !key.isPrimary()).thenComparing(Key::name)));
    return keys;
  }

  /** As in INFORMATION_SCHEMA. */
  private static String typeName(int type) {
    String name = Value.getTypeName(type);
    return name.startsWith("INTERVAL ") ? "INTERVAL" : name;
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
