package io.txwatch.generator;

import io.txwatch.generator.Table.Column;
import io.txwatch.generator.Table.ForeignKey;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;

/** Generates writes: what they write does not hang on the order of rows. */
final class Writes {

  /** Of a hundred statements, those that take the forms that not every DBMS has. */
  private static final int BEYOND = 8;

  private final Vocabulary words;
  private final Contents contents;
  private final Chance chance;
  private final Grammar grammar;

  Writes(Vocabulary words, Contents contents) {
    this.words = words;
    this.contents = contents;
    this.chance = words.chance;
    this.grammar = words.grammar;
  }

  Statement insert() {
    Table table = words.anyTable();
    if (words.tables.size() > 1 && chance.in100(10)) {
      return new Statement("insert", insertSelect(table), errors(table, table.columns(), true));
    }
    List<Column> columns =
        table.columns().stream()
            .filter(column -> !(table.counts() && column.name().equals("c0") && chance.in100(50)))
            .filter(column -> column.notNull() || chance.in100(85))
            .toList();
    if (columns.isEmpty()) {
      columns = table.columns();
    }
    StringJoiner rows = new StringJoiner(", ");
    for (int i = chance.in100(70) ? 1 : 2; i > 0; i--) {
      rows.add(row(table, columns));
    }
    String ignore = chance.in100(12) ? grammar.ignore() : "";
    String doNothing = !table.keys().isEmpty() && chance.in100(12) ? grammar.doNothing() : "";
    String sql =
        "INSERT"
            + ignore
            + " INTO "
            + table.name()
            + names(columns)
            + " VALUES "
            + rows
            + doNothing
            + returning("INSERT");
    return new Statement("insert", sql, errors(table, table.columns(), true));
  }

  private String insertSelect(Table into) {
    Table from = chance.oneOf(words.others(into));
    Expressions expressions = words.expressions(List.of()).with(from, "");
    StringJoiner values = new StringJoiner(", ");
    Map<String, String> parent = parent(into);
    for (Column column : into.columns()) {
      String ofParent = parent.get(column.name());
      values.add(ofParent == null ? expressions.value(column.type()) : ofParent);
    }
    return "INSERT INTO "
        + into.name()
        + names(into.columns())
        + " SELECT "
        + values
        + " FROM "
        + from.name()
        + words.where(from, expressions);
  }

  Statement upsert() {
    Table table = words.anyTable();
    List<Column> plain = table.plainColumns();
    boolean offered = grammar != Grammar.HSQLDB && grammar != Grammar.DERBY;
    if (plain.isEmpty() || table.keys().isEmpty() || !offered) {
      return insert();
    }
    Column target = chance.oneOf(plain);
    String value = chance.in100(40) ? grammar.incoming(target.name()) : literal(table, target);
    String sql = grammar == Grammar.H2 ? merge(table, target, value) : upsert(table, target, value);
    return new Statement("upsert", sql, errors(table, table.columns(), true));
  }

  private String upsert(Table table, Column target, String value) {
    String head =
        " INTO " + table.name() + names(table.columns()) + " VALUES " + row(table, table.columns());
    if ((grammar.isMySql() || grammar == Grammar.SQLITE) && chance.in100(50)) {
      return "REPLACE" + head;
    }
    String key = String.join(", ", table.keys().get(table.keys().size() - 1));
    return "INSERT"
        + head
        + (grammar.isMySql()
            ? " ON DUPLICATE KEY UPDATE "
            : " ON CONFLICT (" + key + ") DO UPDATE SET ")
        + target.name()
        + " = "
        + value;
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
        + row(table, table.columns())
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

  Statement update() {
    Table table = words.anyTable();
    Optional<String> beyond = beyond(table, "UPDATE");
    if (beyond.isPresent()) {
      List<Column> plain = table.plainColumns();
      Column column = plain.isEmpty() ? table.columns().get(0) : chance.oneOf(plain);
      String sql =
          beyond
              .get()
              .replace("{COLUMN}", column.name())
              .replace("{VALUE}", literal(table, column));
      return new Statement("update", sql, errors(table, List.of(column), false));
    }
    Expressions expressions = words.expressions(words.others(table)).with(table, "");
    List<Column> plain = table.plainColumns();
    List<Column> assigned = new ArrayList<>();
    StringJoiner assignments = new StringJoiner(", ");
    boolean ofKey = chance.in100(20); // a row that moves to where a scan was, or will be
    for (Column column : ofKey ? List.<Column>of() : plain) {
      if (chance.in100(assigned.isEmpty() ? 60 : 25)) {
        assigned.add(column);
        assignments.add(column.name() + " = " + assigned(table, column, expressions));
        if (grammar.isMySql()) {
          break; // it sees what was assigned to the left: one assignment then
        }
      }
    }
    if (assigned.isEmpty()) {
      // A key gets a literal alone: what else it would do could hang on the order of the rows.
      Column column = plain.isEmpty() || ofKey ? table.columns().get(0) : plain.get(0);
      assigned.add(column);
      assignments.add(column.name() + " = " + literal(table, column));
    }
    String sql =
        "UPDATE "
            + table.name()
            + " SET "
            + assignments
            + which(table, expressions)
            + end(table, "UPDATE");
    return new Statement("update", sql, errors(table, assigned, false));
  }

  /** Which rows it writes. */
  private String which(Table table, Expressions expressions) {
    return words.workload.namesARow(chance)
        ? " WHERE " + contents.namingARow(table)
        : words.where(table, expressions);
  }

  private String assigned(Table table, Column column, Expressions expressions) {
    if (table.refers(column) || chance.in100(45)) {
      return literal(table, column);
    }
    return !column.notNull() && chance.in100(8) ? "NULL" : expressions.value(column.type());
  }

  Statement delete() {
    Table table = words.anyTable();
    String sql =
        beyond(table, "DELETE")
            .orElseGet(
                () ->
                    "DELETE FROM "
                        + table.name()
                        + which(table, words.expressions(words.others(table)).with(table, ""))
                        + end(table, "DELETE"));
    Set<ExpectedError> errors = EnumSet.noneOf(ExpectedError.class);
    children(table).forEach(child -> errors.addAll(errorsOfChild(child)));
    return new Statement("delete", sql, errors);
  }

  /**
   * At times, an UPDATE of {@code {COLUMN}} to {@code {VALUE}}, or a DELETE, whose rows another
   * table chooses, or that stands beside a query or within one.
   */
  private Optional<String> beyond(Table table, String kind) {
    if (!chance.in100(BEYOND)) {
      return Optional.empty();
    }
    if (grammar.startsQueriesWithWrites() && chance.in100(30)) {
      return Optional.of(
          "WITH w AS ("
              + head(table, kind)
              + words.where(table, words.expressions(List.of()).with(table, ""))
              + " RETURNING c0) SELECT c0 FROM w");
    }
    if (words.tables.size() < 2) {
      return Optional.empty();
    }
    Table other = chance.oneOf(words.others(table));
    if (grammar.startsWritesWithQueries() && chance.in100(40)) {
      return Optional.of(
          "WITH w AS (SELECT c0 FROM "
              + other.name()
              + words.where(other, words.expressions(List.of()).with(other, ""))
              + ") "
              + head(table, kind)
              + " WHERE (c0 IN (SELECT c0 FROM w))");
    }
    return grammar.joins(kind) ? Optional.of(joining(table, other, kind)) : Optional.empty();
  }

  private static String head(Table table, String kind) {
    return kind.equals("UPDATE")
        ? "UPDATE " + table.name() + " SET {COLUMN} = {VALUE}"
        : "DELETE FROM " + table.name();
  }

  private String joining(Table table, Table other, String kind) {
    String name = table.name();
    String on =
        chance.in100(50)
            ? "(" + name + ".c0 = " + other.name() + ".c0)"
            : words.expressions(List.of()).with(table, name).with(other, other.name()).condition();
    if (kind.equals("UPDATE")) {
      return grammar.isMySql()
          ? "UPDATE %s JOIN %s ON %s SET %s.{COLUMN} = {VALUE}"
              .formatted(name, other.name(), on, name)
          : "UPDATE %s SET {COLUMN} = {VALUE} FROM %s WHERE %s".formatted(name, other.name(), on);
    }
    return "DELETE FROM %s USING %s"
        .formatted(
            name,
            grammar.isMySql()
                ? name + " JOIN " + other.name() + " ON " + on
                : other.name() + " WHERE " + on);
  }

  /** Few rows, in an order that says which, or the rows that were written. */
  private String end(Table table, String kind) {
    return grammar.limitsWrites() && chance.in100(8)
        ? " ORDER BY " + table.allColumns() + grammar.limit(chance.between(1, 2))
        : returning(kind);
  }

  private String returning(String kind) {
    return grammar.returns(kind) && chance.in100(8) ? " RETURNING " + chance.oneOf("c0", "*") : "";
  }

  private String row(Table table, List<Column> columns) {
    Map<String, String> parent = parent(table);
    StringJoiner row = new StringJoiner(", ", "(", ")");
    for (Column column : columns) {
      String ofParent = parent.get(column.name());
      row.add(
          !column.notNull() && chance.in100(10)
              ? "NULL"
              : ofParent == null ? words.literals.of(column.type()) : ofParent);
    }
    return row.toString();
  }

  /** Mostly, the values of a parent that is there. */
  private Map<String, String> parent(Table table) {
    Optional<ForeignKey> reference = table.reference();
    return reference.isPresent() && chance.in100(80)
        ? contents.anyParent(reference.get())
        : Map.of();
  }

  private String literal(Table table, Column column) {
    return table.refers(column)
        ? Objects.requireNonNullElse(
            parent(table).get(column.name()), words.literals.of(column.type()))
        : words.literals.of(column.type());
  }

  private static String names(List<Column> columns) {
    return " (" + String.join(", ", columns.stream().map(Column::name).toList()) + ")";
  }

  // What the data may give them.

  private Set<ExpectedError> errors(Table table, List<Column> written, boolean inserts) {
    Set<ExpectedError> errors = EnumSet.noneOf(ExpectedError.class);
    List<ForeignKey> children = children(table);
    if (grammar.checksEagerly() && !table.keys().isEmpty()) {
      errors.add(ExpectedError.DUPLICATE_KEY);
      if (!children.isEmpty() || table.reference().isPresent()) {
        errors.add(ExpectedError.FOREIGN_KEY);
      }
    }
    for (Column column : written) {
      if (table.isOfKey(column)) {
        errors.add(ExpectedError.DUPLICATE_KEY);
      }
      if (table.refers(column)) {
        errors.add(ExpectedError.FOREIGN_KEY);
      }
      if (column.notNull()) {
        errors.add(ExpectedError.NOT_NULL);
      }
      if (column.checked()) {
        errors.add(ExpectedError.CHECK);
      }
      if (column.name().equals("c0") && table.partitions().isPresent()) {
        errors.add(ExpectedError.NO_PARTITION);
      }
    }
    for (ForeignKey child : children) { // a REPLACE deletes what is there
      if (inserts || written.stream().anyMatch(column -> child.key().contains(column.name()))) {
        errors.addAll(errorsOfChild(child));
      }
    }
    return errors;
  }

  private List<ForeignKey> children(Table table) {
    return words.tables.stream()
        .flatMap(other -> other.reference().stream())
        .filter(reference -> reference.parent().equals(table))
        .toList();
  }

  /** What a change to a parent may meet: its children go with it, or do not let it. */
  private Set<ExpectedError> errorsOfChild(ForeignKey reference) {
    Set<ExpectedError> errors = EnumSet.of(ExpectedError.FOREIGN_KEY);
    for (Table child : words.tables) {
      if (child.reference().equals(Optional.of(reference))) {
        List<Column> columns = reference.columns().stream().map(child::column).toList();
        errors.addAll(errors(child, columns, true));
      }
    }
    return errors;
  }
}
