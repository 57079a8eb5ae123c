package io.txwatch.generator;

import io.txwatch.dbms.SqlFeature;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** Generates queries; as bags, their results do not depend on the order of rows. */
final class QueryGenerator {

  private static final int FORMS = 15;
  private static final int[] EQUAL_PARTS = IntStream.generate(() -> 1).limit(FORMS).toArray();

  private final StatementContext context;
  private final RandomSource random;
  private final GeneratedDialect grammar;
  private final Productions productions;

  QueryGenerator(StatementContext context) {
    this.context = context;
    this.random = context.random;
    this.grammar = context.grammar;
    this.productions = Productions.of(grammar);
  }

  /** A plain query. */
  GeneratedStatement plain() {
    return new GeneratedStatement("select", text(), Set.of());
  }

  /** A query that locks the rows it returns. */
  GeneratedStatement locking() {
    GeneratedTable table = context.randomTable();
    ExpressionGenerator expressions = context.expressions(List.of()).with(table, "");
    String lock =
        grammar.locks().contains("")
            ? ""
            : productions
                .draw("lock", random)
                .map(text -> " " + text)
                .orElseGet(() -> random.oneOf(grammar.locks()));
    return new GeneratedStatement(
        "locking select",
        "SELECT * FROM " + table.name() + context.where(table, expressions) + lock,
        lock.endsWith("NOWAIT") ? Set.of(ExpectedError.LOCK_NOT_AVAILABLE) : Set.of());
  }

  private String text() {
    GeneratedTable table = context.randomTable();
    ExpressionGenerator expressions = context.expressions(context.tables);
    int form =
        context.caseKind.readsWholeRows(random) ? FORMS : random.alternative("query", EQUAL_PARTS);
    if (form == 3 || form == 4) {
      return join(
          table,
          grammar.allowsSubqueryInJoin() ? expressions : context.expressions(List.of()),
          form == 4);
    }
    if (form >= FORMS - 2 && table.hasView() && random.percent(60)) {
      return "SELECT * FROM v_" + table.name() + (random.percent(50) ? "" : " WHERE (c0 <= 3)");
    }
    expressions.with(table, "");
    String rows = table.name() + context.where(table, expressions);
    return switch (form) {
      case 0 -> "SELECT COUNT(*), MIN(c0), MAX(c0) FROM " + rows;
      case 1 -> "SELECT c1, COUNT(*), SUM(c0) FROM " + rows + groups();
      case 2 -> "SELECT DISTINCT c1 FROM " + rows;
      case 5 -> setOperation(rows);
      case 6 ->
          "SELECT * FROM %s ORDER BY %s%s"
              .formatted(rows, table.allColumns(), grammar.limit(random.between(1, 3)));
      case 7 ->
          grammar.supportsOrderedRowNumber()
              ? "SELECT c0, " + window(table) + " AS n FROM " + rows
              : wholeRows(rows);
      case 8 ->
          grammar.hasCommonTableExpressions()
              ? "WITH w AS (SELECT * FROM " + rows + ") SELECT * FROM w"
              : wholeRows(rows);
      case 9 ->
          "SELECT d.c0, d.c1 FROM (SELECT * FROM "
              + rows
              + ") d WHERE "
              + context.expressions(List.of()).with(table, "d").simpleCondition();
      case 10 ->
          "SELECT c0, " + expressions.value(random.oneOf(SqlType.COMMON)) + " AS v FROM " + rows;
      case 11 -> grammar.hasRecursion() ? recursion(rows) : wholeRows(rows);
      default -> wholeRows(rows);
    };
  }

  private static String wholeRows(String rows) {
    return "SELECT * FROM " + rows;
  }

  private String setOperation(String rows) {
    return "SELECT c0 FROM "
        + rows
        + (grammar.has(SqlFeature.SET_OPERATIONS)
            ? random.oneOf(" UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT ")
            : random.oneOf(" UNION ", " UNION ALL "))
        + "SELECT c0 FROM "
        + context.randomTable().name();
  }

  private static String recursion(String rows) {
    return "WITH RECURSIVE w(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM w WHERE n < 2) "
        + "SELECT c0, n FROM w CROSS JOIN "
        + rows;
  }

  private String groups() {
    return " GROUP BY c1"
        + (random.percent("having", 30) ? " HAVING COUNT(*) > 1" : "")
        + " ORDER BY c1";
  }

  private String window(GeneratedTable table) {
    Optional<String> further = productions.draw("window", random);
    if (further.isPresent()) {
      return further.get().replace("{ALL}", table.allColumns());
    }
    return switch (random.below(4)) {
      case 0 -> "RANK() OVER (ORDER BY c1)";
      case 1 -> "SUM(c0) OVER (PARTITION BY c1)";
      case 2 -> "COUNT(*) OVER (ORDER BY c0)";
      default -> "ROW_NUMBER() OVER (ORDER BY " + table.allColumns() + ")";
    };
  }

  private static String named(String production, GeneratedTable table, GeneratedTable other) {
    return production.replace("{T}", table.name()).replace("{O}", other.name());
  }

  /** True if columns of the same name have comparable types. */
  private static boolean canJoinNaturally(GeneratedTable table, GeneratedTable other) {
    return !table.equals(other)
        && table.columns().stream()
            .allMatch(
                column ->
                    other.columns().stream()
                        .filter(own -> own.name().equals(column.name()))
                        .allMatch(own -> own.type() == column.type()));
  }

  private String join(GeneratedTable table, ExpressionGenerator expressions, boolean ofThree) {
    GeneratedTable other = context.randomTable();
    if (canJoinNaturally(table, other)) {
      Optional<String> natural = productions.draw("natural join", random);
      if (natural.isPresent()) {
        return named(natural.get(), table, other);
      }
    }
    expressions.with(table, "a").with(other, "b");
    Optional<String> special = ofThree ? Optional.empty() : productions.draw("join", random);
    if (special.isPresent()) {
      return named(special.get(), table, other).replace("{ON}", expressions.condition());
    }
    String two =
        " a "
            + random.oneOf("JOIN ", "LEFT JOIN ")
            + other.name()
            + " b ON "
            + expressions.condition();
    if (!ofThree) {
      return "SELECT a.c0, b.c0 FROM " + table.name() + two;
    }
    GeneratedTable third = context.randomTable();
    return "SELECT a.c0, b.c1, c.c0 FROM "
        + table.name()
        + two
        + " JOIN "
        + third.name()
        + " c ON (b.c0 = c.c0)";
  }
}
