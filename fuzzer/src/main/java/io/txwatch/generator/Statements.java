package io.txwatch.generator;

import io.txwatch.generator.Table.Column;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/** Generates the statements of transactions over a schema. */
final class Statements {

  private final Chance chance;
  private final Grammar grammar;
  private final Literals literals;
  private final List<Table> tables;

  /** Conditions that were used before, by table: transactions meet where they choose alike. */
  private final Map<String, List<String>> used = new HashMap<>();

  private final Map<String, Integer> kinds = new TreeMap<>();

  Statements(Chance chance, Grammar grammar, Literals literals, List<Table> tables) {
    this.chance = chance;
    this.grammar = grammar;
    this.literals = literals;
    this.tables = tables;
  }

  /** How many of each kind were made. */
  Map<String, Integer> kinds() {
    return kinds;
  }

  String next() {
    int draw = chance.below(100);
    if (draw < 25) {
      return kind("select", select());
    }
    if (draw < 33) {
      return kind("locking select", lockingSelect());
    }
    if (draw < 52) {
      return kind("insert", insert());
    }
    if (draw < 56) {
      return kind("upsert", upsert());
    }
    if (draw < 82) {
      return kind("update", update());
    }
    return kind("delete", delete());
  }

  private String kind(String kind, String sql) {
    kinds.merge(kind, 1, Integer::sum);
    return sql;
  }

  private String select() {
    Table table = chance.oneOf(tables);
    Expressions expressions = expressions(tables);
    int form = chance.below(10);
    boolean isOffered =
        (form != 5 || grammar.hasWindows()) && (form != 6 || grammar.hasCommonTableExpressions());
    switch (isOffered ? form : 7) {
      case 0:
        expressions.with(table, "");
        return "SELECT COUNT(*), MIN(c0), MAX(c0) FROM " + table.name() + where(table, expressions);
      case 1:
        expressions.with(table, "");
        return "SELECT c1, COUNT(*), SUM(c0) FROM "
            + table.name()
            + where(table, expressions)
            + " GROUP BY c1 ORDER BY c1";
      case 2:
        expressions.with(table, "");
        return "SELECT DISTINCT c1 FROM " + table.name() + where(table, expressions);
      case 3:
        Table other = chance.oneOf(tables);
        expressions.with(table, "a").with(other, "b");
        return "SELECT a.c0, b.c0 FROM "
            + table.name()
            + " a "
            + chance.oneOf("JOIN ", "LEFT JOIN ")
            + other.name()
            + " b ON "
            + expressions.condition();
      case 4:
        expressions.with(table, "");
        return "SELECT c0 FROM "
            + table.name()
            + where(table, expressions)
            + chance.oneOf(" UNION ", " UNION ALL ")
            + "SELECT c0 FROM "
            + chance.oneOf(tables).name();
      case 5:
        expressions.with(table, "");
        return "SELECT c0, ROW_NUMBER() OVER (ORDER BY "
            + table.allColumns()
            + ") AS n FROM "
            + table.name()
            + where(table, expressions);
      case 6:
        expressions.with(table, "");
        return "WITH w AS (SELECT * FROM "
            + table.name()
            + where(table, expressions)
            + ") SELECT * FROM w";
      default:
        expressions.with(table, "");
        return "SELECT * FROM " + table.name() + where(table, expressions);
    }
  }

  private String lockingSelect() {
    Table table = chance.oneOf(tables);
    Expressions expressions = expressions(List.of()).with(table, "");
    String lock = chance.oneOf(grammar.locks());
    return "SELECT * FROM " + table.name() + where(table, expressions) + lock;
  }

  private String insert() {
    Table table = chance.oneOf(tables);
    if (tables.size() > 1 && chance.in100(10)) {
      return insertSelect(table);
    }
    List<Column> columns =
        table.columns().stream().filter(c -> c.notNull() || chance.in100(85)).toList();
    if (columns.isEmpty()) {
      columns = table.columns();
    }
    StringJoiner rows = new StringJoiner(", ");
    for (int i = chance.in100(70) ? 1 : 2; i > 0; i--) {
      rows.add(row(columns));
    }
    String ignore = chance.in100(12) ? grammar.ignore() : "";
    String doNothing = chance.in100(12) ? grammar.doNothing() : "";
    return "INSERT"
        + ignore
        + " INTO "
        + table.name()
        + names(columns)
        + " VALUES "
        + rows
        + doNothing;
  }

  private String insertSelect(Table into) {
    Table from = tables.stream().filter(table -> !table.equals(into)).findFirst().orElseThrow();
    Expressions expressions = expressions(List.of()).with(from, "");
    StringJoiner values = new StringJoiner(", ");
    into.columns().forEach(column -> values.add(expressions.value(column.type())));
    return "INSERT INTO "
        + into.name()
        + names(into.columns())
        + " SELECT "
        + values
        + " FROM "
        + from.name()
        + where(from, expressions);
  }

  private String upsert() {
    Table table = chance.oneOf(tables);
    List<Column> plain = table.plainColumns();
    if (plain.isEmpty() || table.keys().isEmpty()) {
      return insert();
    }
    Column target = chance.oneOf(plain);
    String key = String.join(", ", table.keys().get(table.keys().size() - 1));
    String head =
        " INTO " + table.name() + names(table.columns()) + " VALUES " + row(table.columns());
    String value = expressions(List.of()).literal(target.type());
    return switch (grammar) {
      case MYSQL, MARIADB ->
          chance.in100(50)
              ? "REPLACE" + head
              : "INSERT" + head + " ON DUPLICATE KEY UPDATE " + target.name() + " = " + value;
      case POSTGRESQL, DUCKDB ->
          "INSERT"
              + head
              + " ON CONFLICT ("
              + key
              + ") DO UPDATE SET "
              + target.name()
              + " = "
              + value;
      case SQLITE ->
          chance.in100(50)
              ? "REPLACE" + head
              : "INSERT"
                  + head
                  + " ON CONFLICT ("
                  + key
                  + ") DO UPDATE SET "
                  + target.name()
                  + " = "
                  + value;
      case H2 -> merge(table, target, value);
      case HSQLDB, DERBY -> insert();
    };
  }

  /** Not MERGE … KEY: where a row is there that it does not see, H2 2.5.252 tries for ever. */
  private String merge(Table table, Column target, String value) {
    StringJoiner on = new StringJoiner(" AND ", " ON (", ")");
    table
        .keys()
        .get(table.keys().size() - 1)
        .forEach(key -> on.add(table.name() + "." + key + " = s." + key));
    String columns = names(table.columns());
    return "MERGE INTO "
        + table.name()
        + " USING (VALUES "
        + row(table.columns())
        + ") AS s"
        + columns
        + on
        + " WHEN MATCHED THEN UPDATE SET "
        + target.name()
        + " = "
        + value
        + " WHEN NOT MATCHED THEN INSERT"
        + columns
        + " VALUES "
        + columns.replace("c", "s.c");
  }

  private String update() {
    Table table = chance.oneOf(tables);
    List<Table> others = others(table);
    Expressions expressions = expressions(others).with(table, "");
    List<Column> plain = table.plainColumns();
    List<String> assignments = new ArrayList<>();
    boolean ofKey = chance.in100(20); // a row that moves to where a scan was, or will be
    for (Column column : ofKey ? List.<Column>of() : plain) {
      if (chance.in100(assignments.isEmpty() ? 60 : 25)) {
        // MySQL and MariaDB see what was assigned to their left: one assignment then.
        String value =
            chance.in100(45) ? expressions.literal(column.type()) : nullable(column, expressions);
        assignments.add(column.name() + " = " + value);
        if (grammar.isMySql()) {
          break;
        }
      }
    }
    if (assignments.isEmpty()) {
      // A key gets a literal alone: what else it would do could hang on the order of the rows.
      Column column = plain.isEmpty() || ofKey ? table.columns().get(0) : plain.get(0);
      assignments.add(column.name() + " = " + expressions.literal(column.type()));
    }
    return "UPDATE "
        + table.name()
        + " SET "
        + String.join(", ", assignments)
        + where(table, expressions);
  }

  private String delete() {
    Table table = chance.oneOf(tables);
    Expressions expressions = expressions(others(table)).with(table, "");
    return "DELETE FROM " + table.name() + where(table, expressions);
  }

  private String where(Table table, Expressions expressions) {
    int draw = chance.below(100);
    if (draw < 22) {
      return "";
    }
    List<String> before = used.computeIfAbsent(table.name(), first -> new ArrayList<>());
    if (draw < 42 && !before.isEmpty()) {
      return " WHERE " + chance.oneOf(before);
    }
    if (draw < 70) {
      String condition = expressions.simpleCondition();
      before.add(condition);
      return " WHERE " + condition;
    }
    return " WHERE " + expressions.condition();
  }

  private String row(List<Column> columns) {
    Expressions expressions = expressions(List.of());
    StringJoiner row = new StringJoiner(", ", "(", ")");
    for (Column column : columns) {
      row.add(!column.notNull() && chance.in100(10) ? "NULL" : expressions.literal(column.type()));
    }
    return row.toString();
  }

  private String nullable(Column column, Expressions expressions) {
    return !column.notNull() && chance.in100(8) ? "NULL" : expressions.value(column.type());
  }

  private static String names(List<Column> columns) {
    return " (" + String.join(", ", columns.stream().map(Column::name).toList()) + ")";
  }

  /** MySQL does not let a write read its own table in a subquery. */
  private List<Table> others(Table table) {
    return tables.stream().filter(other -> !other.equals(table)).toList();
  }

  private Expressions expressions(List<Table> readable) {
    return new Expressions(chance, grammar, literals, readable);
  }
}
