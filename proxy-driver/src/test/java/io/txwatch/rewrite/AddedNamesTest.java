package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.SideRead;
import io.txwatch.plan.SystemColumnKey;
import io.txwatch.plan.SystemColumnKey.Replaced;
import io.txwatch.product.registry.Products;
import io.txwatch.sql.dialect.Dialect;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * What is added to a statement of PostgreSQL names no operator, function or type that a user may
 * have defined: an unqualified one is in a rewritten text only if it is in the original.
 */
class AddedNamesTest {

  private static final Pattern QUOTED = Pattern.compile("'(?:[^']|'')*'|\"[^\"]*\"");

  private static final Pattern NAME =
      Pattern.compile(
          "(?<![.\\w])(?<called>[a-z_]\\w*)\\s*\\(|::(?<type>\\w++)(?!\\.)|collate\\s+(?<order>\\w++)(?!\\.)"
              + "|(?<![.\\-+/<>=~!@#%^&|])(?<operator>[-+/<>=~!@#%^&|]+)");

  /** Words of the grammar, and the tables. */
  private static final Set<String> NO_NAMES =
      Set.of(
          """
          operator coalesce cast filter select from where and or not as in on when
          exists values distinct all returning union then else using varchar t u w
          """
              .strip()
              .split("\\s+"));

  private static final List<SystemColumnKey> KEYS =
      List.of(
          new SystemColumnKey(List.of("id"), true, Set.of(Replaced.RETURNED), Set.of()),
          new SystemColumnKey(List.of("id"), true, Set.of(Replaced.KEPT), Set.of()),
          new SystemColumnKey(List.of("id", "a"), false, Set.of(Replaced.KEPT), Set.of()),
          new SystemColumnKey(List.of(), false, Set.of(Replaced.RETURNED), Set.of()),
          new SystemColumnKey(List.of(), false, Set.of(Replaced.KEPT), Set.of()));

  @Property(tries = 100)
  void generatedStatements(@ForAll long seed) {
    StatementGenerator statements = new StatementGenerator(seed);
    ReadGenerator reads = new ReadGenerator(seed, Dialect.POSTGRESQL);
    for (int i = 0; i < 6; i++) {
      check(i % 2 == 0 ? reads.query() : statements.statement());
    }
  }

  @Example
  void aViewsQueryStandsInItsPlace() {
    assertThat(sideReads("SELECT id FROM v")).anyMatch(read -> read.contains("pg_catalog.lower"));
    check("SELECT id FROM v");
    check("SELECT DISTINCT id FROM v");
  }

  @Example
  void writesReturnWhatTheyReplace() {
    check("UPDATE t SET id = 1");
    check("INSERT INTO t VALUES (1, 2, 3) ON CONFLICT (id) DO UPDATE SET a = 4");
    check("INSERT INTO t SELECT id, t_id, c FROM u");
    check("DELETE FROM t USING u");
    check("MERGE INTO t USING u ON true WHEN MATCHED THEN UPDATE SET a = 1");
    check("SELECT max(a), b FROM t GROUP BY b");
  }

  private static void check(String sql) {
    check(sql, catalog().prepared("t", "id", "a", "b").prepared("u", "id", "t_id", "c"));
    for (SystemColumnKey key : KEYS) {
      check(sql, catalog().system(key, "t", "id", "a", "b").system(key, "u", "id", "a", "c"));
    }
  }

  private static List<String> sideReads(String sql) {
    TestCatalog catalog = catalog().prepared("t", "id", "a", "b");
    return new RewritePlanner(
            Products.of(Dialect.POSTGRESQL).sql(), RewritePlanner.Level.PREDICATES)
        .plan(sql, catalog, PlanRequest.ANY).sideReads().stream().map(SideRead::sql).toList();
  }

  private static TestCatalog catalog() {
    return new TestCatalog(Dialect.POSTGRESQL)
        .prepared("w", "a", "c")
        .view(
            "v",
            " SELECT t.id,\n    CASE t.a\n    WHEN 1 THEN NULLIF(t.b, 2)\n    ELSE 3\n  END AS n"
                + "\n   FROM t\n  WHERE (lower((t.a)::text) <> (t.b)::text)",
            "id",
            "n");
  }

  private static void check(String sql, TestCatalog catalog) {
    for (PlanRequest request : List.of(PlanRequest.ANY, PlanRequest.RETURNING_NOTHING)) {
      RewritePlan plan =
          new RewritePlanner(Products.of(Dialect.POSTGRESQL).sql(), RewritePlanner.Level.PREDICATES)
              .plan(sql, catalog, request);
      List<String> texts = new ArrayList<>(List.of(plan.preparedSql()));
      plan.sideReads().stream().map(SideRead::sql).forEach(texts::add);
      for (String text : texts) {
        assertThat(names(sql)).describedAs(text).containsAll(names(text));
      }
    }
  }

  /** The names in a text that have no schema. */
  private static Set<String> names(String sql) {
    Set<String> names = new TreeSet<>();
    Matcher name = NAME.matcher(QUOTED.matcher(sql.toLowerCase(Locale.ROOT)).replaceAll("\"\""));
    while (name.find()) {
      for (String kind : List.of("called", "type", "order", "operator")) {
        String found = name.group(kind);
        if (found != null && !NO_NAMES.contains(found)) {
          names.add(found);
        }
      }
    }
    return names;
  }
}
