package io.txwatch.corpus;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.corpus.Script.Step;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * What is returned of system columns stays hidden: random nestings of stars, NATURAL joins, set
 * operations and renamed columns, with conditions that only PostgreSQL itself can parse, in queries
 * and as the source of writes.
 */
class HiddenColumnsProperties {

  private static final Map<ServerKind, DifferentialRunner> RUNNERS =
      new EnumMap<>(ServerKind.class);
  private static final Coverage COVERAGE = new Coverage();
  private static final int MAX_DEPTH = 3;

  /** Tables that have no column name in common except {@code id}. */
  private static final Arbitrary<String> TABLES =
      Arbitraries.of("account", "item", "branch", "pair");

  @Property(edgeCases = EdgeCasesMode.NONE, generation = GenerationMode.RANDOMIZED)
  void columnsStayHidden(@ForAll("postgres") List<Step> postgres, @ForAll boolean transactional)
      throws SQLException {
    run(ServerKind.POSTGRESQL, transactional, postgres);
  }

  private static void run(ServerKind kind, boolean transactional, List<Step> steps)
      throws SQLException {
    if (TestServers.kinds().noneMatch(kind::equals)) {
      return;
    }
    DifferentialRunner runner = RUNNERS.get(kind);
    if (runner == null) {
      runner = DifferentialRunner.of(kind, CorpusScope.requested().levels());
      RUNNERS.put(kind, runner);
    }
    List<Difference> differences =
        runner.run(
            new Script("property", transactional, steps),
            COVERAGE,
            CorpusScope.requested().levels());
    assertThat(differences)
        .as(differences.stream().map(Difference::toString).collect(Collectors.joining("\n")))
        .isEmpty();
  }

  @Provide
  static Arbitrary<List<Step>> postgres() {
    Grammar grammar = new Grammar();
    return Combinators.combine(grammar.statement(), Arbitraries.integers().between(0, 3))
        .as((sql, turn) -> new Step(sql, List.of(), ExecutionMethod.choose(sql, false, turn)))
        .list()
        .ofMinSize(1)
        .ofMaxSize(4);
  }

  /** The grammar. */
  private static final class Grammar {

    Arbitrary<String> statement() {
      Arbitrary<String> query = query(MAX_DEPTH);
      Arbitrary<String> counted = query.map(q -> "(SELECT count(*) FROM (" + q + ") AS top)");
      return Arbitraries.oneOf(
          query,
          query,
          counted.map(count -> "SELECT " + count + " AS n, id FROM item"),
          counted.map(count -> "UPDATE item SET qty = " + count + " WHERE id < 3"),
          counted.map(count -> "DELETE FROM item WHERE qty > " + count),
          counted.map(count -> "INSERT INTO pair (a, b) SELECT 900 + " + count + ", id FROM item"),
          condition(2)
              .map(
                  where ->
                      "DELETE FROM item WHERE id IN (SELECT id FROM"
                          + " (account NATURAL JOIN item) AS q WHERE "
                          + where
                          + ")"),
          condition(2)
              .map(where -> "INSERT INTO pair SELECT a + 500, b, label FROM pair WHERE " + where),
          condition(2)
              .map(where -> "INSERT INTO branch SELECT * FROM branch WHERE id > 900 AND " + where));
    }

    private Arbitrary<String> query(int depth) {
      Arbitrary<String> plain =
          Combinators.combine(
                  Arbitraries.of("SELECT *", "SELECT DISTINCT *", "SELECT 7 AS seven, *"),
                  source(depth),
                  condition(depth))
              .as((select, source, where) -> select + " FROM " + source + " WHERE " + where);
      if (depth == 0) {
        return plain;
      }
      Arbitrary<String> sets =
          Combinators.combine(
                  TABLES,
                  Arbitraries.of(" UNION ", " EXCEPT ", " INTERSECT ", " UNION ALL "),
                  condition(depth - 1),
                  condition(depth - 1))
              .as(
                  (table, set, left, right) ->
                      "SELECT * FROM "
                          + table
                          + " WHERE "
                          + left
                          + set
                          + "SELECT * FROM "
                          + table
                          + " WHERE "
                          + right);
      Arbitrary<String> common =
          Combinators.combine(query(depth - 1), Arbitraries.of("w", "W", "\"w\""))
              .as((query, name) -> "WITH w AS (" + query + ") SELECT * FROM " + name);
      return Arbitraries.frequencyOf(
          net.jqwik.api.Tuple.of(4, plain),
          net.jqwik.api.Tuple.of(2, sets),
          net.jqwik.api.Tuple.of(1, common));
    }

    private Arbitrary<String> source(int depth) {
      String schema = "public.";
      Arbitrary<String> joined =
          Combinators.combine(
                  Arbitraries.of("account", schema + "account", "branch"),
                  Arbitraries.of(" NATURAL JOIN ", " NATURAL LEFT JOIN ", " NATURAL INNER JOIN "),
                  Arbitraries.of("item", schema + "item", "pair"))
              .as((left, join, right) -> left + join + right);
      Arbitrary<String> tables = Arbitraries.oneOf(TABLES, TABLES.map(table -> schema + table));
      Arbitrary<String> flat =
          Arbitraries.oneOf(
              tables,
              joined,
              joined.map(join -> "(" + join + ") AS q"),
              joined.map(join -> "(" + join + "), tag"),
              Arbitraries.just("account AS q (c1, c2, c3)"),
              Arbitraries.of("item AS \"I\"", "\"account\" AS \"Q\""));
      return depth == 0
          ? flat
          : Arbitraries.oneOf(flat, flat, query(depth - 1).map(query -> "(" + query + ") AS d"));
    }

    private Arbitrary<String> condition(int depth) {
      Arbitrary<String> odd =
          Arbitraries.of(
              "1 OPERATOR(pg_catalog.=) 1",
              "'a' ISNULL IS NOT TRUE",
              "'{\"k\":1}'::jsonb @? '$.k'",
              "now() AT LOCAL > '2000-01-01'",
              "'u' SIMILAR TO 'u|v'");
      Arbitrary<String> plain = Arbitraries.oneOf(Arbitraries.just("1 = 1"), odd);
      return depth == 0
          ? plain
          : Arbitraries.oneOf(
              plain,
              plain,
              query(depth - 1).map(query -> "EXISTS (" + query + ")"),
              query(depth - 1)
                  .map(query -> "(SELECT count(*) FROM (" + query + ") AS k) > 1 AND 1 = 1"));
    }
  }
}
