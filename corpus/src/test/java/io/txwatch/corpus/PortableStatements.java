package io.txwatch.corpus;

import io.txwatch.corpus.Schema.Column;
import io.txwatch.corpus.Schema.Table;
import io.txwatch.corpus.Schema.Type;
import io.txwatch.corpus.Script.Step;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/**
 * Arbitraries of statements that every DBMS supports, over one table or a join of two. Values are
 * small, so that statements use the same rows. Each part shrinks separately, so a statement that
 * differs is reduced to the part that causes the difference.
 */
final class PortableStatements {

  private static final List<Table> TABLES =
      List.of(Schema.ACCOUNT, Schema.BRANCH, Schema.PAIR, Schema.ITEM, Schema.TAG, Schema.PERSON);

  private PortableStatements() {}

  /** A statement with one of the execution methods that suit it. */
  static Arbitrary<Step> steps() {
    Arbitrary<String> texts =
        Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(6, queries()),
            net.jqwik.api.Tuple.of(2, updates()),
            net.jqwik.api.Tuple.of(1, deletes()),
            net.jqwik.api.Tuple.of(2, inserts()));
    return Combinators.combine(texts, Arbitraries.integers().between(0, 3))
        .as((sql, turn) -> new Step(sql, List.of(), ExecutionMethod.choose(sql, false, turn)));
  }

  // ---------------------------------------------------------------- queries

  private static Arbitrary<String> queries() {
    return Arbitraries.oneOf(lists(), groups(), aggregates(), setOperations());
  }

  /** {@code SELECT … FROM … WHERE …}, ordered by all selected columns, perhaps with a LIMIT. */
  private static Arbitrary<String> lists() {
    return sources()
        .flatMap(
            source ->
                Combinators.combine(
                        Arbitraries.of("", "DISTINCT "),
                        source.terms().list().ofMinSize(1).ofMaxSize(3),
                        where(source),
                        Arbitraries.of("", " LIMIT 2", " LIMIT 3 OFFSET 1"))
                    .as(
                        (distinct, terms, where, limit) ->
                            "SELECT "
                                + distinct
                                + named(terms)
                                + source.from
                                + where
                                + ordered(terms.size())
                                + limit));
  }

  private static Arbitrary<String> groups() {
    return sources()
        .flatMap(
            source ->
                Combinators.combine(
                        source.columns(),
                        source.terms(),
                        where(source),
                        Arbitraries.of("", " HAVING count(*) > 1"))
                    .as(
                        (by, of, where, having) ->
                            "SELECT %s AS c0, count(*) AS c1, sum(%s) AS c2%s%s GROUP BY %s%s%s"
                                .formatted(by, of, source.from, where, by, having, ordered(3))));
  }

  private static Arbitrary<String> aggregates() {
    return sources()
        .flatMap(
            source ->
                Combinators.combine(
                        Arbitraries.of("count", "sum", "min", "max"), source.terms(), where(source))
                    .as(
                        (name, of, where) ->
                            "SELECT " + name + "(" + of + ")" + source.from + where));
  }

  private static Arbitrary<String> setOperations() {
    Arbitrary<String> branches =
        sources()
            .flatMap(
                source ->
                    Combinators.combine(source.terms(), where(source))
                        .as((of, where) -> "SELECT " + of + " AS c0" + source.from + where));
    return Combinators.combine(branches, Arbitraries.of("UNION", "UNION ALL"), branches)
        .as((left, operator, right) -> left + " " + operator + " " + right + " ORDER BY 1");
  }

  private static String named(List<String> terms) {
    StringBuilder list = new StringBuilder();
    for (int i = 0; i < terms.size(); i++) {
      list.append(i == 0 ? "" : ", ").append(terms.get(i)).append(" AS c").append(i);
    }
    return list.toString();
  }

  /** An ORDER BY of all columns; only equal rows are ties. */
  private static String ordered(int columns) {
    StringBuilder order = new StringBuilder(" ORDER BY 1");
    for (int i = 2; i <= columns; i++) {
      order.append(", ").append(i);
    }
    return order.toString();
  }

  // ---------------------------------------------------------------- writes

  private static Arbitrary<String> updates() {
    return Arbitraries.of(TABLES)
        .filter(table -> table.columnsOf(Type.INT).stream().anyMatch(column -> !column.key()))
        .flatMap(
            table -> {
              Source source = new Source(" FROM " + table.name(), ints(table.name(), table));
              return Combinators.combine(
                      Arbitraries.of(
                          table.columnsOf(Type.INT).stream()
                              .filter(column -> !column.key())
                              .toList()),
                      source.terms(),
                      where(source))
                  .as(
                      (column, value, where) ->
                          "UPDATE "
                              + table.name()
                              + " SET "
                              + column.name()
                              + " = "
                              + value
                              + where);
            });
  }

  private static Arbitrary<String> deletes() {
    return Arbitraries.of(TABLES)
        .flatMap(
            table ->
                where(new Source("", ints(table.name(), table)))
                    .map(where -> "DELETE FROM " + table.name() + where));
  }

  private static Arbitrary<String> inserts() {
    Arbitrary<Integer> keys = Arbitraries.integers().between(1, 12);
    Arbitrary<String> values = Arbitraries.oneOf(keys.map(String::valueOf), Arbitraries.of("NULL"));
    Arbitrary<String> rows =
        Combinators.combine(keys, values, values)
            .as((id, balance, branch) -> "(" + id + ", " + balance + ", " + branch + ")");
    Arbitrary<String> ofValues =
        rows.list()
            .ofMinSize(1)
            .ofMaxSize(3)
            .map(
                all ->
                    "INSERT INTO account (id, balance, branch_id) VALUES "
                        + String.join(", ", all));
    Arbitrary<String> ofQuery =
        sources()
            .flatMap(
                source ->
                    Combinators.combine(source.terms(), where(source))
                        .as(
                            (of, where) ->
                                "INSERT INTO tag (account_id) SELECT " + of + source.from + where));
    return Arbitraries.oneOf(ofValues, ofQuery);
  }

  // ---------------------------------------------------------------- parts

  /**
   * A FROM clause.
   *
   * @param from the text
   * @param ints its qualified integer columns
   */
  private record Source(String from, List<String> ints) {

    Arbitrary<String> columns() {
      return Arbitraries.of(ints);
    }

    /** A column, or the sum of a column and a number. */
    Arbitrary<String> terms() {
      Arbitrary<String> sums =
          Combinators.combine(columns(), numbers()).as((column, n) -> column + " + " + n);
      return Arbitraries.oneOf(columns(), columns(), sums);
    }
  }

  private static Arbitrary<Integer> numbers() {
    return Arbitraries.oneOf(Arbitraries.integers().between(0, 3), Arbitraries.of(100, 200));
  }

  private static List<String> ints(String alias, Table table) {
    return table.columnsOf(Type.INT).stream().map(column -> alias + "." + column.name()).toList();
  }

  private static Arbitrary<Source> sources() {
    Arbitrary<Source> one =
        Arbitraries.of(TABLES)
            .map(table -> new Source(" FROM " + table.name() + " x", ints("x", table)));
    Arbitrary<Source> two =
        Combinators.combine(
                Arbitraries.of(TABLES), Arbitraries.of(TABLES), Arbitraries.of("JOIN", "LEFT JOIN"))
            .flatAs(
                (left, right, join) ->
                    Combinators.combine(
                            Arbitraries.of(ints("x", left)), Arbitraries.of(ints("y", right)))
                        .as(
                            (a, b) ->
                                new Source(
                                    " FROM %s x %s %s y ON %s = %s"
                                        .formatted(left.name(), join, right.name(), a, b),
                                    both(ints("x", left), ints("y", right)))));
    return Arbitraries.oneOf(one, two);
  }

  private static List<String> both(List<String> left, List<String> right) {
    return java.util.stream.Stream.concat(left.stream(), right.stream()).toList();
  }

  private static Arbitrary<String> where(Source source) {
    return Arbitraries.oneOf(Arbitraries.of(""), conditions(source).map(c -> " WHERE " + c));
  }

  private static Arbitrary<String> conditions(Source source) {
    Arbitrary<String> columns = source.columns();
    Arbitrary<String> comparisons =
        Combinators.combine(columns, Arbitraries.of("=", "<", ">=", "<>"), numbers())
            .as((column, operator, n) -> column + " " + operator + " " + n);
    Arbitrary<String> nulls = columns.map(column -> column + " IS NULL");
    Arbitrary<String> subqueries =
        Combinators.combine(columns, Arbitraries.of(TABLES), Arbitraries.of("IN", "NOT IN"))
            .flatAs(
                (column, table, in) ->
                    Arbitraries.of(names(table))
                        .map(
                            name ->
                                "%s %s (SELECT z.%s FROM %s z WHERE z.%s IS NOT NULL)"
                                    .formatted(column, in, name, table.name(), name)));
    Arbitrary<String> correlated =
        Combinators.combine(columns, Arbitraries.of(TABLES), Arbitraries.of("", "NOT "))
            .flatAs(
                (column, table, not) ->
                    Arbitraries.of(names(table))
                        .map(
                            name ->
                                "%sEXISTS (SELECT 1 FROM %s z WHERE z.%s = %s)"
                                    .formatted(not, table.name(), name, column)));
    Arbitrary<String> simple =
        Arbitraries.oneOf(comparisons, comparisons, nulls, subqueries, correlated);
    Arbitrary<String> pairs =
        Combinators.combine(simple, Arbitraries.of("AND", "OR"), simple)
            .as((left, operator, right) -> left + " " + operator + " " + right);
    return Arbitraries.oneOf(simple, simple, pairs);
  }

  private static List<String> names(Table table) {
    return table.columnsOf(Type.INT).stream().map(Column::name).toList();
  }
}
