package io.txwatch.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements that read rows which a foreign key's action changes during their execution. */
class ForeignKeyGraphTest {

  /** Deletes cascade from p to c and from c to d; u refers to p as well but does not change. */
  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE p (id INT PRIMARY KEY, v INT)",
          "CREATE TABLE c (id INT PRIMARY KEY, pid INT REFERENCES p (id) ON DELETE CASCADE)",
          "CREATE TABLE d (id INT, cid INT REFERENCES c (id) ON DELETE SET NULL)",
          "CREATE TABLE u (id INT, pid INT REFERENCES p (id) ON DELETE RESTRICT)");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          DELETE FROM p USING p JOIN c ON (p.id = c.id)                   | true
          DELETE FROM p WHERE EXISTS (SELECT 1 FROM c)                    | true
          DELETE FROM p WHERE id IN (SELECT id FROM d)                    | true
          WITH w AS (SELECT id FROM c) DELETE FROM p WHERE id IN (SELECT id FROM w) | true
          REPLACE INTO p (id) SELECT pid FROM c                           | true
          INSERT INTO p (id) SELECT id FROM c ON DUPLICATE KEY UPDATE id = 7 | true
          UPDATE p JOIN c ON p.id = c.pid SET p.id = 9                    | true
          UPDATE p JOIN c ON p.id = c.pid SET p.v = 9                     | false
          DELETE FROM p                                                   | false
          DELETE FROM p USING p JOIN u ON (p.id = u.id)                   | false
          DELETE FROM c WHERE pid IN (SELECT id FROM p)                   | false
          INSERT INTO p (id) SELECT id FROM c                             | false
          SELECT * FROM p JOIN c ON p.id = c.pid FOR UPDATE               | false
          """)
  void statementsThatReadTheirCascades(String sql, boolean expected) {
    assertThat(ForeignKeyGraph.of(TABLES).cascadesIntoRead(sql)).isEqualTo(expected);
  }

  /** MariaDB deletes 1 row if the plan starts with t0, and 2 if it starts with t1. */
  @Test
  void aPlanDependentResultIsUnsupported() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t0 (c0 INT NOT NULL, PRIMARY KEY (c0)) {ENGINE}
              I: CREATE TABLE t1 (c0 INT, c2 INT NOT NULL, \
              FOREIGN KEY (c2) REFERENCES t0 (c0) ON DELETE CASCADE) {ENGINE}
              I: INSERT INTO t0 VALUES (0), (1), (2), (3)
              I: INSERT INTO t1 VALUES (1, 3), (6, 3), (6, 2), (2, 1)
              T2: BEGIN
              T1: DELETE FROM t0 USING t0 JOIN t1 ON (t0.c0 = t1.c0)
              """,
              IsolationLevel.SERIALIZABLE.shortName());

      for (Oracle oracle : List.of(new WriteCheck(), new Troc())) {
        assertThat(oracle.judge(execution, fixture.executor()).result())
            .isEqualTo(OracleVerdict.Result.UNSUPPORTED);
      }
    }
  }
}
