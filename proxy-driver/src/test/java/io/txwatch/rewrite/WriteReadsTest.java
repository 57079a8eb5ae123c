package io.txwatch.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.plan.PlanRequest;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.SideRead;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.sql.dialect.Dialect;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which reads stand beside a write that cannot return its rows, at level {@code items}. */
class WriteReadsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          MYSQL   | UPDATE t SET b = ? WHERE a = ? AND a > 3           | AFTER_WRITE select t.txw_rid, t.txw_wl from t where (a = ? AND a > 3) and locate(?, t.txw_wl) > 0 limit 101 [2, 0]; CONTENDED select t.txw_rid, t.txw_wl from t where a = ? AND a > 3 for update [2]
          MARIADB | UPDATE t AS x SET b = 1                            | AFTER_WRITE select x.txw_rid, x.txw_wl from t AS x where locate(?, x.txw_wl) > 0 limit 101 [0]
          MYSQL   | UPDATE t SET a = a + 1 WHERE a = 2                 | AFTER_WRITE select t.txw_rid, t.txw_wl from t where locate(?, t.txw_wl) > 0 limit 101 [0]
          MYSQL   | UPDATE t SET b = 1 WHERE g = 2                     | AFTER_WRITE select t.txw_rid, t.txw_wl from t where locate(?, t.txw_wl) > 0 limit 101 [0]
          MYSQL   | UPDATE t SET b = 1 WHERE a < now()                 | AFTER_WRITE select t.txw_rid, t.txw_wl from t where locate(?, t.txw_wl) > 0 limit 101 [0]
          MYSQL   | UPDATE t SET b = 1 WHERE a = 2 ORDER BY b LIMIT 1  | AFTER_WRITE select t.txw_rid, t.txw_wl from t where (a = 2) and locate(?, t.txw_wl) > 0 limit 101 [0]; CONTENDED select t.txw_rid, t.txw_wl from t where a = 2 for update []
          MYSQL   | DELETE FROM t WHERE a = ? ORDER BY b LIMIT ?       | BEFORE_WRITE select t.txw_rid, t.txw_wl from t where a = ? ORDER BY b LIMIT ? [1, 2]
          MYSQL   | DELETE FROM t                                      | BEFORE_WRITE select t.txw_rid, t.txw_wl from t limit 101 []
          MYSQL   | DELETE FROM t WHERE a = rand()                     |
          MYSQL   | INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE b = 2 | AFTER_WRITE select t.txw_rid, t.txw_wl from t where locate(?, t.txw_wl) > 0 limit 101 [0]
          MYSQL   | INSERT INTO t (a) VALUES (1)                       |
          MYSQL   | REPLACE INTO t (b, a) VALUES (1, ?), (?, 3)        |
          MARIADB | REPLACE INTO t (a, b) VALUES (1 + 1, 2)            |
          POSTGRESQL | MERGE INTO t USING u ON u.c = t.a WHEN MATCHED THEN UPDATE SET b = 1 | READ select u.txw_rid, u.txw_wl from u limit 101 []
          MYSQL   | INSERT INTO t (a) SELECT c FROM u                  | AFTER_WRITE select t.txw_rid, t.txw_wl from t where locate(?, t.txw_wl) > 0 limit 101 [0]; READ select u.txw_rid, u.txw_wl from u limit 101 []
          MYSQL   | UPDATE t SET j = 1                                 |
          MYSQL   | UPDATE t SET b = (SELECT max(c) FROM u WHERE u.c > t.a) WHERE t.b = ? | AFTER_WRITE select t.txw_rid, t.txw_wl from t where locate(?, t.txw_wl) > 0 limit 101 [0]; READ select u.txw_rid, u.txw_wl from t, u where (t.b = ?) and (u.c > t.a) limit 101 [1]
          MYSQL   | DELETE FROM t WHERE a IN (SELECT c FROM u WHERE c > ?) AND b = ? | BEFORE_WRITE select t.txw_rid, t.txw_wl from t where a IN (SELECT c FROM u WHERE c > ?) AND b = ? limit 101 [1, 2]; READ select u.txw_rid, u.txw_wl from u where c > ? limit 101 [1]
          MYSQL   | DELETE x FROM t x JOIN u USING (a) WHERE x.b = ?   | BEFORE_WRITE select distinct x.txw_rid, x.txw_wl from t x JOIN u USING (a) where x.b = ? limit 101 [1]; READ select u.txw_rid, u.txw_wl from t x JOIN u USING (a) where x.b = ? limit 101 [1]
          MARIADB | DELETE FROM t, y.* USING t, u AS y WHERE t.a = y.c | BEFORE_WRITE select distinct t.txw_rid, t.txw_wl from t, u AS y where t.a = y.c limit 101 []; BEFORE_WRITE select distinct y.txw_rid, y.txw_wl from t, u AS y where t.a = y.c limit 101 []
          MARIADB | DELETE t FROM t x                                  |
          H2      | DELETE t WHERE a = 1                               |
          POSTGRESQL | DELETE FROM t USING u WHERE u.c = t.a           | READ select u.txw_rid, u.txw_wl from t, u where u.c = t.a limit 101 []
          POSTGRESQL | UPDATE t SET b = 1 FROM u WHERE u.c = t.a       | READ select u.txw_rid, u.txw_wl from t, u where u.c = t.a limit 101 []
          POSTGRESQL | WITH q AS (SELECT c FROM u) DELETE FROM t WHERE a IN (SELECT c FROM q) | READ select u.txw_rid, u.txw_wl from u limit 101 []
          MARIADB | DELETE FROM t WHERE a IN (SELECT c FROM u)         | READ select u.txw_rid, u.txw_wl from u limit 101 []
          POSTGRESQL | UPDATE t SET b = 1 WHERE a = $1                 |
          POSTGRESQL | UPDATE t SET b = 1                              |
          """)
  void plainStatements(Dialect dialect, String sql, String reads) {
    assertThat(reads(dialect, sql, true)).isEqualTo(reads == null ? "" : reads);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          H2         | UPDATE t SET b = ? WHERE a = ? | AFTER_WRITE select t.txw_rid, t.txw_wl from t where (a = ?) and locate(?, t.txw_wl) > 0 limit 101 [2, 0]
          H2         | UPDATE t SET a = ? WHERE a = ? |
          POSTGRESQL | UPDATE t SET b = ? WHERE a = ? |
          H2         | DELETE FROM t WHERE a = ?      | BEFORE_WRITE select t.txw_rid, t.txw_wl from t where a = ? limit 101 [1]
          POSTGRESQL | DELETE FROM ONLY t WHERE a = ? | BEFORE_WRITE select t.txw_rid, t.txw_wl from ONLY t where a = ? limit 101 [1]
          POSTGRESQL | DELETE FROM t USING u WHERE a = c | BEFORE_WRITE select distinct t.txw_rid, t.txw_wl from t, u where a = c limit 101 []; READ select u.txw_rid, u.txw_wl from t, u where a = c limit 101 []
          """)
  void itemsOfBatches(Dialect dialect, String sql, String reads) {
    assertThat(reads(dialect, sql, false)).isEqualTo(reads == null ? "" : reads);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          MARIADB    | DELETE FROM t WHERE a = ? AND b > 3   | SKIPPED_BY_DELETE select t.txw_rid, t.txw_wl from t where a = ? AND b > 3 limit 101 [1]
          MARIADB    | DELETE FROM t                         | SKIPPED_BY_DELETE select t.txw_rid, t.txw_wl from t limit 101 []
          MARIADB    | DELETE FROM t WHERE a = 1 LIMIT 1     |
          MARIADB    | DELETE IGNORE FROM t WHERE a = 1      |
          MARIADB    | DELETE FROM t WHERE a = rand()        |
          MARIADB    | DELETE FROM t WHERE a < now()         |
          MARIADB    | DELETE FROM t WHERE a = @v            |
          MARIADB    | DELETE FROM t WHERE a IN (SELECT 1)   |
          MYSQL      | DELETE FROM t WHERE a = ?             | SKIPPED_BY_DELETE select t.txw_rid, t.txw_wl from t where a = ? limit 101 [1]
          MYSQL      | UPDATE t SET b = 1 WHERE a = 1        |
          POSTGRESQL | DELETE FROM t WHERE a = ?             | SKIPPED_BY_DELETE select t.txw_rid, t.txw_wl from t where a = ? limit 101 [1]; MISSED_BY_DELETE select t.txw_rid, t.txw_wl from t where a = ? limit 101 [1]
          H2         | DELETE FROM t                         | SKIPPED_BY_DELETE select t.txw_rid, t.txw_wl from t limit 101 []; MISSED_BY_DELETE select t.txw_rid, t.txw_wl from t limit 101 []
          POSTGRESQL | DELETE FROM t WHERE a = 1 RETURNING a | SKIPPED_BY_DELETE select t.txw_rid, t.txw_wl from t where a = 1 limit 101 []; MISSED_BY_DELETE select t.txw_rid, t.txw_wl from t where a = 1 limit 101 []
          POSTGRESQL | DELETE FROM t WHERE CURRENT OF c      |
          POSTGRESQL | DELETE FROM t USING u WHERE a = c     |
          POSTGRESQL | DELETE FROM t WHERE a = random()      |
          H2         | DELETE FROM t WHERE a = 1 LIMIT 1     |
          POSTGRESQL | UPDATE t SET b = 1 WHERE a = 1        |
          """)
  void whatADeleteLeaves(Dialect dialect, String sql, String reads) {
    assertThat(
            plan(dialect, sql, true, Level.PREDICATES).sideReads().stream()
                .filter(read -> read.purpose().isEvidenceOfDelete())
                .map(WriteReadsTest::text)
                .collect(Collectors.joining("; ")))
        .isEqualTo(reads == null ? "" : reads);
  }

  private static String reads(Dialect dialect, String sql, boolean mayReturnRows) {
    return plan(dialect, sql, mayReturnRows, Level.ITEMS).sideReads().stream()
        .map(WriteReadsTest::text)
        .collect(Collectors.joining("; "));
  }

  private static String text(SideRead read) {
    String sql = TestCatalog.asWithAuxiliary(read.sql());
    return read.purpose() + " " + sql + " " + Arrays.toString(read.parameters());
  }

  private static RewritePlan plan(Dialect dialect, String sql, boolean mayReturnRows, Level level) {
    TestCatalog catalog =
        new TestCatalog(dialect).prepared("t", "a", "b", "g changing", "j json").prepared("u", "c");
    return new RewritePlanner(Products.of(dialect).sql(), level, 100)
        .plan(sql, catalog, mayReturnRows ? PlanRequest.ANY : PlanRequest.RETURNING_NOTHING);
  }
}
