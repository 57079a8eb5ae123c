package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.Carried;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.RewritePlan;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.sql.dialect.Dialect;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What the rows of a statement carry at level inline, as "statement -> reads": the read's tables,
 * {@code ~} in front if it may list more, {@code ?} if it is lost where no row comes back; then the
 * application's parameters that they take once more, in order. What stays unseen is written as
 * {@code ! reason}.
 */
class CarriedTest {

  private static final List<Dialect> ALL =
      List.copyOf(EnumSet.complementOf(EnumSet.of(Dialect.SQLITE, Dialect.OTHER))); // not rewritten
  private static final List<Dialect> RETURNING = List.of(Dialect.POSTGRESQL, Dialect.H2);
  private static final List<Dialect> PARAMETERS = RETURNING;

  @TestFactory
  Stream<DynamicTest> queries() {
    return cases(
        ALL,
        """
        SELECT a FROM t WHERE a IN (SELECT c FROM u WHERE c > 1)
        -> ? u
        SELECT a FROM t WHERE a IN (SELECT c FROM u) OR b = 1
        -> ~ ? u
        SELECT count(*) FROM t WHERE a IN (SELECT c FROM u)
        -> ~ ? u
        SELECT CASE WHEN a > 1 THEN (SELECT max(c) FROM u) END FROM t
        -> ~ u
        SELECT a FROM t WHERE a IN (SELECT x.c FROM (SELECT DISTINCT c FROM u) x) OR b = 1
        -> ~ ? u
        SELECT (SELECT max(c) FROM u), a FROM t
        -> u
        SELECT a, (SELECT max(y.c) FROM t2 y WHERE y.a = x.a) FROM t x WHERE x.b = 1
        -> t2
        SELECT a FROM t WHERE EXISTS (SELECT * FROM u WHERE u.c = t.a)
        -> ~ ? u
        SELECT DISTINCT a FROM t WHERE b = 1 ORDER BY a
        -> t
        SELECT a FROM t UNION SELECT c FROM u ORDER BY 1
        -> t
        -> u
        SELECT a FROM t INTERSECT SELECT c FROM u ORDER BY 1
        -> ~ ? t
        -> ~ ? u
        SELECT my_function(a) FROM t
        -> t
        SELECT z.a FROM (SELECT DISTINCT a FROM t) z
        -> ? t
        WITH q AS (SELECT DISTINCT a FROM t) SELECT x.a FROM q x, q y
        -> ~ ? t
        """);
  }

  @TestFactory
  Stream<DynamicTest> whatCouldBeNoticedIsNotAdded() {
    return cases(
        ALL,
        """
        SELECT a FROM t WHERE a IN (SELECT c FROM u WHERE 10 / c > 1)
        -> ! SHAPE a subquery's rows are not seen: u
        SELECT a FROM t WHERE a IN (SELECT c FROM u WHERE c = (SELECT c FROM t2))
        -> ~ ? t2
        -> ! SHAPE a subquery's rows are not seen: u
        SELECT a FROM t WHERE a IN (SELECT c FROM u WHERE my_function(c) = 1)
        -> ! SHAPE a subquery's rows are not seen: u
        SELECT a FROM t WHERE a IN (SELECT u.c FROM u, v WHERE u.c = v.a)
        -> ! SHAPE a subquery's rows are not seen: u
        SELECT a FROM t WHERE a IN (SELECT u.c FROM u FOR UPDATE)
        -> ! SHAPE a subquery's rows are not seen: u
        SELECT DISTINCT a INTO n FROM t ORDER BY a
        -> ! SHAPE DISTINCT
        """);
  }

  @TestFactory
  Stream<DynamicTest> parameters() {
    return Stream.concat(
        cases(
            PARAMETERS,
            """
            SELECT ?, a FROM t WHERE a IN (SELECT c FROM u WHERE c > ?) AND b < ?
            -> ? u
            -> takes [2]
            SELECT a FROM t WHERE a = ? UNION ALL SELECT count(*) FROM u WHERE c > ?
            -> t
            -> u
            -> takes [1, 2, 1, 2]
            """),
        cases(
            List.of(Dialect.MYSQL, Dialect.MARIADB),
            """
            SELECT a FROM t WHERE a IN (SELECT c FROM u WHERE c > ?)
            -> ! SHAPE a subquery's rows are not seen: u
            SELECT a FROM t WHERE a IN (SELECT c FROM u WHERE c > 'x')
            -> ! SHAPE a subquery's rows are not seen: u
            """));
  }

  @TestFactory
  Stream<DynamicTest> writes() {
    return Stream.concat(
        cases(
            RETURNING,
            """
            UPDATE t SET b = 1 WHERE a IN (SELECT c FROM u)
            -> ? u
            INSERT INTO t SELECT a, c FROM t2 WHERE c > 1
            -> t2
            """),
        Stream.concat(
            cases(
                List.of(Dialect.POSTGRESQL),
                """
                DELETE FROM t WHERE a IN (SELECT c FROM u)
                -> ? u
                UPDATE t SET b = 1 FROM u WHERE u.c = t.a
                -> ~ ? u
                INSERT INTO t (a) VALUES ((SELECT max(c) FROM u))
                -> ? u
                """),
            cases(
                List.of(Dialect.H2),
                """
                DELETE FROM t WHERE a IN (SELECT c FROM u)
                -> ! SHAPE rows that it reads are not seen: u
                """)));
  }

  @Test
  void theColumnInEachDialectsWords() {
    String sql = "SELECT a FROM t WHERE a IN (SELECT c FROM u)";
    assertThat(plan(Dialect.POSTGRESQL, sql).preparedSql())
        .isEqualTo(
            """
            SELECT a, "a" as txw_rid, xmin::pg_catalog.text as txw_wl, (select count(*) || ';' || case when count(*)
             operator(pg_catalog.>) 500 then '' else coalesce(pg_catalog.string_agg(coalesce(txw_r0
             || ':' || coalesce(txw_w0, ''), ''), ',' order by coalesce(txw_r0 || ':' ||
             coalesce(txw_w0, ''), '')), '') end from (select u."c" as txw_r0,
             u.xmin::pg_catalog.text as txw_w0 from u limit 501) txw) as txw_wl FROM t WHERE a IN (SELECT c FROM u)\
            """
                .replace("\n", "")
                .replace("||", "operator(pg_catalog.||)")
                .replace("count(*)", "pg_catalog.count(*)"));
    assertThat(plan(Dialect.MYSQL, sql).preparedSql())
        .isEqualTo(
            "SELECT /*+ SET_VAR(group_concat_max_len = 524288) */ a, txw_rid, txw_wl, (select"
                + " concat(count(*), ';', case when count(*) > 500 then '' else"
                + " coalesce(group_concat(ifnull(concat(txw_r0, ':', ifnull(txw_w0, '')), '') order by"
                + " ifnull(concat(txw_r0, ':', ifnull(txw_w0, '')), '') separator ','), '') end) from"
                + " (select u.txw_rid as txw_r0, u.txw_wl as txw_w0 from u limit 501) txw) as txw_wl"
                + " FROM t WHERE a IN (SELECT c FROM u)");
  }

  @Test
  void nothingOfLargeTables() {
    for (Dialect dialect : ALL) {
      String sql = "SELECT a FROM t WHERE a IN (SELECT c FROM u)";
      RewritePlan plan =
          new RewritePlanner(Products.of(dialect).sql(), Level.INLINE)
              .plan(sql, catalog(dialect).large());
      assertThat(plan.carried().isEmpty()).isTrue();
      assertThat(plan.passThrough()).isPresent();
    }
  }

  private static TestCatalog catalog(Dialect dialect) {
    return new TestCatalog(dialect)
        .prepared("t", "a", "b")
        .prepared("t2", "a", "c")
        .prepared("u", "c")
        .with("v", Catalog.Status.NOT_A_BASE_TABLE, "a");
  }

  private static RewritePlan plan(Dialect dialect, String sql) {
    return new RewritePlanner(Products.of(dialect).sql(), Level.INLINE).plan(sql, catalog(dialect));
  }

  private static Stream<DynamicTest> cases(List<Dialect> dialects, String text) {
    List<DynamicTest> tests = new ArrayList<>();
    String[] lines = text.strip().split("\n");
    for (int i = 0; i < lines.length; ) {
      String sql = lines[i++];
      List<String> expected = new ArrayList<>();
      while (i < lines.length && lines[i].startsWith("-> ")) {
        expected.add(lines[i++].substring(3));
      }
      for (Dialect dialect : dialects) {
        tests.add(
            DynamicTest.dynamicTest(
                dialect + ": " + sql,
                () ->
                    assertThat(observed(plan(dialect, sql))).describedAs(sql).isEqualTo(expected)));
      }
    }
    return tests.stream();
  }

  private static List<String> observed(RewritePlan plan) {
    List<String> observed = new ArrayList<>();
    for (Carried.Read read : plan.carried().reads()) {
      observed.add(
          (read.exact() ? "" : "~ ")
              + (read.mayBeLost() ? "? " : "")
              + String.join(" ", read.tables()));
    }
    int[] parameters = plan.carried().parameters();
    if (parameters.length > 0) {
      observed.add("takes " + Arrays.toString(parameters));
    }
    plan.passThrough()
        .ifPresent(reason -> observed.add("! " + reason + " " + plan.passThroughDetail()));
    return observed;
  }
}
