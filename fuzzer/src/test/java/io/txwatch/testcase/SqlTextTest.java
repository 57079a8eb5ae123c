package io.txwatch.testcase;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.generator.CaseGenerator;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.sql.syntax.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What is read of the texts of cases. */
class SqlTextTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          INSERT INTO t VALUES (1)                                        | INSERT t
          INSERT OR IGNORE INTO "T" (a) VALUES ('UPDATE u SET a = 1')      | INSERT t
          replace into `t` select * from u                                | REPLACE t
          UPDATE IGNORE s.t SET a = REPLACE(a, 'x', 'y')                  | UPDATE t
          DELETE FROM ONLY t USING u WHERE t.a = u.a                      | DELETE t
          MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = 1 | MERGE t
          WITH w AS (SELECT 1) DELETE FROM t WHERE a IN (SELECT * FROM w)  | DELETE t
          WITH w AS (UPDATE u SET a = 1 RETURNING a) INSERT INTO t SELECT * FROM w | UPDATE u, INSERT t
          SELECT * FROM t WHERE a = INSERT('a', 1, 1, 'b') FOR UPDATE      | ''
          INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE a = 2      | INSERT t
          """)
  void writes(String sql, String expected) {
    assertThat(SqlText.of(sql).writes().stream().map(write -> write.verb() + " " + write.table()))
        .containsExactlyElementsOf(
            Stream.of(expected.split(", ")).filter(s -> !s.isEmpty()).toList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          UPDATE t SET a = 1                                              | UPDATE t SET ^a = 1
          SELECT * FROM t FOR NO KEY UPDATE                               | SELECT * FROM t FOR NO KEY UPDATE
          INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 2 | INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE ^a = 2
          """)
  void assignments(String sql, String marked) {
    SqlText text = SqlText.of(sql);
    assertThat(text.withBefore(text.assignments(), "^")).isEqualTo(marked);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          INSERT INTO t VALUES (1)       | INSERT INTO t (a, b) VALUES (1)
          INSERT INTO t SELECT 1         | INSERT INTO t (a, b) SELECT 1
          INSERT INTO t (a) VALUES (1)   | INSERT INTO t (a) VALUES (1)
          INSERT INTO t DEFAULT VALUES   | INSERT INTO t DEFAULT VALUES
          UPDATE t SET a = 1             | UPDATE t SET a = 1
          """)
  void addsColumns(String sql, String expected) {
    assertThat(SqlText.of(sql).withColumns(List.of("a", "b"))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "SAVEPOINT s, true, false",
    "SAVEPOINT S ON ROLLBACK RETAIN CURSORS, true, false",
    "RELEASE SAVEPOINT s, true, false",
    "ROLLBACK TO s, true, true",
    "ROLLBACK WORK TO SAVEPOINT \"S\", true, true",
    "ROLLBACK, false, false",
    "SELECT 'ROLLBACK TO s' s, false, false"
  })
  void savepoints(String sql, boolean isSavepoint, boolean rollsBack) {
    assertThat(SqlText.of(sql).isSavepoint()).isEqualTo(isSavepoint);
    assertThat(SqlText.of(sql).rollsBackToSavepoint()).isEqualTo(rollsBack);
    if (isSavepoint) {
      assertThat(SqlText.of(sql).savepoint()).isEqualTo("s");
    }
  }

  @Test
  void wordsInLiteralsAndCommentsAreNone() {
    SqlText text = SqlText.of("SELECT 'FOR UPDATE', \"Limit\" /* LOCK */ FROM t -- NOWAIT");

    assertThat(text.hasAny("FOR", "UPDATE", "LIMIT", "LOCK", "NOWAIT")).isFalse();
    assertThat(text.hasName("limit")).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT 1 FROM pg_advisory_lock(?)                                 | true",
        "SELECT l.* FROM pg_try_advisory_xact_lock(?) AS l                 | true",
        "SELECT 1 FROM pg_advisory_lock(?), account                        | false",
        "SELECT 1 FROM pg_advisory_lock(?) WHERE 1 IN (SELECT id FROM t)   | false",
        "SELECT 1 FROM pg_advisory_lock((SELECT max(id) FROM t))           | false",
        "SELECT 1 FROM pg_advisory_lock(?) UNION ALL TABLE account         | false",
        "SELECT 1 INTO copy FROM pg_advisory_lock(?)                       | false",
        "WITH d AS (DELETE FROM t RETURNING 1) SELECT 1 FROM pg_advisory_lock(?) | false",
        "SELECT 1 FROM book(?)                                             | false",
        "SELECT 1 FROM pg_advisory_lock                                    | false",
        "SELECT 1                                                          | false",
      })
  void selectsFromLocks(String sql, boolean expected) {
    assertThat(StatementText.selectsFromLocks(sql)).isEqualTo(expected);
  }

  /** Everything that is generated for a DBMS is understood without knowing the DBMS. */
  @ParameterizedTest
  @MethodSource("io.txwatch.dbms.registry.DbmsRegistry#dialects")
  void readsWhatIsGenerated(GeneratedDialect grammar) {
    CaseGenerator generator = new CaseGenerator(3, grammar);
    for (int number = 0; number < 300; number++) {
      for (Step step : generator.generate(number).testCase().steps()) {
        SqlText text = SqlText.of(step.sql());
        if (StatementText.isQuery(step.sql()) || text.write().isPresent()) {
          assertThat(text.tree()).as(step.sql()).isNotInstanceOf(Statement.Opaque.class);
        }
      }
    }
  }
}
