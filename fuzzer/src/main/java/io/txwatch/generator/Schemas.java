package io.txwatch.generator;

import io.txwatch.generator.Table.Column;
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

  Schemas(Chance chance) {
    this.chance = chance;
  }

  /**
   * A schema.
   *
   * @param tables its tables
   * @param definitions the statements that define it
   */
  record Schema(List<Table> tables, List<String> definitions) {}

  Schema next() {
    List<Table> tables = new ArrayList<>();
    List<String> definitions = new ArrayList<>();
    int count = chance.in100(65) ? 1 : MOST_TABLES;
    for (int i = 0; i < count; i++) {
      tables.add(table("t" + i, definitions));
    }
    return new Schema(tables, definitions);
  }

  private Table table(String name, List<String> definitions) {
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
      boolean ofPrimaryKey = primaryKey.contains(column);
      String byDefault =
          !ofPrimaryKey && chance.in100(20) ? " DEFAULT " + Literals.any(chance, type) : "";
      String definition = column + " " + type.sql() + byDefault + (notNull ? " NOT NULL" : "");
      if (!ofPrimaryKey) {
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
    definitions.add(parts.toString());
    for (int i = 1; i < width; i++) {
      if (chance.in100(25)) {
        definitions.add("CREATE INDEX i_" + name + "_" + i + " ON " + name + " (c" + i + ")");
      }
    }
    return new Table(name, columns, keys);
  }

  /** What fills the tables: rows that differ in every key, so that none is refused. */
  static List<String> rows(Chance chance, Literals literals, List<Table> tables) {
    List<String> inserts = new ArrayList<>();
    for (Table table : tables) {
      StringJoiner values = new StringJoiner(", ", "INSERT INTO " + table.name() + " VALUES ", "");
      int rows = chance.between(1, MOST_ROWS);
      for (int row = 0; row < rows; row++) {
        StringJoiner one = new StringJoiner(", ", "(", ")");
        for (Column column : table.columns()) {
          boolean ofKey = table.keys().stream().anyMatch(key -> key.contains(column.name()));
          if (ofKey) {
            one.add(Literals.distinct(column.type(), row));
          } else if (!column.notNull() && chance.in100(15)) {
            one.add("NULL");
          } else {
            one.add(literals.of(column.type()));
          }
        }
        values.add(one.toString());
      }
      inserts.add(values.toString());
    }
    return inserts;
  }
}
