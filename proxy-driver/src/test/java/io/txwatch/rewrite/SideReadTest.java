package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.Planner;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.SideRead;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.sql.dialect.Dialect;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What is read beside statements, as "statement -> side reads": each with the application's
 * parameters that it takes, {@code ~} in front if it may list more, {@code after} if it follows the
 * statement. What stays unseen is written as {@code ! reason}.
 */
class SideReadTest {

  private static final List<Dialect> ALL =
      List.copyOf(EnumSet.complementOf(EnumSet.of(Dialect.SQLITE, Dialect.OTHER))); // not rewritten

  @TestFactory
  Stream<DynamicTest> blocksThatCannotCarryColumns() {
    return cases(
        ALL,
        """
        SELECT DISTINCT a FROM t WHERE b = ? ORDER BY a
        -> select t.txw_rid, t.txw_wl from t where b = ? limit 6 [1]
        SELECT a FROM t WHERE b = ? UNION SELECT c FROM u x WHERE c > ?
        -> select t.txw_rid, t.txw_wl from t where b = ? limit 6 [1]
        -> select x.txw_rid, x.txw_wl from u x where c > ? limit 6 [2]
        SELECT a FROM t INTERSECT SELECT a FROM t2 ORDER BY 1 LIMIT 2
        -> ~ select t.txw_rid, t.txw_wl from t limit 6 []
        -> ~ select t2.txw_rid, t2.txw_wl from t2 limit 6 []
        SELECT my_function(a) FROM t JOIN u ON t.a = u.c WHERE ? < u.c
        -> select t.txw_rid, t.txw_wl, u.txw_rid, u.txw_wl from t JOIN u ON t.a = u.c where ? < u.c limit 6 [1]
        SELECT DISTINCT x.a FROM t x, v WHERE x.a = v.a
        -> select x.txw_rid, x.txw_wl from t x, v where x.a = v.a limit 6 []
        -> ! NOT_A_BASE_TABLE v
        SELECT DISTINCT a FROM t WHERE my_function(a) = 1
        -> ! SHAPE DISTINCT
        SELECT DISTINCT a FROM t WHERE rand() < 1
        -> ! SHAPE DISTINCT
        SELECT t.a FROM s1.t, s2.t
        -> ! SHAPE two sources of rows with the same name
        SELECT my_function(a) FROM t WHERE b > 1 ORDER BY t.b DESC LIMIT 3
        -> ~ select t.txw_rid, t.txw_wl from t where b > 1 limit 6 []
        """);
  }

  /** Read once more, it would be counted once more. */
  @TestFactory
  Stream<DynamicTest> variables() {
    return cases(
        List.of(Dialect.MYSQL, Dialect.MARIADB),
        """
        SELECT DISTINCT a FROM t WHERE (@n := @n + 1) < 3
        -> ! SHAPE DISTINCT
        SELECT DISTINCT a FROM t WHERE b = @n
        -> ! SHAPE DISTINCT
        """);
  }

  @TestFactory
  Stream<DynamicTest> subqueries() {
    return cases(
        ALL,
        """
        SELECT a FROM t WHERE a IN (SELECT c FROM u WHERE c > ?) AND b < ?
        -> ~ select u.txw_rid, u.txw_wl from u where c > ? limit 6 [1]
        SELECT (SELECT max(c) FROM u WHERE c < ?), a FROM t WHERE b = ?
        -> ~ select u.txw_rid, u.txw_wl from u where c < ? limit 6 [1]
        SELECT a FROM t WHERE EXISTS (SELECT * FROM u WHERE u.c = t.a) AND b = ?
        -> ~ select u.txw_rid, u.txw_wl from t, u where (EXISTS (SELECT * FROM u WHERE u.c = t.a) AND b = ?) and (u.c = t.a) limit 6 [1]
        SELECT a, (SELECT max(y.c) FROM t2 y WHERE y.a = x.a) FROM t x WHERE x.b = ?
        -> select y.txw_rid, y.txw_wl from t x, t2 y where (x.b = ?) and (y.a = x.a) limit 6 [1]
        SELECT a, (SELECT max(c) FROM t2 WHERE t2.a = t.b) FROM t WHERE a = 1
        -> ! SHAPE a subquery's rows are not seen: t2
        SELECT a FROM t WHERE a IN (SELECT c FROM u WHERE nobody_knows = 1)
        -> ! SHAPE a subquery's rows are not seen: u
        SELECT a FROM t WHERE a IN (SELECT u.c FROM u WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = u.c AND t2.c = t.b))
        -> select u.txw_rid, u.txw_wl from t, u where (a IN (SELECT u.c FROM u WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = u.c AND t2.c = t.b))) and (EXISTS (SELECT 1 FROM t2 WHERE t2.a = u.c AND t2.c = t.b)) limit 6 []
        -> ! SHAPE a subquery's rows are not seen: t2
        SELECT a FROM t WHERE t.a IN (SELECT u.c FROM u WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = u.c))
        -> ~ select u.txw_rid, u.txw_wl from u where EXISTS (SELECT 1 FROM t2 WHERE t2.a = u.c) limit 6 []
        -> ~ select t2.txw_rid, t2.txw_wl from u, t2 where (EXISTS (SELECT 1 FROM t2 WHERE t2.a = u.c)) and (t2.a = u.c) limit 6 []
        SELECT z.a FROM (SELECT DISTINCT a FROM t WHERE b = ?) z JOIN u ON u.c = z.a
        -> ~ select t.txw_rid, t.txw_wl from t where b = ? limit 6 [1]
        WITH q AS (SELECT DISTINCT a FROM t WHERE b = ?) SELECT DISTINCT c FROM u, q WHERE u.c = q.a AND c > ?
        -> ~ select t.txw_rid, t.txw_wl from t where b = ? limit 6 [1]
        -> WITH q AS (SELECT DISTINCT a FROM t WHERE b = ?) select u.txw_rid, u.txw_wl from u, q where u.c = q.a AND c > ? limit 6 [1, 2]
        WITH q AS (SELECT DISTINCT a FROM t) SELECT c FROM u
        -> none
        """);
  }

  /** Rows that something outside of the block omits are not surely read. */
  @TestFactory
  Stream<DynamicTest> blocksOfWhichTheStatementOmitsRows() {
    String read = "-> select t.txw_rid, t.txw_wl from t where b < 9 limit 6 []";
    return cases(
        ALL,
        """
        SELECT a FROM (SELECT DISTINCT a FROM t WHERE b < 9) x
        READ
        SELECT count(*) FROM (SELECT DISTINCT a FROM t WHERE b < 9) x
        READ
        SELECT a FROM (SELECT DISTINCT a FROM t WHERE b < 9) x WHERE a = 1
        ~READ
        SELECT a FROM (SELECT DISTINCT a FROM t WHERE b < 9) x LIMIT 1
        ~READ
        SELECT max(a) FROM (SELECT DISTINCT a FROM t WHERE b < 9) x HAVING max(a) > 1
        ~READ
        SELECT a FROM (SELECT a FROM (SELECT DISTINCT a FROM t WHERE b < 9) x) y WHERE a = 1
        ~READ
        WITH x AS (SELECT DISTINCT a FROM t WHERE b < 9) SELECT a FROM x
        READ
        WITH x AS (SELECT DISTINCT a FROM t WHERE b < 9) SELECT a FROM x WHERE a = 1
        ~READ
        WITH x AS (SELECT DISTINCT a FROM t WHERE b < 9), y AS (SELECT a FROM x) SELECT a FROM y
        READ
        WITH x AS (SELECT DISTINCT a FROM t WHERE b < 9), y AS (SELECT a FROM x) SELECT a FROM y WHERE a = 1
        ~READ
        WITH x AS (SELECT DISTINCT a FROM t WHERE b < 9) SELECT a, (SELECT max(a) FROM x) FROM x WHERE a = 1
        ~READ
        SELECT a FROM t WHERE b < 9 EXCEPT SELECT 1
        ~READ
        """
            .replace("~READ", read.replace("->", "-> ~"))
            .replace("READ", read));
  }

  /** There the columns of our own do not pass through derived tables and CTEs. */
  @TestFactory
  Stream<DynamicTest> filteredBlocksOnMariaDb() {
    return cases(
        List.of(Dialect.MARIADB),
        """
        WITH x AS (SELECT a FROM t WHERE b < 9) SELECT a FROM x WHERE a = 1
        -> ~ select t.txw_rid, t.txw_wl from t where b < 9 limit 6 []
        SELECT x.a FROM (SELECT a FROM t WHERE b < 9) x JOIN u ON u.c = x.a
        -> ~ select t.txw_rid, t.txw_wl from t where b < 9 limit 6 []
        SELECT a FROM (SELECT a FROM t WHERE b < 9) x ORDER BY a
        -> select t.txw_rid, t.txw_wl from t where b < 9 limit 6 []
        """);
  }

  @TestFactory
  Stream<DynamicTest> limitsAndLocks() {
    return Stream.concat(
        cases(
            List.of(Dialect.MYSQL, Dialect.MARIADB),
            """
            SELECT DISTINCT a FROM t WHERE b = ? FOR UPDATE
            -> after select t.txw_rid, t.txw_wl from t where b = ? limit 6 FOR UPDATE [1]
            SELECT DISTINCT a FROM t WHERE b = ? LIMIT 1 FOR UPDATE
            -> ! SHAPE DISTINCT
            SELECT c FROM u WHERE c IN (SELECT a FROM t) LOCK IN SHARE MODE
            -> ~ select t.txw_rid, t.txw_wl from t limit 6 []
            """),
        cases(
            ALL,
            """
            SELECT c FROM u WHERE c = (SELECT a FROM t WHERE b > ? ORDER BY b, t.a LIMIT ?)
            -> ~ select t.txw_rid, t.txw_wl from t where b > ? ORDER BY b, t.a LIMIT ? [1, 2]
            SELECT c FROM u WHERE c = (SELECT a + 1 AS b FROM t ORDER BY b LIMIT 1)
            -> ~ select t.txw_rid, t.txw_wl from t limit 6 []
            """));
  }

  @TestFactory
  Stream<DynamicTest> versionSets() {
    return cases(
        ALL,
        Level.PREDICATES,
        """
        SELECT a FROM t WHERE b = ?
        -> version set select txw_rid, right(txw_wl, 28) from t limit 6 []
        SELECT x.a FROM s.t x, s.t y WHERE EXISTS (SELECT 1 FROM u WHERE u.c = x.a)
        -> version set select txw_rid, right(txw_wl, 28) from s.t limit 6 []
        -> version set select txw_rid, right(txw_wl, 28) from u limit 6 []
        INSERT INTO u (c) SELECT a FROM t
        -> version set select txw_rid, right(txw_wl, 28) from t limit 6 []
        INSERT INTO u (c) VALUES (1)
        -> none
        """);
  }

  /** What they choose depends on locks, not on the rows alone. */
  @TestFactory
  Stream<DynamicTest> noVersionSetsWhereLockedRowsAreSkipped() {
    return cases(
        List.of(Dialect.POSTGRESQL, Dialect.MYSQL, Dialect.MARIADB),
        Level.PREDICATES,
        """
        SELECT a FROM t WHERE b = 0 ORDER BY a LIMIT 1 FOR UPDATE SKIP LOCKED
        -> none
        UPDATE t SET b = 1 WHERE a IN (SELECT c FROM u WHERE c > 0 LIMIT 1 FOR UPDATE SKIP LOCKED)
        -> none
        SELECT a FROM t WHERE b = 0 FOR UPDATE
        -> version set select txw_rid, right(txw_wl, 28) from t limit 6 []
        """);
  }

  /** Read before, without its locks, it would not wait, and it may choose rows that it skips. */
  @TestFactory
  Stream<DynamicTest> noReadsOfASubqueryThatLocks() {
    return cases(
        List.of(Dialect.POSTGRESQL, Dialect.MYSQL, Dialect.MARIADB),
        """
        UPDATE t SET b = 1 WHERE a = (SELECT c FROM u WHERE c > 0 ORDER BY c LIMIT 1 FOR UPDATE SKIP LOCKED)
        -> ! SHAPE rows that it reads are not seen: u
        UPDATE t SET b = 1 WHERE a = (SELECT c FROM u WHERE c > 0 FOR UPDATE)
        -> ! SHAPE rows that it reads are not seen: u
        SELECT DISTINCT a FROM t WHERE a IN (SELECT c FROM u WHERE c > 0 FOR UPDATE SKIP LOCKED)
        -> ! SHAPE DISTINCT
        """);
  }

  @TestFactory
  Stream<DynamicTest> versionSetsOfAnUpdateThatLooksElsewhere() {
    return cases(
        List.of(Dialect.POSTGRESQL, Dialect.H2), // MySQL and MariaDB may join
        Level.PREDICATES,
        """
        UPDATE t SET a = 1 WHERE b IN (SELECT c FROM u)
        -> version set select txw_rid, right(txw_wl, 28) from t limit 6 []
        -> version set select txw_rid, right(txw_wl, 28) from u limit 6 []
        """);
  }

  /** A view may have been replaced by another one meanwhile, so its rows are not certain. */
  @TestFactory
  Stream<DynamicTest> viewsOfOneTable() {
    String p =
        "(SELECT x.a FROM t AS x WHERE x.b > 1)".replace("x.a F", "x.a, x.txw_rid, x.txw_wl F");
    return cases(
        ALL,
        """
        SELECT * FROM plain WHERE a = ?
        -> ~ select plain.txw_rid, plain.txw_wl from P plain where a = ? limit 6 [1]
        SELECT c FROM u WHERE c IN (SELECT y.a FROM plain AS y)
        -> ~ select y.txw_rid, y.txw_wl from P AS y limit 6 []
        SELECT count(*) FROM plain JOIN u ON u.c = plain.a
        -> ~ select plain.txw_rid, plain.txw_wl, u.txw_rid, u.txw_wl from P plain JOIN u ON u.c = plain.a limit 6 []
        SELECT a FROM grouped
        -> ! NOT_A_BASE_TABLE grouped
        SELECT a FROM chance
        -> ! NOT_A_BASE_TABLE chance
        SELECT a FROM joined
        -> ! NOT_A_BASE_TABLE joined
        """
            .replace("from P", "from " + p));
  }

  private static Stream<DynamicTest> cases(List<Dialect> dialects, String text) {
    return cases(dialects, Level.ITEMS, text);
  }

  private static Stream<DynamicTest> cases(List<Dialect> dialects, Level level, String text) {
    return dialects.stream().flatMap(dialect -> cases(dialect, level, text));
  }

  private static Stream<DynamicTest> cases(Dialect dialect, Level level, String text) {
    TestCatalog catalog =
        new TestCatalog(dialect)
            .prepared("t", "a", "b")
            .prepared("t2", "a", "c")
            .prepared("u", "c")
            .with("v", Catalog.Status.NOT_A_BASE_TABLE, "a")
            .large()
            .view("plain", "SELECT x.a FROM t AS x WHERE x.b > 1", "a")
            .view("grouped", "SELECT a FROM t GROUP BY a", "a")
            .view("chance", "SELECT a FROM t WHERE b > rand()", "a")
            .view("joined", "SELECT t.a FROM t JOIN u ON u.c = t.a", "a");
    Planner planner = new RewritePlanner(Products.of(dialect).sql(), level, 5);
    List<DynamicTest> tests = new ArrayList<>();
    List<String> lines = Arrays.asList(text.strip().split("\n"));
    for (int i = 0; i < lines.size(); ) {
      String sql = lines.get(i++);
      List<String> expected = new ArrayList<>();
      while (i < lines.size() && lines.get(i).startsWith("-> ")) {
        expected.add(lines.get(i++).substring(3));
      }
      expected.remove("none");
      tests.add(
          DynamicTest.dynamicTest(
              dialect + " " + sql,
              () ->
                  assertThat(observed(planner.plan(sql, catalog), level))
                      .containsExactlyElementsOf(expected)));
    }
    return tests.stream();
  }

  /** Without what differs between the dialects. */
  private static String inWordsOfAll(String sql) {
    return TestCatalog.asWithAuxiliary(sql)
        .replace("substr(txw_wl, -28)", "right(txw_wl, 28)")
        .replace("pg_catalog.right(", "right(")
        .replace("OPERATOR(pg_catalog.>)", ">")
        .replaceAll(
            "select \"\\w+\", xmin::pg_catalog.text ", "select txw_rid, right(txw_wl, 28) ");
  }

  private static List<String> observed(RewritePlan plan, Level level) {
    List<String> observed = new ArrayList<>();
    for (SideRead read : plan.sideReads()) {
      Purpose purpose = level == Level.PREDICATES ? Purpose.VERSION_SET : Purpose.READ;
      if (read.purpose() == purpose) {
        observed.add(
            (read.exact() ? "" : "~ ")
                + (read.moment() == Moment.AFTER ? "after " : "")
                + (read.purpose() == Purpose.VERSION_SET ? "version set " : "")
                + inWordsOfAll(read.sql())
                + " "
                + Arrays.toString(read.parameters()));
      }
    }
    if (level == Level.ITEMS) {
      plan.passThrough().ifPresent(r -> observed.add("! " + r + " " + plan.passThroughDetail()));
    }
    return observed;
  }
}
