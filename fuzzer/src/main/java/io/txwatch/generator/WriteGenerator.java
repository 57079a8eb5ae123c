package io.txwatch.generator;

import io.txwatch.generator.GeneratedTable.Column;
import io.txwatch.generator.GeneratedTable.ForeignKey;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;

/** Generates writes; their effect does not depend on the order of rows. */
final class WriteGenerator {

  /** The percentage of statements in a form that not every DBMS supports. */
  private static final int DIALECT_SPECIFIC_PERCENT = 8;

  private final StatementContext context;
  private final TableContents contents;
  private final RandomSource random;
  private final GeneratedDialect grammar;

  WriteGenerator(StatementContext context, TableContents contents) {
    this.context = context;
    this.contents = contents;
    this.random = context.random;
    this.grammar = context.grammar;
  }

  GeneratedStatement insert() {
    GeneratedTable table = context.randomTable();
    if (context.tables.size() > 1 && random.percent("insert select", 10)) {
      return new GeneratedStatement(
          "insert", insertSelect(table), errors(table, table.columns(), true));
    }
    List<Column> columns =
        table.columns().stream()
            .filter(
                column ->
                    !(table.hasAutoIncrement() && column.name().equals("c0") && random.percent(50)))
            .filter(column -> column.notNull() || random.percent(85))
            .toList();
    if (columns.isEmpty()) {
      columns = table.columns();
    }
    StringJoiner rows = new StringJoiner(", ");
    for (int i = random.percent(70) ? 1 : 2; i > 0; i--) {
      rows.add(row(table, columns));
    }
    String ignore = random.percent("insert ignore", 12) ? grammar.ignore() : "";
    boolean mayConflict = !table.keys().isEmpty() || table.exclusion().isPresent();
    boolean doesNothing = mayConflict && random.percent("do nothing", 12);
    String doNothing = doesNothing && !table.rejectsOnConflict() ? grammar.doNothing() : "";
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
    return new GeneratedStatement("insert", sql, errors(table, table.columns(), true));
  }

  private String insertSelect(GeneratedTable into) {
    GeneratedTable from = random.oneOf(context.otherTables(into));
    ExpressionGenerator expressions = context.expressions(List.of()).with(from, "");
    StringJoiner values = new StringJoiner(", ");
    Map<String, String> parent = parent(into);
    for (Column column : into.columns()) {
      String ofParent = parent.get(column.name());
      values.add(
          ofParent != null
              ? ofParent
              : isRestricted(column) ? literal(into, column) : expressions.value(column.type()));
    }
    return "INSERT INTO "
        + into.name()
        + names(into.columns())
        + " SELECT "
        + values
        + " FROM "
        + from.name()
        + context.where(from, expressions);
  }

  GeneratedStatement upsert() {
    GeneratedTable table = context.randomTable();
    List<Column> plain = table.plainColumns();
    Optional<String> merge =
        plain.isEmpty() ? Optional.empty() : Productions.of(grammar).draw("merge", random);
    if (merge.isPresent()) {
      Column assigned = random.oneOf(plain);
      String sql =
          merge
              .get()
              .replace("{T}", table.name())
              .replace("{O}", context.randomTable().name())
              .replace("{C}", assigned.name())
              .replace("{L}", literal(table, assigned))
              .replace("{COLUMNS}", names(table.columns()).strip())
              .replace("{ROW}", row(table, table.columns()));
      return new GeneratedStatement("merge", sql, errors(table, table.columns(), true));
    }
    if (plain.isEmpty() || table.keys().isEmpty() || !grammar.hasUpsert()) {
      return insert();
    }
    Column target = random.oneOf(plain);
    String value = random.percent(40) ? grammar.incoming(target.name()) : literal(table, target);
    String sql =
        grammar.upsertsByMerge() ? merge(table, target, value) : upsert(table, target, value);
    return new GeneratedStatement("upsert", sql, errors(table, table.columns(), true));
  }

  private String upsert(GeneratedTable table, Column target, String value) {
    String insertInto =
        " INTO " + table.name() + names(table.columns()) + " VALUES " + row(table, table.columns());
    if (grammar.hasReplace() && random.percent("replace", 50)) {
      return "REPLACE" + insertInto;
    }
    String key = String.join(", ", table.keys().get(table.keys().size() - 1));
    return "INSERT" + insertInto + grammar.onDuplicate(key) + target.name() + " = " + value;
  }

  private String merge(GeneratedTable table, Column target, String value) {
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

  GeneratedStatement update() {
    GeneratedTable table = context.randomTable();
    Optional<String> dialectSpecific = dialectSpecific(table, "UPDATE");
    return dialectSpecific.isPresent()
        ? dialectSpecificUpdate(table, dialectSpecific.get())
        : plainUpdate(table);
  }

  private GeneratedStatement dialectSpecificUpdate(GeneratedTable table, String template) {
    List<Column> plain = table.plainColumns();
    Column column = plain.isEmpty() ? table.columns().get(0) : random.oneOf(plain);
    String sql =
        template.replace("{COLUMN}", column.name()).replace("{VALUE}", literal(table, column));
    return new GeneratedStatement("update", sql, errors(table, List.of(column), false));
  }

  private GeneratedStatement plainUpdate(GeneratedTable table) {
    ExpressionGenerator expressions =
        context.expressions(context.otherTables(table)).with(table, "");
    List<Column> plain = table.plainColumns();
    List<Column> assigned = new ArrayList<>();
    StringJoiner assignments = new StringJoiner(", ");
    boolean ofKey =
        random.percent("update of key", 20); // a row may move within the range of a scan
    for (Column column : ofKey ? List.<Column>of() : plain) {
      if (random.percent(assigned.isEmpty() ? 60 : 25)) {
        assigned.add(column);
        assignments.add(column.name() + " = " + assigned(table, column, expressions));
        if (grammar.assignsInOrder()) {
          break; // further assignments would see this one
        }
      }
    }
    if (assigned.isEmpty()) {
      // A key is set to a literal only: other expressions could depend on the order of the rows.
      Column column = plain.isEmpty() || ofKey ? table.columns().get(0) : plain.get(0);
      assigned.add(column);
      assignments.add(column.name() + " = " + literal(table, column));
    }
    String sql =
        "UPDATE "
            + table.name()
            + " SET "
            + assignments
            + targetRows(table, expressions)
            + suffix(table, "UPDATE");
    return new GeneratedStatement("update", sql, errors(table, assigned, false));
  }

  /** The WHERE clause of a write. */
  private String targetRows(GeneratedTable table, ExpressionGenerator expressions) {
    return context.caseKind.targetsSingleKey(random)
        ? " WHERE " + contents.conditionOnRow(table)
        : context.where(table, expressions);
  }

  private String assigned(GeneratedTable table, Column column, ExpressionGenerator expressions) {
    if (table.isForeignKey(column) || isRestricted(column) || random.percent(45)) {
      return literal(table, column);
    }
    if (column.type().isNumeric()) {
      Optional<String> step = Productions.of(grammar).draw("step", random);
      if (step.isPresent()) {
        return step.get()
            .replace("{C}", column.name())
            .replace("{L}", String.valueOf(random.between(1, 9)));
      }
    }
    return !column.notNull() && random.percent(8) ? "NULL" : expressions.value(column.type());
  }

  /** True if a column accepts few values: no expression is assigned to it. */
  private static boolean isRestricted(Column column) {
    return column.declared().startsWith("ENUM") || column.type() == SqlType.UNSIGNED;
  }

  GeneratedStatement delete() {
    GeneratedTable table = context.randomTable();
    String sql =
        dialectSpecific(table, "DELETE")
            .orElseGet(
                () ->
                    "DELETE FROM "
                        + table.name()
                        + targetRows(
                            table, context.expressions(context.otherTables(table)).with(table, ""))
                        + suffix(table, "DELETE"));
    Set<ExpectedError> errors = errorsOfCondition();
    children(table).forEach(child -> errors.addAll(errorsOfChild(child)));
    return new GeneratedStatement("delete", sql, errors);
  }

  /**
   * Sometimes, an UPDATE of {@code {COLUMN}} to {@code {VALUE}}, or a DELETE, with a join, a
   * preceding WITH, or inside a WITH.
   */
  private Optional<String> dialectSpecific(GeneratedTable table, String kind) {
    if (!random.percent("dialect specific " + kind, DIALECT_SPECIFIC_PERCENT)) {
      return Optional.empty();
    }
    if (grammar.allowsWriteInWith() && random.percent("write in with", 30)) {
      return Optional.of(
          "WITH w AS ("
              + writeHead(table, kind)
              + context.where(table, context.expressions(List.of()).with(table, ""))
              + " RETURNING c0) SELECT c0 FROM w");
    }
    if (context.tables.size() < 2) {
      return Optional.empty();
    }
    GeneratedTable other = random.oneOf(context.otherTables(table));
    if (grammar.allowsWithBeforeWrite() && random.percent("with before write", 40)) {
      return Optional.of(
          "WITH w AS (SELECT c0 FROM "
              + other.name()
              + context.where(other, context.expressions(List.of()).with(other, ""))
              + ") "
              + writeHead(table, kind)
              + " WHERE (c0 IN (SELECT c0 FROM w))");
    }
    return grammar.canJoin(kind) ? Optional.of(joining(table, other, kind)) : Optional.empty();
  }

  private static String writeHead(GeneratedTable table, String kind) {
    return kind.equals("UPDATE")
        ? "UPDATE " + table.name() + " SET {COLUMN} = {VALUE}"
        : "DELETE FROM " + table.name();
  }

  private String joining(GeneratedTable table, GeneratedTable other, String kind) {
    String name = table.name();
    String on =
        random.percent(50)
            ? "(" + name + ".c0 = " + other.name() + ".c0)"
            : context
                .expressions(List.of())
                .with(table, name)
                .with(other, other.name())
                .condition();
    if (kind.equals("UPDATE")) {
      return grammar.writesWithJoin()
          ? "UPDATE %s JOIN %s ON %s SET %s.{COLUMN} = {VALUE}"
              .formatted(name, other.name(), on, name)
          : "UPDATE %s SET {COLUMN} = {VALUE} FROM %s WHERE %s".formatted(name, other.name(), on);
    }
    return "DELETE FROM %s USING %s"
        .formatted(
            name,
            grammar.writesWithJoin()
                ? name + " JOIN " + other.name() + " ON " + on
                : other.name() + " WHERE " + on);
  }

  /** A limited number of rows in a total order, or a RETURNING clause. */
  private String suffix(GeneratedTable table, String kind) {
    return grammar.limitsWrites() && random.percent("limited write", 8)
        ? " ORDER BY " + table.allColumns() + grammar.limit(random.between(1, 2))
        : returning(kind);
  }

  private String returning(String kind) {
    return grammar.supportsReturning(kind) && random.percent("returning", 8)
        ? " RETURNING " + random.oneOf("c0", "*")
        : "";
  }

  private String row(GeneratedTable table, List<Column> columns) {
    Map<String, String> parent = parent(table);
    StringJoiner row = new StringJoiner(", ", "(", ")");
    for (Column column : columns) {
      String ofParent = parent.get(column.name());
      row.add(
          !column.notNull() && random.percent(10)
              ? "NULL"
              : ofParent == null ? context.literals.of(column.type()) : ofParent);
    }
    return row.toString();
  }

  /** In most cases, the key of an existing parent. */
  private Map<String, String> parent(GeneratedTable table) {
    Optional<ForeignKey> reference = table.reference();
    return reference.isPresent() && random.percent(80)
        ? contents.randomParentKey(reference.get())
        : Map.of();
  }

  private String literal(GeneratedTable table, Column column) {
    return table.isForeignKey(column)
        ? Objects.requireNonNullElse(
            parent(table).get(column.name()), context.literals.of(column.type()))
        : context.literals.of(column.type());
  }

  private static String names(List<Column> columns) {
    return " (" + String.join(", ", columns.stream().map(Column::name).toList()) + ")";
  }

  // The errors that the data may cause.

  private Set<ExpectedError> errorsOfCondition() {
    return grammar.convertsTexts()
        ? EnumSet.of(ExpectedError.NOT_A_NUMBER)
        : EnumSet.noneOf(ExpectedError.class);
  }

  private Set<ExpectedError> errors(GeneratedTable table, List<Column> written, boolean inserts) {
    Set<ExpectedError> errors = errorsOfCondition();
    List<ForeignKey> children = children(table);
    if (grammar.checksEagerly() && !table.keys().isEmpty()) {
      errors.add(ExpectedError.DUPLICATE_KEY);
      if (!children.isEmpty() || table.reference().isPresent()) {
        errors.add(ExpectedError.FOREIGN_KEY);
      }
    }
    written.forEach(column -> addErrorsOfColumn(table, column, errors));
    for (ForeignKey child : children) { // a REPLACE deletes existing rows
      if (inserts || written.stream().anyMatch(column -> child.key().contains(column.name()))) {
        errors.addAll(errorsOfChild(child));
      }
    }
    return errors;
  }

  private static void addErrorsOfColumn(
      GeneratedTable table, Column column, Set<ExpectedError> errors) {
    if (table.isKeyColumn(column)) {
      errors.add(ExpectedError.DUPLICATE_KEY);
    }
    if (table.isExclusionColumn(column)) {
      errors.add(ExpectedError.EXCLUSION);
    }
    if (table.isForeignKey(column)) {
      errors.add(ExpectedError.FOREIGN_KEY);
    }
    if (column.notNull()) {
      errors.add(ExpectedError.NOT_NULL);
    }
    if (column.hasCheck()) {
      errors.add(ExpectedError.CHECK);
    }
    if (column.type() == SqlType.INT || column.type() == SqlType.TEXT) {
      errors.add(ExpectedError.OUT_OF_RANGE);
    }
    if (column.name().equals("c0") && table.partitions().isPresent()) {
      errors.add(ExpectedError.NO_PARTITION);
    }
  }

  private List<ForeignKey> children(GeneratedTable table) {
    return context.tables.stream()
        .flatMap(other -> other.reference().stream())
        .filter(reference -> reference.parent().equals(table))
        .toList();
  }

  /**
   * The errors that a change of a parent may cause: its children are changed as well, or prevent
   * it.
   */
  private Set<ExpectedError> errorsOfChild(ForeignKey reference) {
    Set<ExpectedError> errors = EnumSet.of(ExpectedError.FOREIGN_KEY);
    for (GeneratedTable child : context.tables) {
      if (child.reference().equals(Optional.of(reference))) {
        List<Column> columns = reference.columns().stream().map(child::column).toList();
        errors.addAll(errors(child, columns, true));
      }
    }
    return errors;
  }
}
