package io.txwatch.oracle.txcheck;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.DbmsBehaviour.VersionColumns;
import io.txwatch.testcase.CaseFormatException;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InstrumentationTest {

  private static final VersionColumns MYSQL =
      new VersionColumns("CHAR(36) DEFAULT (UUID()) INVISIBLE", "INT DEFAULT 0 INVISIBLE");
  private static final VersionColumns POSTGRESQL =
      new VersionColumns("UUID DEFAULT gen_random_uuid()", "INT DEFAULT 0");
  private static final VersionColumns H2 =
      new VersionColumns("UUID INVISIBLE DEFAULT RANDOM_UUID()", "INT INVISIBLE DEFAULT 0");

  /** TxCheck, figures 1 and 5. The reads around the statements are not part of the texts. */
  private static final String FIGURE_1 =
      """
      I: CREATE TABLE t0 (pkey INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
      I: CREATE TABLE t1 (pkey INT, v INT, c0 INT, PRIMARY KEY (pkey), CHECK (v IN (1, 2)))
      I: INSERT INTO t0 VALUES (1, 20), (2, 56)
      T0: BEGIN
      T0: UPDATE t0 SET v = 162
      T0: SELECT * FROM t1 WHERE c0 <= 8
      T1: BEGIN
      T1: SELECT * FROM t1 WHERE c0 <= (SELECT MIN(v) FROM t0)
      T1: UPDATE t1 SET v = 100 WHERE c0 <= (SELECT MIN(v) FROM t0)
      T0: COMMIT
      """;

  @Test
  void figure1IsInstrumentedAsFigure5() throws CaseFormatException {
    TestCase testCase = CaseReader.parse("figure1", FIGURE_1);

    TestCase instrumented = new Instrumentation(MYSQL, true, testCase).instrument(testCase);

    String keys =
        ", txw_pkey CHAR(36) DEFAULT (UUID()) INVISIBLE, txw_vkey INT DEFAULT 0 INVISIBLE)";
    assertThat(instrumented.setup())
        .containsExactly(
            "CREATE TABLE t0 (pkey INT NOT NULL PRIMARY KEY, v INT" + keys + " {ENGINE}",
            "CREATE TABLE t1 (pkey INT, v INT, c0 INT, PRIMARY KEY (pkey), CHECK (v IN (1, 2))"
                + keys,
            "INSERT INTO t0 (pkey, v) VALUES (1, 20), (2, 56)");
    assertThat(instrumented.steps().stream().map(Step::sql))
        .containsExactly(
            "BEGIN",
            "UPDATE t0 SET txw_vkey = 2, v = 162",
            "SELECT *, txw_pkey, txw_vkey FROM t1 WHERE c0 <= 8",
            "BEGIN",
            "SELECT *, txw_pkey, txw_vkey FROM t1 WHERE c0 <= (SELECT MIN(v) FROM t0)",
            "UPDATE t1 SET txw_vkey = 6, v = 100 WHERE c0 <= (SELECT MIN(v) FROM t0)",
            "COMMIT");
  }

  @Test
  void visibleColumnsAreNotNamed() throws CaseFormatException {
    TestCase testCase = CaseReader.parse("figure1", FIGURE_1);

    TestCase instrumented = new Instrumentation(POSTGRESQL, false, testCase).instrument(testCase);

    assertThat(instrumented.steps().get(2).sql()).isEqualTo("SELECT * FROM t1 WHERE c0 <= 8");
    assertThat(instrumented.setup().get(2)).isEqualTo("INSERT INTO t0 VALUES (1, 20), (2, 56)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          UPDATE t SET a = 1                                 | UPDATE t SET txw_vkey = 7, a = 1
          UPDATE IGNORE t SET a = 1                          | UPDATE IGNORE t SET txw_vkey = 7, a = 1
          UPDATE t JOIN u ON (t.a = u.a) SET t.b = 1         | UPDATE t JOIN u ON (t.a = u.a) SET t.txw_vkey = 7, t.b = 1
          WITH w AS (SELECT a FROM u) UPDATE t SET a = 1     | WITH w AS (SELECT a FROM u) UPDATE t SET txw_vkey = 7, a = 1
          INSERT INTO t (a) VALUES (1)                       | INSERT INTO t (a) VALUES (1)
          INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 2 | INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE txw_vkey = 7, a = 2
          INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2 | INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET txw_vkey = 7, a = 2
          MERGE INTO t USING (VALUES (1)) AS s (a) ON (t.a = s.a) WHEN MATCHED THEN UPDATE SET a = 2 | MERGE INTO t USING (VALUES (1)) AS s (a) ON (t.a = s.a) WHEN MATCHED THEN UPDATE SET txw_vkey = 7, a = 2
          DELETE FROM t WHERE (a = 1)                        | DELETE FROM t WHERE (a = 1)
          SELECT a FROM t FOR UPDATE                         | SELECT a FROM t FOR UPDATE
          """)
  void aWriteAssignsItsVersionKey(String sql, String expected) {
    assertThat(Instrumentation.withVersionKey(sql, 7)).isEqualTo(expected);
  }

  /** The word in the string is no keyword. */
  @Test
  void stringsAreNotSearched() {
    assertThat(Instrumentation.withVersionKey("UPDATE t JOIN (SELECT 'x SET' AS s) d SET a = 1", 7))
        .isEqualTo("UPDATE t JOIN (SELECT 'x SET' AS s) d SET txw_vkey = 7, a = 1");
  }

  @ParameterizedTest
  @CsvSource({
    "SELECT * FROM t1, true",
    "SELECT * FROM t1 WHERE (c0 = 1) FOR UPDATE, true",
    "SELECT * FROM t1 UNION SELECT * FROM t1, false",
    "SELECT c0 FROM t1, false",
    "SELECT * FROM v, false"
  })
  void onlyWholeRowsOfOneTableReturnKeys(String sql, boolean expected) throws CaseFormatException {
    Instrumentation tables = new Instrumentation(H2, true, CaseReader.parse("figure1", FIGURE_1));

    assertThat(tables.returnsKeys(sql)).isEqualTo(expected);
  }

  /** A dependency through nested subqueries and views: the tables are found at any depth. */
  @Test
  void tablesAreFoundInNestedSubqueriesAndViews() {
    SchemaLinks links =
        new SchemaLinks(
            List.of(
                "CREATE TABLE t0 (a INT)",
                "CREATE TABLE t1 (a INT)",
                "CREATE TABLE t2 (a INT)",
                "CREATE VIEW v AS SELECT a FROM t2"),
            java.util.Set.of("t0", "t1", "t2"));

    assertThat(
            links.named(
                "UPDATE t0 SET a = 1 WHERE a IN (SELECT a FROM t1 WHERE a IN (SELECT a FROM v))"))
        .containsExactlyInAnyOrder("t0", "t1", "t2");
    assertThat(links.named("SELECT t10.a FROM t0 t10")).containsExactly("t0");
  }
}
