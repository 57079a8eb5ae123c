package io.txwatch.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import java.sql.DriverManager;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What snapshot isolation permits beyond serial orders, and what it excludes. */
class SnapshotMergeTest {

  private static final String SETUP =
      """
      I: CREATE TABLE t (id INT PRIMARY KEY, v INT)
      I: INSERT INTO t (id, v) VALUES (1, 10), (2, 20)
      """;

  private static final String WRITE_SKEW =
      SETUP
          + """
          T1: BEGIN
          T2: BEGIN
          T1: UPDATE t SET v = (SELECT v FROM t WHERE id = 2) WHERE id = 1
          T2: UPDATE t SET v = (SELECT v FROM t WHERE id = 1) WHERE id = 2
          T1: COMMIT
          T2: COMMIT
          """;

  /** Each takes the other's value; no serial order swaps the two. */
  @ParameterizedTest
  @CsvSource({"POSTGRESQL, RR", "H2, SI"})
  void writeSkewIsExplained(ServerKind kind, String level) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution = fixture.execute(WRITE_SKEW, level);

      OracleVerdict verdict = new WriteCheck().judge(execution, fixture.executor());

      assertThat(execution.finalState().get(0)).containsExactly("1,20", "2,10");
      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  /** The final state without the two writes: PostgreSQL excludes it, H2 may not. */
  @ParameterizedTest
  @CsvSource({"POSTGRESQL, RR, VIOLATION", "H2, SI, UNDECIDED"})
  void lostWritesOfTwoWritersAreContradicted(
      ServerKind kind, String level, OracleVerdict.Result expected) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution real = fixture.execute(WRITE_SKEW, level);
      CaseExecution lost =
          new CaseExecution(
              real.testCase(),
              real.level(),
              real.outcomes(),
              real.order(),
              real.completedBeforeEnd(),
              fixture.execute(SETUP + "T1: UPDATE t SET v = v", level).finalReads(),
              real.undecided(),
              real.race(),
              real.events());

      OracleVerdict verdict = new WriteCheck().judge(lost, fixture.executor());

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(expected);
    }
  }

  /**
   * DuckDB executes an UPDATE of an indexed column as DELETE and INSERT, beside which an UPDATE of
   * the same row commits and has no effect, and so one with RETURNING if there is an index. Without
   * one, the columns of the two are merged.
   */
  @ParameterizedTest
  @CsvSource({
    "id INT PRIMARY KEY, UPDATE t SET v = 11 WHERE id = 1, UPDATE t SET id = 5 WHERE id = 1,"
        + " duckdb-update-beside-delete",
    "id INT PRIMARY KEY, UPDATE t SET id = 5 WHERE id = 1, UPDATE t SET v = 11 WHERE id = 1,"
        + " duckdb-update-beside-delete",
    "id INT PRIMARY KEY, UPDATE t SET id = 5 WHERE id = 1, UPDATE t SET v = 11,"
        + " duckdb-update-beside-delete",
    "id INT PRIMARY KEY, UPDATE t SET id = 5 WHERE id = 1, UPDATE t SET v = 11 WHERE id = 2, CLEAN",
    "id INT, UPDATE t SET id = 5 WHERE id = 1, UPDATE t SET v = 11 WHERE id = 1, CLEAN",
    "'id INT, k INT UNIQUE', UPDATE t SET id = 5 WHERE id = 1 RETURNING id, UPDATE t SET v = 11,"
        + " duckdb-update-beside-delete",
    "id INT, DELETE FROM t WHERE v = 20, UPDATE t SET v = 30, duckdb-update-beside-delete",
    "id INT, DELETE FROM t WHERE v = 20 RETURNING *, UPDATE t SET v = 30,"
        + " duckdb-update-beside-delete",
    "id INT, UPDATE t SET id = v WHERE id = 1, UPDATE t SET v = id WHERE id = 1,"
        + " duckdb-updates-of-different-columns"
  })
  void duckDbLosesAnUpdateBesideThatOfAKey(String key, String first, String second, String expected)
      throws Exception {
    String schedule =
        SETUP.replace("id INT PRIMARY KEY, v INT", key.replaceFirst("(?=, |$)", ", v INT"))
            + "T1: BEGIN\nT2: BEGIN\nT1: %s\nT2: %s\nT1: COMMIT\nT2: COMMIT"
                .formatted(first, second);
    try (ServerCaseExecutor executor = duckDb()) {
      CaseExecution execution =
          executor.execute(CaseReader.parse("keys", schedule), IsolationLevel.SNAPSHOT);

      OracleVerdict verdict = new WriteCheck().judge(execution, executor);

      assertThat(
              verdict.result() == OracleVerdict.Result.VIOLATION
                  ? DbmsRegistry.knownBehaviour(executor, execution, verdict).orElseThrow().id()
                  : verdict.result().name())
          .as(verdict.reason() + "\n" + execution)
          .isEqualTo(expected);
    }
  }

  /** A snapshot that contains an autocommitted transaction, and one that does not. */
  @Test
  void snapshotsContainWhatCommittedBefore() throws Exception {
    String schedule =
        SETUP
            + """
            T3: UPDATE t SET v = v + 1 WHERE id = 2
            T1: BEGIN
            T1: SELECT * FROM t
            T3: INSERT INTO t VALUES (3, 30)
            T1: UPDATE t SET v = (SELECT SUM(v) FROM t) WHERE id = 1
            T2: UPDATE t SET v = (SELECT SUM(v) FROM t WHERE id < 3) WHERE id = 3
            T1: COMMIT
            """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      CaseExecution execution = fixture.execute(schedule, "RR");

      OracleVerdict verdict = new WriteCheck().judge(execution, fixture.executor());

      assertThat(execution.finalState().get(0)).containsExactly("1,31", "2,21", "3,31");
      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(OracleVerdict.Result.CLEAN);
      assertThat(verdict.reason()).startsWith("snapshot isolation");
    }
  }

  private static ServerCaseExecutor duckDb() throws Exception {
    return new ServerCaseExecutor(
        DbmsRegistry.connect("jdbc:duckdb:", DriverManager::getConnection), Duration.ofSeconds(10));
  }
}
