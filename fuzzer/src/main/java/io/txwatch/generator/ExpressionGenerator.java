package io.txwatch.generator;

import io.txwatch.generator.GeneratedTable.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Generates typed expressions over the columns in scope.
 *
 * <p>Every operator is parenthesized, so the meaning does not depend on a dialect's precedence.
 */
final class ExpressionGenerator {

  private static final int MAX_DEPTH = 3;

  private final RandomSource random;
  private final GeneratedDialect grammar;
  private final CaseLiterals literals;

  /**
   * A column in an expression.
   *
   * @param qualified its name in a subquery, whose own columns may have the same name
   */
  private record ColumnReference(String text, String qualified, SqlType type) {}

  private final List<ColumnReference> scope = new ArrayList<>();

  /** The tables for subqueries; empty if there must be none. */
  private final List<GeneratedTable> readable;

  private int aliases;

  /** The nesting depth of subqueries. */
  private int nesting;

  ExpressionGenerator(
      RandomSource random,
      GeneratedDialect grammar,
      CaseLiterals literals,
      List<GeneratedTable> readable) {
    this.random = random;
    this.grammar = grammar;
    this.literals = literals;
    this.readable = readable;
  }

  /** Adds a table's columns, qualified if {@code alias} is not empty. */
  ExpressionGenerator with(GeneratedTable table, String alias) {
    for (Column column : table.columns()) {
      String qualified = (alias.isEmpty() ? table.name() : alias) + "." + column.name();
      scope.add(
          new ColumnReference(
              alias.isEmpty() ? column.name() : qualified, qualified, column.type()));
    }
    return this;
  }

  /** A literal. */
  String literal(SqlType type) {
    return literals.of(type);
  }

  /** A value of the type. */
  String value(SqlType type) {
    return value(type, 0);
  }

  private String value(SqlType type, int depth) {
    List<ColumnReference> candidates =
        scope.stream().filter(reference -> reference.type() == type).toList();
    if (!candidates.isEmpty() && random.percent(40)) {
      ColumnReference reference = random.oneOf(candidates);
      return nesting > 0 ? reference.qualified() : reference.text();
    }
    if (depth >= MAX_DEPTH || random.percent(40)) {
      return literal(type);
    }
    int deeper = depth + 1;
    Optional<String> function = Productions.of(grammar).draw("value " + type, random);
    if (function.isPresent()) {
      return filled(function.get(), type, deeper);
    }
    switch (random.alternative("value", 1, 1, 1, 1, 2)) {
      case 2:
        return minOrMax(type, deeper);
      case 3:
        return "NULLIF(" + value(type, deeper) + ", " + literal(type) + ")";
      case 0:
        return "COALESCE(" + value(type, deeper) + ", " + literal(type) + ")";
      case 1:
        return "CASE WHEN "
            + condition(deeper)
            + " THEN "
            + value(type, deeper)
            + " ELSE "
            + literal(type)
            + " END";
      default:
        return operator(type, deeper);
    }
  }

  /** A text with values for its placeholders. */
  String filled(String text) {
    return filled(text, 0);
  }

  /** A function with values for its placeholders. */
  private String filled(String function, SqlType type, int depth) {
    return filled(function.replace("{L}", literal(type)), depth);
  }

  private String filled(String production, int depth) {
    String text = production;
    for (SqlType operand : SqlType.COMMON) {
      String placeholder = "{" + operand + "}";
      if (text.contains(placeholder)) {
        text = text.replace(placeholder, value(operand, depth));
      }
    }
    return text;
  }

  private String operator(SqlType type, int depth) {
    return switch (type) {
      case INT ->
          switch (random.below(6)) {
            case 0 -> "ABS(" + value(type, depth) + ")";
            case 1 -> "LENGTH(" + value(SqlType.TEXT, depth) + ")";
            case 2 -> "(" + value(type, depth) + " - " + value(type, depth) + ")";
            case 3 -> readable.isEmpty() ? literal(type) : count(depth);
            default -> "(" + value(type, depth) + " + " + literal(type) + ")";
          };
      case DATE, BOOLEAN, UNSIGNED -> literal(type);
      case DECIMAL -> "(" + value(type, depth) + random.oneOf(" + ", " - ") + literal(type) + ")";
      case TEXT -> random.oneOf("UPPER(", "LOWER(", "TRIM(") + value(type, depth) + ")";
    };
  }

  private String count(int depth) {
    GeneratedTable table = random.oneOf(readable);
    String alias = "q" + ++aliases;
    return "(SELECT COUNT(*) FROM " + source(table, alias) + where(table, alias, depth) + ")";
  }

  /** The MIN or MAX of a column of the type; a literal if there is no such column. */
  private String minOrMax(SqlType type, int depth) {
    if (type == SqlType.BOOLEAN) { // PostgreSQL does not order them
      return literal(type);
    }
    List<GeneratedTable> candidates =
        readable.stream()
            .filter(table -> table.columns().stream().anyMatch(c -> c.type() == type))
            .toList();
    if (candidates.isEmpty()) {
      return literal(type);
    }
    GeneratedTable table = random.oneOf(candidates);
    Column column = random.oneOf(table.columns().stream().filter(c -> c.type() == type).toList());
    String alias = "q" + ++aliases;
    return "(SELECT "
        + random.oneOf("MIN(", "MAX(")
        + alias
        + "."
        + column.name()
        + ") FROM "
        + source(table, alias)
        + where(table, alias, depth)
        + ")";
  }

  /** A table of a subquery, sometimes joined with another one. */
  private String source(GeneratedTable table, String alias) {
    return Productions.of(grammar)
        .draw("subquery join", random)
        .map(
            join ->
                join.replace("{T}", table.name())
                    .replace("{ALL}", table.allColumns())
                    .replace("{A}", alias)
                    .replace("{O}", random.oneOf(readable).name())
                    .replace("{B}", alias + "j"))
        .orElse(table.name() + " " + alias);
  }

  private String where(GeneratedTable table, String alias, int depth) {
    int size = scope.size();
    with(table, alias);
    nesting++;
    String condition = condition(depth + 1);
    nesting--;
    scope.subList(size, scope.size()).clear();
    return " WHERE " + condition;
  }

  /** A condition. */
  String condition() {
    return condition(0);
  }

  /** A condition on a single column, which only a few rows satisfy. */
  String simpleCondition() {
    ColumnReference column = random.oneOf(scope);
    String literal = literal(column.type());
    return switch (random.below(6)) {
      case 0 -> "(" + column.text() + " IN (" + literal + ", " + literal(column.type()) + "))";
      case 1 -> "(" + column.text() + random.oneOf(" < ", " <= ", " > ", " >= ") + literal + ")";
      case 2 -> "(" + column.text() + random.oneOf(" IS NULL", " IS NOT NULL") + ")";
      default -> "(" + column.text() + " = " + literal + ")";
    };
  }

  private String condition(int depth) {
    if (depth < MAX_DEPTH) {
      switch (random.alternative("condition", 1, 1, 1, 1, 4)) {
        case 0:
          return "(" + condition(depth + 1) + " AND " + condition(depth + 1) + ")";
        case 1:
          return "(" + condition(depth + 1) + " OR " + condition(depth + 1) + ")";
        case 2:
          return "(NOT " + condition(depth + 1) + ")";
        case 3:
          if (!readable.isEmpty() && random.percent(60)) {
            return subquery(depth + 1);
          }
          break;
        default:
          break;
      }
    }
    return predicate(depth);
  }

  private String predicate(int depth) {
    SqlType type =
        random.oneOf(SqlType.INT, SqlType.INT, SqlType.TEXT, SqlType.DECIMAL, SqlType.DATE);
    return switch (random.alternative("predicate", 1, 1, 1, 1, 1, 2)) {
      case 0 -> "(" + value(type, depth) + " IS " + random.oneOf("", "NOT ") + "NULL)";
      case 1 -> "(" + value(type, depth) + " IN (" + literal(type) + ", " + literal(type) + "))";
      case 2 ->
          "(" + value(type, depth) + " BETWEEN " + literal(type) + " AND " + literal(type) + ")";
      case 3 -> "(" + value(SqlType.TEXT, depth) + " LIKE '" + random.oneOf("a%", "%b", "_") + "')";
      case 4 ->
          grammar.allowsNumericConditions() ? "(" + value(SqlType.INT, depth) + ")" : "(1 = 1)";
      default ->
          "("
              + value(type, depth)
              + " "
              + random.oneOf("=", "<>", "<", "<=", ">", ">=")
              + " "
              + value(type, depth)
              + ")";
    };
  }

  private String subquery(int depth) {
    GeneratedTable table = random.oneOf(readable);
    String alias = "q" + ++aliases;
    if (random.alternative("subquery", 50, 50) == 0) {
      return random.oneOf("(EXISTS", "(NOT EXISTS")
          + " (SELECT 1 FROM "
          + source(table, alias)
          + where(table, alias, depth)
          + "))";
    }
    Column column = random.oneOf(table.columns());
    String value = value(column.type(), depth);
    return "("
        + value
        + (grammar.hasQuantifiers() && random.percent("quantifier", 30)
            ? random.oneOf(" = ANY ", " < ANY ", " >= ALL ", " <> ALL ")
            : random.oneOf(" IN ", " NOT IN "))
        + "(SELECT "
        + alias
        + "."
        + column.name()
        + " FROM "
        + source(table, alias)
        + where(table, alias, depth)
        + "))";
  }
}
