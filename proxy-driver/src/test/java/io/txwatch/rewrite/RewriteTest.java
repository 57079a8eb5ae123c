package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.Planner;
import io.txwatch.plan.RewritePlan;
import io.txwatch.product.registry.Products;
import io.txwatch.sql.dialect.Dialect;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What each dialect's statements become: "before -> after", TOK where a writer token goes. In the
 * place of PostgreSQL's system columns and keys stand the auxiliary columns.
 */
class RewriteTest {

  @TestFactory
  Stream<DynamicTest> everyDialect() {
    return Stream.of(Dialect.values())
        .flatMap(
            dialect ->
                cases(
                    dialect,
                    """
                    SELECT a FROM t WHERE b=1
                    -> SELECT a, txw_rid, txw_wl FROM t WHERE b=1
                    select x.a /* c */ from t as x order by 1 for update
                    -> select x.a, txw_rid, txw_wl /* c */ from t as x order by 1 for update
                    SELECT x.a, y.b FROM t x LEFT OUTER JOIN t y ON x.a = y.b, u WHERE x.a IN (SELECT c FROM u)
                    -> SELECT x.a, y.b, x.txw_rid, x.txw_wl, y.txw_rid, y.txw_wl, u.txw_rid, u.txw_wl FROM t x LEFT OUTER JOIN t y ON x.a = y.b, u WHERE x.a IN (SELECT c FROM u)
                    SELECT a FROM s.t
                    -> SELECT a, txw_rid, txw_wl FROM s.t
                    SELECT a IS DISTINCT FROM b FROM t
                    -> SELECT a IS DISTINCT FROM b, txw_rid, txw_wl FROM t
                    SELECT DISTINCT a FROM t
                    -> same
                    SELECT my_function(a) FROM t
                    -> same
                    SELECT a FROM t UNION SELECT c FROM u
                    -> same
                    SELECT a FROM v
                    -> same
                    SELECT 1
                    -> same
                    """));
  }

  @TestFactory
  Stream<DynamicTest> derivedTablesAndCtesExpose() {
    return Stream.of(Dialect.POSTGRESQL, Dialect.MYSQL, Dialect.H2)
        .flatMap(
            dialect ->
                cases(
                    dialect,
                    """
                    SELECT z.a FROM (SELECT a FROM t WHERE b = ?) z
                    -> SELECT z.a, z.txw_rid1, z.txw_wl1 FROM (SELECT a, txw_rid as txw_rid1, txw_wl as txw_wl1 FROM t WHERE b = ?) z
                    SELECT z.a, u.c FROM u JOIN (SELECT y.a FROM (SELECT a FROM t ORDER BY a LIMIT 2) y JOIN t2 ON t2.a = y.a) AS z ON z.a = u.c
                    -> SELECT z.a, u.c, u.txw_rid, u.txw_wl, z.txw_rid2, z.txw_wl2, z.txw_rid3, z.txw_wl3 FROM u JOIN (SELECT y.a, y.txw_rid1 as txw_rid2, y.txw_wl1 as txw_wl2, t2.txw_rid as txw_rid3, t2.txw_wl as txw_wl3 FROM (SELECT a, txw_rid as txw_rid1, txw_wl as txw_wl1 FROM t ORDER BY a LIMIT 2) y JOIN t2 ON t2.a = y.a) AS z ON z.a = u.c
                    WITH q AS (SELECT a FROM t) SELECT c FROM u, q x WHERE c = x.a
                    -> WITH q AS (SELECT a, txw_rid as txw_rid1, txw_wl as txw_wl1 FROM t) SELECT c, u.txw_rid, u.txw_wl, x.txw_rid1, x.txw_wl1 FROM u, q x WHERE c = x.a
                    WITH q AS (SELECT a FROM t) SELECT x.a FROM q x, q y
                    -> same
                    WITH q(k) AS (SELECT a FROM t) SELECT k FROM q
                    -> same
                    SELECT z.a FROM (SELECT DISTINCT a FROM t) z
                    -> same
                    SELECT z.a FROM ((SELECT a FROM t) UNION (SELECT c FROM u)) z
                    -> same
                    SELECT z.a FROM (SELECT max(a) a FROM t) z
                    -> same
                    """));
  }

  /** What they return are the columns of their CTE, and no more. */
  @TestFactory
  Stream<DynamicTest> writesInsideWith() {
    return cases(
        Dialect.POSTGRESQL,
        """
        WITH w AS (UPDATE t SET b = b * ? WHERE a = ? RETURNING *) SELECT * FROM w
        -> same
        WITH w AS (INSERT INTO t VALUES (1, 2) RETURNING a, b * 2 AS k) SELECT k FROM w
        -> same
        WITH w AS (DELETE FROM t x RETURNING x.*) INSERT INTO t2 SELECT * FROM w
        -> WITH w AS (DELETE FROM t x RETURNING x.*) INSERT INTO t2 SELECT * FROM w returning t2.txw_rid, t2.txw_wl
        WITH w AS (UPDATE t SET b = 1 FROM u WHERE c = a RETURNING *, t.b * 2), x AS (DELETE FROM u USING w WHERE c = w.a) SELECT a FROM t
        -> WITH w AS (UPDATE t SET b = 1 FROM u WHERE c = a RETURNING *, t.b * 2), x AS (DELETE FROM u USING w WHERE c = w.a) SELECT a, txw_rid, txw_wl FROM t
        WITH w AS (UPDATE v SET a = 1 RETURNING *) SELECT * FROM w
        -> same
        """);
  }

  @TestFactory
  Stream<DynamicTest> topLevelUnionAllIsPadded() {
    return Stream.of(Dialect.values())
        .flatMap(
            dialect ->
                cases(
                    dialect,
                    """
                    SELECT a FROM t WHERE b = ? UNION ALL (SELECT c FROM u) UNION ALL SELECT a FROM v ORDER BY 1
                    -> SELECT a, txw_rid, txw_wl# FROM t WHERE b = ? UNION ALL (SELECT c#, txw_rid, txw_wl FROM u) UNION ALL SELECT a## FROM v ORDER BY 1
                    SELECT a FROM t UNION ALL SELECT c FROM u UNION SELECT c FROM u
                    -> same
                    SELECT a FROM t UNION ALL (SELECT c FROM u UNION SELECT c FROM u)
                    -> same
                    SELECT a FROM t UNION ALL SELECT count(*) FROM u
                    -> same
                    SELECT a FROM t UNION ALL VALUES (1)
                    -> same
                    """
                        .replace(
                            "#",
                            dialect == Dialect.POSTGRESQL || dialect == Dialect.H2
                                ? ", cast(null as bigint) as txw_rid, cast(null as varchar) as"
                                    + " txw_wl"
                                : ", null as txw_rid, null as txw_wl")));
  }

  @TestFactory
  Stream<DynamicTest> rowsOfDerivedTablesAreNotWidened() {
    return cases(
        Dialect.POSTGRESQL,
        """
        SELECT row_to_json(z) FROM (SELECT a FROM t) z
        -> same
        SELECT * FROM (SELECT * FROM t) z ORDER BY 1
        -> same
        SELECT * FROM (SELECT a FROM t) z
        -> SELECT *, z.txw_rid1, z.txw_wl1 FROM (SELECT a, txw_rid as txw_rid1, txw_wl as txw_wl1 FROM t) z
        """);
  }

  @TestFactory
  Stream<DynamicTest> hiddenAggregates() {
    String postgresql =
        """
        pg_catalog.count(t."a") operator(pg_catalog.||) ';' operator(pg_catalog.||)
         coalesce(pg_catalog.string_agg(t."a" operator(pg_catalog.||) ':'
         operator(pg_catalog.||) t.xmin::pg_catalog.text, ',') filter (where (select not c.relhassubclass and
         pg_catalog.pg_relation_size(c.oid) OPERATOR(pg_catalog.<=) 131072 from
         pg_catalog.pg_class c where c.oid OPERATOR(pg_catalog.=) 't'::pg_catalog.regclass)),
         '') as txw_rid\
        """
            .replace("\n", "");
    String h2 =
        "count(t.txw_rid) || ';' || coalesce(listagg(t.txw_rid || ':' || t.txw_wl, ',') filter"
            + " (where (select count(*) from (select 1 from t limit 501) txw) <= 500), '')"
            + " as txw_rid";
    String mariadb =
        "concat(count(t.txw_rid), ';', coalesce(group_concat(concat(t.txw_rid, ':', t.txw_wl)"
            + " separator ',' limit 500), '')) as txw_rid";
    String mysql = mariadb.replace(" limit 500", "");
    String hint = " /*+ SET_VAR(group_concat_max_len = 524288) */";
    return Stream.of(
            hidden(Dialect.POSTGRESQL, "", postgresql),
            hidden(Dialect.H2, "", h2),
            hidden(Dialect.MARIADB, "", mariadb),
            hidden(Dialect.MYSQL, hint, mysql))
        .flatMap(s -> s);
  }

  @TestFactory
  Stream<DynamicTest> whatShowsOnOneDbmsIsLeftOutThere() {
    return Stream.concat(
        cases(
            Dialect.MARIADB,
            """
            SELECT z.a FROM (SELECT a FROM t) z
            -> same
            SELECT a, count(*) FROM t GROUP BY a
            -> same
            """),
        Stream.concat(
            cases(Dialect.MYSQL, "SELECT a, count(*) FROM t GROUP BY a\n-> same"),
            cases(Dialect.POSTGRESQL, "SELECT t.a, count(*) FROM t, u GROUP BY t.a\n-> same")));
  }

  private static Stream<DynamicTest> hidden(Dialect dialect, String hint, String column) {
    return cases(
        catalog(dialect),
        dialect,
        """
        SELECT count(*) FROM t WHERE a > ? FOR UPDATE
        -> SELECT@ count(*), # FROM t WHERE a > ? FOR UPDATE
        %SELECT count(*) FROM t HAVING 1 = 1
        -> SELECT@ count(*), # FROM t HAVING 1 = 1
        SELECT a FROM t ORDER BY 2
        -> same
        SELECT a, count(*) FROM t GROUP BY 3
        -> same
        SELECT DISTINCT a FROM t ORDER BY a, 2
        -> same
        SELECT a, count(*) FROM t GROUP BY ALL
        -> same
        SELECT count(*) FROM v
        -> same
        """
            .replace(
                "%",
                dialect == Dialect.MYSQL || dialect == Dialect.MARIADB
                    ? ""
                    : "SELECT a, max(b) m FROM t GROUP BY a HAVING count(*) > 1 ORDER BY 2 LIMIT"
                        + " 3\n"
                        + "-> SELECT a, max(b) m, # FROM t GROUP BY a HAVING count(*) > 1 ORDER"
                        + " BY 2 LIMIT 3\n")
            .replace("@", hint)
            .replace("#", column));
  }

  @TestFactory
  Stream<DynamicTest> aggregatesOverLargeTablesAreLeftAlone() {
    return Stream.of(Dialect.values())
        .flatMap(
            dialect ->
                cases(
                    new TestCatalog(dialect).prepared("t", "a", "b").large(),
                    dialect,
                    "SELECT count(*) FROM t\n-> same"));
  }

  /** Before PostgreSQL 18 MERGE does not return the version that it replaced. */
  @TestFactory
  Stream<DynamicTest> mergeThatCannotReturnWhatItReplaced() {
    return cases(
        new TestCatalog(Dialect.POSTGRESQL).system("t", "a", "b"),
        Dialect.POSTGRESQL,
        "MERGE INTO t USING u ON u.c = t.a WHEN MATCHED THEN UPDATE SET b = 1\n-> same");
  }

  @TestFactory
  Stream<DynamicTest> postgresql() {
    return cases(
        Dialect.POSTGRESQL,
        """
        SELECT * FROM t
        -> SELECT *, txw_rid, txw_wl FROM t
        SELECT DISTINCT * FROM t
        -> same
        SELECT * FROM t NATURAL JOIN t2
        -> SELECT *, t.txw_rid, t.txw_wl, t2.txw_rid, t2.txw_wl FROM t NATURAL JOIN t2
        INSERT INTO t VALUES (1, ?), (2, ?)
        -> INSERT INTO t VALUES (1, ?), (2, ?) returning t.txw_rid, t.txw_wl
        INSERT INTO t DEFAULT VALUES
        -> INSERT INTO t DEFAULT VALUES returning t.txw_rid, t.txw_wl
        INSERT INTO u (c) SELECT a FROM t
        -> INSERT INTO u (c) SELECT a FROM t returning u.txw_rid, u.txw_wl
        INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 2 WHERE t.b < 2
        -> INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 2 WHERE t.b < 2 returning t.txw_rid, cast(coalesce(old.xmin::pg_catalog.text operator(pg_catalog.||) '~' operator(pg_catalog.||) new.xmin::pg_catalog.text, new.xmin::pg_catalog.text) as varchar(43)) as txw_wl
        UPDATE t SET b = ? WHERE a = ?
        -> UPDATE t SET b = ? WHERE a = ? returning t.txw_rid, cast(old.xmin::pg_catalog.text operator(pg_catalog.||) '~' operator(pg_catalog.||) new.xmin::pg_catalog.text as varchar(43)) as txw_wl
        UPDATE t SET a = ? WHERE b = ?;
        -> UPDATE t SET a = ? WHERE b = ? returning t.txw_rid, cast('!' operator(pg_catalog.||) (old."a")::pg_catalog.text operator(pg_catalog.||) '@' operator(pg_catalog.||) old.xmin::pg_catalog.text operator(pg_catalog.||) '~' operator(pg_catalog.||) new.xmin::pg_catalog.text as varchar(43)) as txw_wl;
        CREATE TABLE n AS SELECT * FROM t WITH NO DATA
        -> same
        SELECT * INTO n FROM t
        -> same
        COPY (SELECT * FROM t) TO STDOUT
        -> same
        DECLARE k CURSOR FOR SELECT * FROM t, v
        -> same
        SELECT *, a AS s FROM t ORDER BY 3
        -> SELECT *, a AS s, txw_rid, txw_wl FROM t ORDER BY 3
        UPDATE t SET a = 1; SELECT DISTINCT * FROM t
        -> same
        BEGIN; UPDATE t SET a = 1; COMMIT
        -> same
        INSERT INTO t (a) VALUES (1) RETURNING *
        -> INSERT INTO t (a) VALUES (1) RETURNING *, t.txw_rid, t.txw_wl
        SELECT a FROM (TABLE t) x
        -> same
        SELECT a FROM t WHERE b ??| array['x'] AND b @?? '$.a'
        -> SELECT a, txw_rid, txw_wl FROM t WHERE b ??| array['x'] AND b @?? '$.a'
        MERGE INTO t USING u ON u.c = t.a WHEN MATCHED AND CASE u.c WHEN 1 THEN true END THEN DO NOTHING
        -> MERGE INTO t USING u ON u.c = t.a WHEN MATCHED AND CASE u.c WHEN 1 THEN true END THEN DO NOTHING returning t.txw_rid, cast(coalesce(old.xmin::pg_catalog.text operator(pg_catalog.||) '~' operator(pg_catalog.||) new.xmin::pg_catalog.text, new.xmin::pg_catalog.text, '-' operator(pg_catalog.||) old.xmin::pg_catalog.text) as varchar(43)) as txw_wl
        MERGE INTO t USING (SELECT * FROM t2) s ON s.a = t.a WHEN MATCHED THEN UPDATE SET b = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (?) RETURNING t.a
        -> MERGE INTO t USING (SELECT * FROM t2) s ON s.a = t.a WHEN MATCHED THEN UPDATE SET b = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (?) RETURNING t.a, t.txw_rid, cast(coalesce(old.xmin::pg_catalog.text operator(pg_catalog.||) '~' operator(pg_catalog.||) new.xmin::pg_catalog.text, new.xmin::pg_catalog.text, '-' operator(pg_catalog.||) old.xmin::pg_catalog.text) as varchar(43)) as txw_wl
        MERGE INTO t USING u ON u.c = t.a WHEN NOT MATCHED THEN INSERT DEFAULT VALUES WHEN MATCHED THEN DO NOTHING
        -> MERGE INTO t USING u ON u.c = t.a WHEN NOT MATCHED THEN INSERT DEFAULT VALUES WHEN MATCHED THEN DO NOTHING returning t.txw_rid, cast(coalesce(old.xmin::pg_catalog.text operator(pg_catalog.||) '~' operator(pg_catalog.||) new.xmin::pg_catalog.text, new.xmin::pg_catalog.text, '-' operator(pg_catalog.||) old.xmin::pg_catalog.text) as varchar(43)) as txw_wl
        DELETE FROM t AS x USING u WHERE x.a = u.c RETURNING x.a
        -> DELETE FROM t AS x USING u WHERE x.a = u.c RETURNING x.a, x.txw_rid, x.txw_wl
        """);
  }

  @TestFactory
  Stream<DynamicTest> mysqlAndMariadb() {
    return Stream.concat(
        Stream.of(Dialect.MYSQL, Dialect.MARIADB)
            .flatMap(
                dialect ->
                    cases(
                        dialect,
                        """
                        SELECT * FROM t LOCK IN SHARE MODE
                        -> SELECT *, txw_rid, txw_wl FROM t LOCK IN SHARE MODE
                        UPDATE t SET a = 'it\\'s' WHERE b = 2 ORDER BY a LIMIT 1 # the end
                        -> UPDATE t SET txw_wl = concat_ws(',', txw_wl, ';', `a`), a = 'it\\'s', txw_wl = right(concat(substring_index(txw_wl, ',', 1), if(txw_wl like concat_ws(',', '%;', `a`), '', TOK)), 112) WHERE b = 2 ORDER BY a LIMIT 1 # the end
                        UPDATE t AS x SET x.a = ?, `b` = (select c from u), x.a = 2
                        -> UPDATE t AS x SET txw_wl = concat_ws(',', txw_wl, ';', `a`, '', `b`), x.a = ?, `b` = (select c from u), x.a = 2, txw_wl = right(concat(substring_index(txw_wl, ',', 1), if(txw_wl like concat_ws(',', '%;', `a`, '', `b`), '', TOK)), 112)
                        UPDATE f SET f = 1
                        -> UPDATE f SET txw_wl = concat_ws(',', txw_wl, ';', cast(`f` as double)), f = 1, txw_wl = right(concat(substring_index(txw_wl, ',', 1), if(txw_wl like concat_ws(',', '%;', cast(`f` as double)), '', TOK)), 112)
                        UPDATE s SET s = 'x'
                        -> UPDATE s SET txw_wl = concat_ws(',', txw_wl, ';', left(convert(sha2(`s`, 256) using ascii), 25)), s = 'x', txw_wl = right(concat(substring_index(txw_wl, ',', 1), if(txw_wl like concat_ws(',', '%;', left(convert(sha2(`s`, 256) using ascii), 25)), '', TOK)), 112)
                        UPDATE q SET n = n + 1, d = 2, x = 'y'
                        -> UPDATE q SET txw_wl = concat_ws(',', txw_wl, ';', `n`, '', `d`, '', convert(sha2(`x`, 256) using ascii)), n = n + 1, d = 2, x = 'y', txw_wl = right(concat(substring_index(txw_wl, ',', 1), if(txw_wl like concat_ws(',', '%;', `n`, '', `d`, '', convert(sha2(`x`, 256) using ascii)), '', TOK)), 112)
                        UPDATE q SET n = 1, s = ?
                        -> UPDATE q SET txw_wl = concat_ws(',', txw_wl, ';', `n`, '', convert(sha2(`s`, 256) using ascii)), n = 1, s = ?, txw_wl = right(concat(substring_index(txw_wl, ',', 1), if(txw_wl like concat_ws(',', '%;', `n`, '', convert(sha2(`s`, 256) using ascii)), '', TOK)), 112)
                        UPDATE q SET s = '', q.x = '', d = 0
                        -> UPDATE q SET txw_wl = concat_ws(',', txw_wl, ';', convert(sha2(concat_ws(',', sha2(`s`, 256), '', sha2(`x`, 256), '', `d`), 256) using ascii)), s = '', q.x = '', d = 0, txw_wl = right(concat(substring_index(txw_wl, ',', 1), if(txw_wl like concat_ws(',', '%;', convert(sha2(concat_ws(',', sha2(`s`, 256), '', sha2(`x`, 256), '', `d`), 256) using ascii)), '', TOK)), 112)
                        UPDATE f SET j = 1
                        -> same
                        UPDATE t, u SET a = c, b = NULL
                        -> same
                        UPDATE t x JOIN u ON u.c = x.a SET u.c = -2, x.b = x.b + 1
                        -> same
                        UPDATE t, u SET a = c, c = 1
                        -> same
                        UPDATE t, v SET t.a = 1
                        -> same
                        UPDATE t SET a = 1 WHERE b IN (SELECT c FROM u)
                        -> same
                        UPDATE t SET a = ? WHERE EXISTS (SELECT 1 FROM u WHERE c > (SELECT 1))
                        -> same
                        UPDATE t SET a = a * 2 WHERE b > (SELECT min(x.b) FROM t x)
                        -> same
                        UPDATE s JOIN t ON t.a = s.n SET s.s = 'it', s.c = 'x'
                        -> same
                        UPDATE s JOIN t ON t.a = s.n SET s.s = 'it'
                        -> same
                        INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = values(a) + 1
                        -> INSERT INTO t (a, txw_rid, txw_wl) VALUES (1, RID1, TOK) ON DUPLICATE KEY UPDATE txw_wl = concat_ws(',', t.txw_wl, ';', t.`a`), a = values(a) + 1, txw_wl = right(concat(substring_index(t.txw_wl, ',', 1), if(t.txw_wl like concat_ws(',', '%;', t.`a`), '', TOK)), 112)
                        INSERT INTO t VALUES (1, 2)
                        -> INSERT INTO t (`a`, `b`, txw_rid, txw_wl) VALUES (1, 2, RID1, TOK)
                        INSERT INTO t SET a = 1
                        -> INSERT INTO t SET a = 1, txw_rid = RID1, txw_wl = TOK
                        """)),
        Stream.concat(
            cases(
                Dialect.MARIADB,
                """
                DELETE FROM t WHERE a = 1 ORDER BY b LIMIT 1
                -> DELETE FROM t WHERE a = 1 ORDER BY b LIMIT 1 returning txw_rid, txw_wl
                """),
            cases(Dialect.MYSQL, "DELETE FROM t WHERE a = 1\n-> same\n")));
  }

  @TestFactory
  Stream<DynamicTest> h2() {
    return cases(
        Dialect.H2,
        """
        SELECT * FROM t
        -> SELECT *, txw_rid, txw_wl FROM t
        UPDATE t SET a = 1
        -> select txw_rid, txw_wl from final table (UPDATE t SET a = 1, txw_wl = right(coalesce(t.txw_wl, '') || cast(TOK as varchar), 112))
        DELETE FROM t WHERE a = 1
        -> select txw_rid, txw_wl from old table (DELETE FROM t WHERE a = 1)
        MERGE INTO t x USING u ON u.c = x.a WHEN MATCHED THEN UPDATE SET b = 1
        -> same
        MERGE INTO t USING u ON u.c = t.a WHEN MATCHED AND t.b = 1 THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (1, 2)
        -> same
        MERGE INTO t KEY (a) VALUES (?, 2)
        -> MERGE INTO t ("a", "b") KEY (a) VALUES (?, 2)
        MERGE INTO t (a, b) VALUES (1, 2)
        -> same
        """);
  }

  /** System columns are in no whole row, so such statements are observed as others are. */
  @TestFactory
  Stream<DynamicTest> wholeRows() {
    return cases(
        Dialect.POSTGRESQL,
        """
        SELECT t FROM t
        -> SELECT t, txw_rid, txw_wl FROM t
        SELECT x.*::text FROM t AS x
        -> SELECT x.*::text, txw_rid, txw_wl FROM t AS x
        SELECT a FROM t WHERE t IS NOT NULL
        -> SELECT a, txw_rid, txw_wl FROM t WHERE t IS NOT NULL
        SELECT (t).* FROM t
        -> SELECT (t).*, txw_rid, txw_wl FROM t
        """);
  }

  private static String text(RewritePlan plan) {
    StringBuilder text = new StringBuilder(plan.immediatePieces().get(0));
    for (int i = 0; i < plan.immediateGaps().length; i++) {
      int gap = plan.immediateGaps()[i];
      text.append(gap == 0 ? "TOK" : "RID" + gap).append(plan.immediatePieces().get(i + 1));
    }
    return text.toString();
  }

  private static Stream<DynamicTest> cases(Dialect dialect, String text) {
    return cases(catalog(dialect).large(), dialect, text);
  }

  /** The writers' column of MySQL and MariaDB with room for the text of several columns. */
  private static final String WIDE = "txw_wl varchar(252)";

  private static TestCatalog catalog(Dialect dialect) {
    return new TestCatalog(dialect)
        .prepared("t", "a", "b")
        .prepared("t2", "a", "c")
        .prepared("u", "c")
        .prepared("s", "n", "s varchar(9)", "c char(9)")
        .prepared("f", "f float(7,4)", "j json", "z timestamp(6)")
        .prepared("c", "n bigint", "k int", "d decimal(9,2)", "x text", WIDE)
        .prepared("e", "n bigint", "m datetime", "w timestamp(3)", "y date")
        .prepared("q", "n bigint", "d decimal(12,2)", "s varchar(12)", "x text", WIDE)
        .with("v", Catalog.Status.NOT_A_BASE_TABLE, "a");
  }

  private static Stream<DynamicTest> cases(TestCatalog catalog, Dialect dialect, String text) {
    Planner planner = new RewritePlanner(Products.of(dialect).sql(), RewritePlanner.Level.INLINE);
    String[] lines = text.strip().split("\n");
    return java.util.stream.IntStream.range(0, lines.length / 2)
        .mapToObj(
            i -> {
              String before = lines[2 * i];
              String after = lines[2 * i + 1].substring(3);
              return DynamicTest.dynamicTest(
                  dialect + ": " + before,
                  () -> {
                    RewritePlan plan = planner.plan(before, catalog);
                    assertThat(TestCatalog.asWithAuxiliary(text(plan)))
                        .describedAs(plan.passThroughDetail())
                        .isEqualTo(after.equals("same") ? before : after);
                  });
            });
  }
}
