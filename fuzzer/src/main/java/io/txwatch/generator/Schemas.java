package io.txwatch.generator;

import io.txwatch.generator.Table.Column;
import io.txwatch.sql.Dialect;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;

/** Generates schemas and the rows that they begin with. */
final class Schemas {

  private static final int MOST_TABLES = 2;
  private static final int MOST_COLUMNS = 5;
  private static final int MOST_ROWS = 6;

  private final Chance chance;
  private final Dialect dialect;

  Schemas(Chance chance, Dialect dialect) {
    this.chance = chance;
    this.dialect = dialect;
  }

  /**
   * A schema.
   *
   * @param tables its tables
   * @param setup the statements that make and fill it
   */
  record Schema(List<Table> tables, List<String> setup) {}

  Schema next() {
    List<Table> tables = new ArrayList<>();
    List<String> setup = new ArrayList<>();
    int count = chance.in100(65) ? 1 : MOST_TABLES;
    for (int i = 0; i < count; i++) {
      tables.add(table("t" + i, setup));
    }
    for (Table table : tables) {
      fill(table, setup);
    }
    return new Schema(tables, setup);
  }

  private Table table(String name, List<String> setup) {
    List<Column> columns = new ArrayList<>();
    List<Set<String>> keys = new ArrayList<>();
    StringJoiner parts = new StringJoiner(", ", "CREATE TABLE " + name + " (", ") {ENGINE}");
    int width = chance.between(2, MOST_COLUMNS);
    boolean primary = chance.in100(70);
    Set<String> primaryKey = new LinkedHashSet<>();
    if (primary) {
      primaryKey.add("c0");
      if (width > 2 && chance.in100(20)) {
        primaryKey.add("c1");
      }
    }
    for (int i = 0; i < width; i++) {
      String column = "c" + i;
      SqlType type = i == 0 ? SqlType.INT : chance.oneOf(SqlType.values());
      boolean notNull = primaryKey.contains(column) || chance.in100(20);
      String definition = column + " " + type.sql() + (notNull ? " NOT NULL" : "");
      if (!primaryKey.contains(column)) {
        if (chance.in100(20)) {
          definition += " DEFAULT " + new Expressions(chance, dialect, List.of()).literal(type);
        }
        if (type == SqlType.INT && chance.in100(8)) {
          definition += " CHECK (" + column + " < 1000)";
        }
        if (chance.in100(12)) {
          definition += " UNIQUE";
          keys.add(Set.of(column));
        }
      }
      columns.add(new Column(column, type, notNull));
      parts.add(definition);
    }
    if (primary) {
      parts.add("PRIMARY KEY (" + String.join(", ", primaryKey) + ")");
      keys.add(primaryKey);
    }
    setup.add(parts.toString());
    for (int i = 1; i < width; i++) {
      if (chance.in100(25)) {
        setup.add("CREATE INDEX i_" + name + "_" + i + " ON " + name + " (c" + i + ")");
      }
    }
    return new Table(name, columns, keys);
  }

  /** Rows that differ in every key, so that none is refused. */
  private void fill(Table table, List<String> setup) {
    int rows = chance.between(1, MOST_ROWS);
    Expressions literals = new Expressions(chance, dialect, List.of());
    StringJoiner values = new StringJoiner(", ", "INSERT INTO " + table.name() + " VALUES ", "");
    for (int row = 0; row < rows; row++) {
      StringJoiner one = new StringJoiner(", ", "(", ")");
      for (Column column : table.columns()) {
        boolean ofKey = table.keys().stream().anyMatch(key -> key.contains(column.name()));
        if (ofKey) {
          one.add(distinct(column.type(), row));
        } else if (!column.notNull() && chance.in100(15)) {
          one.add("NULL");
        } else {
          one.add(literals.literal(column.type()));
        }
      }
      values.add(one.toString());
    }
    setup.add(values.toString());
  }

  private static String distinct(SqlType type, int row) {
    return switch (type) {
      case INT -> String.valueOf(row);
      case DECIMAL -> row + ".5";
      case TEXT -> "'" + (char) ('a' + row) + "'";
    };
  }
}
