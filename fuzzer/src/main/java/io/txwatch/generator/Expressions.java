package io.txwatch.generator;

import io.txwatch.generator.Table.Column;
import java.util.ArrayList;
import java.util.List;

/**
 * Generates typed expressions over the columns in scope.
 *
 * <p>Every operator is parenthesized, so no dialect's precedence changes what is meant.
 */
final class Expressions {

  private static final int DEEPEST = 3;

  private final Chance chance;
  private final Grammar grammar;
  private final Literals literals;

  /**
   * A column as an expression names it.
   *
   * @param within its name within a subquery, whose own columns may have the same
   */
  private record Reference(String text, String within, SqlType type) {}

  private final List<Reference> scope = new ArrayList<>();

  /** Tables that subqueries may read; empty where there must be none. */
  private final List<Table> readable;

  private int aliases;

  /** How many subqueries what comes next is within. */
  private int nesting;

  Expressions(Chance chance, Grammar grammar, Literals literals, List<Table> readable) {
    this.chance = chance;
    this.grammar = grammar;
    this.literals = literals;
    this.readable = readable;
  }

  /** Adds a table's columns, qualified if {@code alias} is not empty. */
  Expressions with(Table table, String alias) {
    for (Column column : table.columns()) {
      String within = (alias.isEmpty() ? table.name() : alias) + "." + column.name();
      scope.add(new Reference(alias.isEmpty() ? column.name() : within, within, column.type()));
    }
    return this;
  }

  /** A literal. */
  String literal(SqlType type) {
    return literals.of(type);
  }

  /** A value of that type. */
  String value(SqlType type) {
    return value(type, 0);
  }

  private String value(SqlType type, int depth) {
    List<Reference> fitting = scope.stream().filter(reference -> reference.type() == type).toList();
    if (!fitting.isEmpty() && chance.in100(40)) {
      Reference reference = chance.oneOf(fitting);
      return nesting > 0 ? reference.within() : reference.text();
    }
    if (depth >= DEEPEST || chance.in100(40)) {
      return literal(type);
    }
    int deeper = depth + 1;
    switch (chance.below(6)) {
      case 2:
        return extreme(type, deeper);
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

  private String operator(SqlType type, int depth) {
    return switch (type) {
      case INT ->
          switch (chance.below(6)) {
            case 0 -> "ABS(" + value(type, depth) + ")";
            case 1 -> "LENGTH(" + value(SqlType.TEXT, depth) + ")";
            case 2 -> "(" + value(type, depth) + " - " + value(type, depth) + ")";
            case 3 -> readable.isEmpty() ? literal(type) : count(depth);
            default -> "(" + value(type, depth) + " + " + literal(type) + ")";
          };
      case DATE -> literal(type);
      case DECIMAL -> "(" + value(type, depth) + chance.oneOf(" + ", " - ") + literal(type) + ")";
      case TEXT -> chance.oneOf("UPPER(", "LOWER(", "TRIM(") + value(type, depth) + ")";
    };
  }

  private String count(int depth) {
    Table table = chance.oneOf(readable);
    String alias = "q" + ++aliases;
    return "(SELECT COUNT(*) FROM " + table.name() + " " + alias + where(table, alias, depth) + ")";
  }

  /** The least or greatest value of that type in some column; a literal where there is none. */
  private String extreme(SqlType type, int depth) {
    List<Table> fitting =
        readable.stream()
            .filter(table -> table.columns().stream().anyMatch(c -> c.type() == type))
            .toList();
    if (fitting.isEmpty()) {
      return literal(type);
    }
    Table table = chance.oneOf(fitting);
    Column column = chance.oneOf(table.columns().stream().filter(c -> c.type() == type).toList());
    String alias = "q" + ++aliases;
    return "(SELECT "
        + chance.oneOf("MIN(", "MAX(")
        + alias
        + "."
        + column.name()
        + ") FROM "
        + table.name()
        + " "
        + alias
        + where(table, alias, depth)
        + ")";
  }

  private String where(Table table, String alias, int depth) {
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

  /** A condition that a few rows meet: by one column's value. */
  String simpleCondition() {
    Reference column = chance.oneOf(scope);
    String literal = literal(column.type());
    return switch (chance.below(6)) {
      case 0 -> "(" + column.text() + " IN (" + literal + ", " + literal(column.type()) + "))";
      case 1 -> "(" + column.text() + chance.oneOf(" < ", " <= ", " > ", " >= ") + literal + ")";
      case 2 -> "(" + column.text() + chance.oneOf(" IS NULL", " IS NOT NULL") + ")";
      default -> "(" + column.text() + " = " + literal + ")";
    };
  }

  private String condition(int depth) {
    if (depth < DEEPEST) {
      switch (chance.below(8)) {
        case 0:
          return "(" + condition(depth + 1) + " AND " + condition(depth + 1) + ")";
        case 1:
          return "(" + condition(depth + 1) + " OR " + condition(depth + 1) + ")";
        case 2:
          return "(NOT " + condition(depth + 1) + ")";
        case 3:
          if (!readable.isEmpty() && chance.in100(60)) {
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
        chance.oneOf(SqlType.INT, SqlType.INT, SqlType.TEXT, SqlType.DECIMAL, SqlType.DATE);
    return switch (chance.below(7)) {
      case 0 -> "(" + value(type, depth) + " IS " + chance.oneOf("", "NOT ") + "NULL)";
      case 1 -> "(" + value(type, depth) + " IN (" + literal(type) + ", " + literal(type) + "))";
      case 2 ->
          "(" + value(type, depth) + " BETWEEN " + literal(type) + " AND " + literal(type) + ")";
      case 3 -> "(" + value(SqlType.TEXT, depth) + " LIKE '" + chance.oneOf("a%", "%b", "_") + "')";
      case 4 ->
          grammar.takesNumbersForConditions() ? "(" + value(SqlType.INT, depth) + ")" : "(1 = 1)";
      default ->
          "("
              + value(type, depth)
              + " "
              + chance.oneOf("=", "<>", "<", "<=", ">", ">=")
              + " "
              + value(type, depth)
              + ")";
    };
  }

  private String subquery(int depth) {
    Table table = chance.oneOf(readable);
    String alias = "q" + ++aliases;
    if (chance.in100(50)) {
      return chance.oneOf("(EXISTS", "(NOT EXISTS")
          + " (SELECT 1 FROM "
          + table.name()
          + " "
          + alias
          + where(table, alias, depth)
          + "))";
    }
    Column column = chance.oneOf(table.columns());
    String value = value(column.type(), depth);
    return "("
        + value
        + (grammar.hasQuantifiers() && chance.in100(30)
            ? chance.oneOf(" = ANY ", " < ANY ", " >= ALL ", " <> ALL ")
            : chance.oneOf(" IN ", " NOT IN "))
        + "(SELECT "
        + alias
        + "."
        + column.name()
        + " FROM "
        + table.name()
        + " "
        + alias
        + where(table, alias, depth)
        + "))";
  }
}
