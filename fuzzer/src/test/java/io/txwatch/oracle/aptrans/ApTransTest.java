package io.txwatch.oracle.aptrans;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.guarantee.Judge;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Patterns;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.ServerCrashException;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The paper's figures on real servers; what each DBMS promises decides. */
class ApTransTest {

  private static final String FIGURE_1 =
      """
      I: CREATE TABLE t1 (c0 INT) {ENGINE}
      I: CREATE TABLE t2 (c0 {AUTOINC}, c1 INT) {ENGINE}
      I: INSERT INTO t1(c0) VALUES (1),(2),(3)
      T1: BEGIN
      T2: BEGIN
      T1: INSERT INTO t2(c1) VALUES (1)
      T2: INSERT INTO t2(c1) VALUES (2),(3)
      T2: COMMIT
      T1: UPDATE t1 SET c0=10 WHERE c0 IN (SELECT c1 FROM (SELECT * FROM t2 ORDER BY c0 LIMIT 2) AS t)
      T1: COMMIT
      F: SELECT * FROM t1
      """;

  private static final String FIGURE_3 =
      """
      I: CREATE TABLE t (ID INT NOT NULL PRIMARY KEY, c0 INT) {ENGINE}
      I: INSERT INTO t VALUES (1, 1000)
      T1: BEGIN
      T2: BEGIN
      T1: SELECT * FROM t
      T2: UPDATE t SET c0 = 900 WHERE ID = 1
      T2: COMMIT
      T1: UPDATE t SET c0 = 1100 WHERE ID = 1
      T1: COMMIT
      """;

  private static final String FIGURE_5 =
      """
      I: CREATE TABLE tYv10enE (c0 INT NOT NULL PRIMARY KEY) {ENGINE}
      I: INSERT INTO tYv10enE (c0) VALUES (10989748), (-1404643822)
      T1: BEGIN
      T2: BEGIN
      T1: UPDATE tYv10enE SET c0 = 0 WHERE c0 = 10989748
      T2: SELECT * FROM tYv10enE WHERE (c0 >= 0)
      T1: ROLLBACK
      T2: COMMIT
      """;

  /** T1 itself chooses a level below that of the case, and reads what that level shows. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "MARIADB | SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED | BEGIN",
        "MARIADB | SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED | BEGIN",
        "MARIADB | SET @@session.tx_isolation = 'READ-UNCOMMITTED' | BEGIN",
        "H2 | SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED | BEGIN",
        "POSTGRESQL | SELECT 1 | BEGIN ISOLATION LEVEL READ COMMITTED"
      })
  void aTransactionWithALevelOfItsOwnIsNotJudgedByThatOfTheCase(
      ServerKind kind, String before, String begin) throws Exception {
    String text =
        """
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 10)
        T1: %s
        T1: %s
        T1: SELECT * FROM t
        T2: BEGIN
        T2: UPDATE t SET v = 99
        %s
        T1: SELECT * FROM t
        T2: ROLLBACK
        T1: COMMIT
        """
            .formatted(before, begin, kind == ServerKind.MARIADB ? "T3: SELECT 1" : "T2: COMMIT");
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution = fixture.execute(text, "RR");

      assertThat(execution.outcome(7).rows().toString()).isEqualTo("[[1, 99]]");
      for (Oracle oracle : List.of(new ApTrans(Judge.DBMS), new Troc(), new WriteCheck())) {
        OracleVerdict verdict = oracle.judge(execution, fixture.executor());
        assertThat(verdict.result()).as(verdict.toString()).isEqualTo(Result.UNSUPPORTED);
      }
    }
  }

  /** MDEV-36330: the rows are ordered by their generated keys, and read in the other order. */
  @ParameterizedTest
  @CsvSource({
    "MARIADB, SER, VIOLATION, 36-sequence",
    "MYSQL, SER, VIOLATION, 36-sequence",
    "MARIADB, RC, CLEAN, 36-sequence",
    "POSTGRESQL, SER, CLEAN, ''",
    "H2, SER, CLEAN, ''"
  })
  void figure1(ServerKind kind, String level, Result result, String pattern) throws Exception {
    assertVerdict(kind, FIGURE_1, level, result, pattern);
  }

  /** Forbidden by the tables; MySQL's and H2's REPEATABLE READ permit it by their manuals. */
  @ParameterizedTest
  @CsvSource({
    "MARIADB, RC, CLEAN, lost-update 31",
    "MARIADB, RR, CLEAN, lost-update",
    "MARIADB, SER, CLEAN, ''",
    "MYSQL, RR, CLEAN, lost-update",
    "POSTGRESQL, RC, CLEAN, lost-update",
    "POSTGRESQL, RR, CLEAN, ''",
    "POSTGRESQL, SER, CLEAN, ''",
    "H2, RC, CLEAN, lost-update",
    "H2, RR, CLEAN, ''"
  })
  void figure3(ServerKind kind, String level, Result result, String pattern) throws Exception {
    assertVerdict(kind, FIGURE_3, level, result, pattern.replace(" 31", ""));
  }

  /** MySQL bug 117835, which needs READ UNCOMMITTED here: the dirty read that the paper saw. */
  @ParameterizedTest
  @CsvSource({
    "MARIADB, RU, CLEAN, dirty-read",
    "MARIADB, RC, CLEAN, ''",
    "MYSQL, RU, CLEAN, dirty-read",
    "MYSQL, RC, CLEAN, ''",
    "POSTGRESQL, RC, CLEAN, ''",
    "H2, RC, CLEAN, ''"
  })
  void figure5(ServerKind kind, String level, Result result, String pattern) throws Exception {
    assertVerdict(kind, FIGURE_5, level, result, pattern);
  }

  /** Figure 6 on servers that keep the snapshot. */
  @ParameterizedTest
  @CsvSource({
    "START TRANSACTION WITH CONSISTENT SNAPSHOT, MARIADB, RR",
    "START TRANSACTION WITH CONSISTENT SNAPSHOT, MYSQL, RR"
  })
  void aConsistentSnapshotIsKept(String begin, ServerKind kind, String level) throws Exception {
    String figure6 =
        """
        I: CREATE TABLE t (ID INT, c0 INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 1), (2, 2)
        T1: BEGIN
        T2: %s
        T1: UPDATE t SET c0 = 10 WHERE (ID = 1)
        T1: COMMIT
        T2: SELECT * FROM t
        T2: COMMIT
        """
            .formatted(begin);
    assertVerdict(kind, figure6, level, Result.CLEAN, "");
  }

  /** By the tables alone, what REPEATABLE READ of MySQL permits is a violation. */
  @ParameterizedTest
  @CsvSource({"RC, CLEAN", "RR, VIOLATION"})
  void adyaJudgesByTheTables(String level, Result expected) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      OracleVerdict verdict =
          new ApTrans(Judge.ADYA).judge(fixture.execute(FIGURE_3, level), fixture.executor());

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(expected);
    }
  }

  /** What was recorded counts, whatever the form of the write and of the read. */
  @ParameterizedTest
  @CsvSource({"MARIADB, RC", "MYSQL, RC", "POSTGRESQL, RC", "H2, RC"})
  void insertsDeletesAndJoinsAreRecorded(ServerKind kind, String level) throws Exception {
    String phantom =
        """
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: CREATE TABLE u (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 1), (2, 2)
        I: INSERT INTO u VALUES (1, 1)
        T1: BEGIN
        T1: SELECT a.v, b.v FROM t a LEFT JOIN u b ON (a.id = b.id) WHERE (a.v > 0)
        T1: SELECT * FROM t
        T2: INSERT INTO t VALUES (3, 3)
        T2: DELETE FROM u WHERE id = 1
        T1: SELECT COUNT(*) FROM t
        T1: COMMIT
        """;
    assertVerdict(kind, phantom, level, Result.CLEAN, "non-repeatable-read");
  }

  private static void assertVerdict(
      ServerKind kind, String text, String level, Result result, String pattern) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      OracleVerdict verdict =
          new ApTrans(Judge.DBMS)
              .judge(
                  fixture.execute(
                      CaseReader.parse("figure", text), IsolationLevel.parse(level).orElseThrow()),
                  fixture.executor());

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(result);
      List<String> shown =
          Stream.of(
                  verdict.patterns().map(Patterns::forbidden),
                  verdict.patterns().map(Patterns::permitted))
              .flatMap(Optional::stream)
              .flatMap(Collection::stream)
              .toList();
      if (pattern.isEmpty()) {
        assertThat(shown).isEmpty();
      } else {
        assertThat(shown).contains(pattern);
      }
    }
  }

  /** A server that closes a connection has crashed, or the session was ended: no isolation bug. */
  @Test
  void aLostConnectionIsNoViolation() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      CaseExecution execution =
          fixture.execute(
              FIGURE_3.replace(
                  "T2: COMMIT", "T2: SELECT pg_terminate_backend(pg_backend_pid()) FROM t"),
              "RC");

      assertThatThrownBy(() -> new ApTrans(Judge.DBMS).judge(execution, fixture.executor()))
          .isInstanceOf(ServerCrashException.class);
    }
  }
}
