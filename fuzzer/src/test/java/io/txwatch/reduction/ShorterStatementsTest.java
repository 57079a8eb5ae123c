package io.txwatch.reduction;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.sql.dialect.Dialect;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a statement is shortened to: beside each text, texts that are among the shorter ones. */
class ShorterStatementsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          SELECT a, b FROM t                          | SELECT a FROM t; SELECT b FROM t; SELECT a, b
          SELECT DISTINCT a FROM t                    | SELECT a FROM t
          SELECT a FROM t WHERE a = 1 AND b = 2       | SELECT a FROM t; SELECT a FROM t WHERE a = 1; SELECT a FROM t WHERE b = 2
          SELECT a FROM t WHERE a AND b AND c         | SELECT a FROM t WHERE a AND b; SELECT a FROM t WHERE a AND c; SELECT a FROM t WHERE b AND c
          SELECT a FROM t WHERE NOT (a = 1)           | SELECT a FROM t WHERE (a = 1); SELECT a FROM t WHERE NOT (a)
          SELECT a FROM t WHERE a IN (1, 2)           | SELECT a FROM t WHERE a IN (1); SELECT a FROM t WHERE a IN (2); SELECT a FROM t WHERE a
          SELECT a FROM t ORDER BY a, b LIMIT 1       | SELECT a FROM t ORDER BY a, b; SELECT a FROM t LIMIT 1; SELECT a FROM t ORDER BY b LIMIT 1
          SELECT a FROM t WHERE a = 1 FOR UPDATE      | SELECT a FROM t WHERE a = 1; SELECT a FROM t FOR UPDATE
          SELECT a FROM t JOIN u ON t.a = u.a         | SELECT a FROM t; SELECT a FROM u
          SELECT a FROM t UNION SELECT b FROM u       | SELECT a FROM t; SELECT b FROM u
          SELECT f(a, g(b)) FROM t                    | SELECT f(a) FROM t; SELECT a FROM t; SELECT g(b) FROM t; SELECT f(a, b) FROM t
          WITH x AS (SELECT 1) SELECT a FROM t        | SELECT a FROM t
          UPDATE t SET a = 1, b = b + 2 WHERE c = 3   | UPDATE t SET a = 1, b = b + 2; UPDATE t SET a = 1 WHERE c = 3; UPDATE t SET a = 1, b = b WHERE c = 3
          UPDATE t SET a = 1 RETURNING a              | UPDATE t SET a = 1
          DELETE FROM t WHERE a > (SELECT b FROM u)   | DELETE FROM t; DELETE FROM t WHERE a; DELETE FROM t WHERE (SELECT b FROM u); DELETE FROM t WHERE a > (SELECT b)
          INSERT INTO t VALUES (1, 2), (3, 4)         | INSERT INTO t VALUES (1, 2); INSERT INTO t VALUES (3, 4)
          INSERT INTO t (a, b) VALUES (1, 2), (3, 4)  | INSERT INTO t (a) VALUES (1), (3); INSERT INTO t (b) VALUES (2), (4); INSERT INTO t (a, b) VALUES (3, 4)
          INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING | INSERT INTO t (a) VALUES (1)
          CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL, CHECK (b > 0)) | CREATE TABLE t (a INT PRIMARY KEY, b INT NOT NULL); CREATE TABLE t (a INT, b INT NOT NULL, CHECK (b > 0)); CREATE TABLE t (a INT PRIMARY KEY, b INT, CHECK (b > 0))
          CREATE TABLE t (a INT DEFAULT 1 UNIQUE)     | CREATE TABLE t (a INT UNIQUE); CREATE TABLE t (a INT DEFAULT 1)
          CREATE TABLE t (a INT) {ENGINE}             | CREATE TABLE t (a INT)
          CREATE INDEX i ON t (a, b)                  | CREATE INDEX i ON t (a); CREATE INDEX i ON t (b)
          """)
  void isShortened(String sql, String expected) {
    assertThat(ShorterStatements.of(sql, Dialect.POSTGRESQL))
        .containsAll(Arrays.stream(expected.split(";")).map(String::strip).toList());
  }

  /** Without its condition, or with another one, the recursion would not end. */
  @Test
  void aRecursionStaysWhole() {
    String recursion =
        "WITH RECURSIVE w(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM w WHERE n < 2)";
    for (Dialect dialect : List.of(Dialect.H2, Dialect.MARIADB)) {
      List<String> shorter =
          ShorterStatements.of(recursion + " SELECT n, a FROM w CROSS JOIN t WHERE a = 1", dialect);

      assertThat(shorter)
          .contains(
              recursion + " SELECT n FROM w CROSS JOIN t WHERE a = 1",
              recursion + " SELECT n, a FROM w CROSS JOIN t",
              "SELECT n, a FROM w CROSS JOIN t WHERE a = 1")
          .allMatch(text -> text.startsWith(recursion) || !text.contains("RECURSIVE"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          SELECT a FROM t WHERE b = 'x, y' AND c IN (1, 2) ORDER BY a
          INSERT INTO t (a, b) VALUES (1, 'it''s'), (3, NULL)
          UPDATE t SET a = CASE WHEN b > 1 THEN f(c) ELSE - d END WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)
          CREATE TABLE t (a INT DEFAULT (1 + 2), PRIMARY KEY (a)) {ENGINE}
          """)
  void eachIsShorterAndTheShortestIsFirst(String sql) {
    List<String> shorter = ShorterStatements.of(sql, Dialect.POSTGRESQL);

    assertThat(shorter).isNotEmpty().doesNotHaveDuplicates();
    assertThat(shorter).isSortedAccordingTo((a, b) -> a.length() - b.length());
    assertThat(shorter).allMatch(text -> text.length() < sql.length());
  }

  @Test
  void rowsOfValuesKeepTheirParentheses() {
    assertThat(ShorterStatements.of("INSERT INTO t (a, b) VALUES (1, 2)", Dialect.H2))
        .containsExactlyInAnyOrder(
            "INSERT INTO t (a) VALUES (1)", "INSERT INTO t (b) VALUES (2)",
            "INSERT INTO t (a, b) VALUES (1)", "INSERT INTO t (a, b) VALUES (2)");
  }

  @Test
  void nothingIsShorterThanASmallStatementOrOneThatIsNotUnderstood() {
    assertThat(ShorterStatements.of("SELECT 1", Dialect.POSTGRESQL)).isEmpty();
    assertThat(ShorterStatements.of("SELECT 'a", Dialect.POSTGRESQL)).isEmpty();
    assertThat(ShorterStatements.of("", Dialect.POSTGRESQL)).isEmpty();
    assertThat(ShorterStatements.of("COMMIT", Dialect.POSTGRESQL)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          CREATE TABLE t (a INT, b INT)               | CREATE TABLE t (a INT)
          CREATE TABLE IF NOT EXISTS t (b INT, a INT) | CREATE TABLE IF NOT EXISTS t (a INT)
          CREATE TABLE t (b INT)                      | CREATE TABLE t (b INT)
          CREATE TABLE u (a INT, b INT)               | CREATE TABLE u (a INT, b INT)
          INSERT INTO t (a, b) VALUES (1, 2), (3, 4)  | INSERT INTO t (a) VALUES (1), (3)
          INSERT INTO t (a, b) SELECT 1, 2            | INSERT INTO t (a, b) SELECT 1, 2
          INSERT INTO t VALUES (1, 2)                 | INSERT INTO t VALUES (1, 2)
          INSERT INTO u (a, b) VALUES (1, 2)          | INSERT INTO u (a, b) VALUES (1, 2)
          UPDATE t SET b = 1                          | UPDATE t SET b = 1
          """)
  void aColumnIsDroppedWhereItIsDefinedAndInserted(String sql, String expected) {
    assertThat(ShorterStatements.withoutColumn(sql, "t", "b", Dialect.POSTGRESQL))
        .isEqualTo(expected);
  }
}
