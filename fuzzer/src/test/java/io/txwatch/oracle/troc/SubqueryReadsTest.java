package io.txwatch.oracle.troc;

import static io.txwatch.oracle.troc.TrocVerdicts.assertResult;
import static io.txwatch.oracle.troc.TrocVerdicts.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import org.assertj.core.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the queries within writes read, by the manual of each DBMS, and what they do. */
class SubqueryReadsTest {

  private static final String TABLES =
      """
      I: CREATE TABLE t (id INT PRIMARY KEY, k INT)
      I: CREATE TABLE s (id INT PRIMARY KEY, k INT)
      I: INSERT INTO t VALUES (1, 0)
      I: INSERT INTO s VALUES (1, 7)
      """;

  /** T1 has a snapshot with 7, and T2 stores 9. */
  private static final String AFTER_A_SNAPSHOT =
      TABLES
          + """
          T1: BEGIN
          T1: SELECT * FROM s
          T2: UPDATE s SET k = 9
          T1: %s
          T1: COMMIT
          F: SELECT k FROM t
          """;

  /**
   * InnoDB's writes read current rows ("the SELECT part acts like READ COMMITTED"), the others
   * those of the snapshot.
   */
  @ParameterizedTest
  @CsvSource({
    "MARIADB, RR, 9", "MYSQL, RR, 9", "MARIADB, RC, 9", "POSTGRESQL, RC, 9", "POSTGRESQL, RR, 7",
    "POSTGRESQL, SER, 7", "H2, RC, 9", "H2, RR, 7", "H2, SI, 7", "H2, SER, 7"
  })
  void aSubqueryReadsWhatTheManualSays(ServerKind kind, String level, String stored)
      throws Exception {
    try (ExecutorFixture fixture = fixture(kind)) {
      for (String write :
          new String[] {
            "UPDATE t SET k = (SELECT MAX(k) FROM s)",
            "INSERT INTO t SELECT 2, k FROM s",
            "DELETE FROM t WHERE k < (SELECT k - 8 FROM s)"
          }) {
        CaseExecution execution = fixture.execute(AFTER_A_SNAPSHOT.formatted(write), level);

        String rows = execution.finalState().get(0).toString();
        boolean isDeleted = write.startsWith("DELETE") && stored.equals("9");
        assertThat(rows)
            .as(execution.toString())
            .isEqualTo(
                write.startsWith("DELETE")
                    ? (isDeleted ? "[]" : "[0]")
                    : write.startsWith("UPDATE") ? "[" + stored + "]" : "[0, " + stored + "]");
        assertResult(fixture, execution, Result.CLEAN);
      }
    }
  }

  /**
   * T1's command waits for the row of t, and T2 then commits both tables: PostgreSQL and H2 read
   * the row again and s as of the command's start; InnoDB, whose query locks, reads both as they
   * are; at the levels of snapshots T1 fails.
   */
  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, RC, COMMIT, 8, CLEAN",
    "POSTGRESQL, RC, ROLLBACK, 7, CLEAN",
    "POSTGRESQL, RR, COMMIT, 1, CLEAN",
    "POSTGRESQL, RR, ROLLBACK, 7, CLEAN",
    "H2, RC, COMMIT, 8, CLEAN",
    "H2, RR, ROLLBACK, 7, CLEAN",
    "MARIADB, RR, COMMIT, 10, CLEAN",
    "MARIADB, SER, COMMIT, 10, CLEAN",
    "MARIADB, RC, COMMIT, 10, UNDECIDED",
    "MYSQL, RR, COMMIT, 10, CLEAN"
  })
  void theSubqueryOfABlockedWriteReadsWhatTheManualSays(
      ServerKind kind, String level, String end, String stored, Result result) throws Exception {
    try (ExecutorFixture fixture = fixture(kind)) {
      CaseExecution execution =
          fixture.execute(
              TABLES
                  + """
                  T2: BEGIN
                  T2: UPDATE t SET k = 1
                  T2: UPDATE s SET k = 9
                  T1: UPDATE t SET k = k + (SELECT MAX(k) FROM s) WHERE id = 1
                  T2: %s
                  F: SELECT k FROM t
                  """
                      .formatted(end),
              level);

      assertThat(execution.outcome(4).blocked()).as(execution.toString()).isTrue();
      assertThat(execution.finalState().get(0)).as(execution.toString()).containsExactly(stored);
      assertResult(fixture, execution, result);
    }
  }

  /** The subquery reads the table that is written: the view cannot distinguish the two readings. */
  @Test
  void aSubqueryOfTheWrittenTableIsUndecidedAfterAWait() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      CaseExecution execution =
          fixture.execute(
              TABLES
                  + """
                  T2: BEGIN
                  T2: UPDATE t SET k = 1
                  T1: UPDATE t SET k = k + (SELECT MAX(o.k) FROM t o) WHERE t.id = 1
                  T2: COMMIT
                  """,
              "RC");

      assertResult(fixture, execution, Result.UNDECIDED);
    }
  }

  /**
   * At READ COMMITTED the query does not wait for T2's row. At REPEATABLE READ "InnoDB sets shared
   * next-key locks on rows from S", so the same execution would be a violation there; the DELETE
   * locks at each level.
   */
  @Test
  void aSubqueryWaitsWhereTheManualSaysThatItLocks() throws Exception {
    String schedule =
        TABLES
            + """
            T2: BEGIN
            T2: INSERT INTO s VALUES (2, 9)
            T1: %s
            T2: COMMIT
            """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      for (String write :
          new String[] {
            "INSERT INTO t SELECT id + 1, k FROM s",
            "UPDATE t SET k = (SELECT MAX(k) FROM s)",
            "UPDATE t SET k = 5 WHERE id + 8 IN (SELECT k FROM s)"
          }) {
        CaseExecution atReadCommitted = fixture.execute(schedule.formatted(write), "RC");
        CaseExecution locking = fixture.execute(schedule.formatted(write), "RR");

        assertThat(atReadCommitted.outcome(3).blocked()).isFalse();
        assertResult(fixture, atReadCommitted, Result.CLEAN);
        assertThat(locking.outcome(3).blocked()).as(locking.toString()).isTrue();
        assertResult(fixture, locking, Result.CLEAN);
        OracleVerdict verdict =
            new Troc()
                .judge(at(IsolationLevel.REPEATABLE_READ, atReadCommitted), fixture.executor());
        assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.VIOLATION);
        assertThat(verdict.reason()).contains("should have waited");
      }
      CaseExecution unrelated =
          fixture.execute(schedule.formatted("UPDATE t SET k = (SELECT COUNT(*) FROM t)"), "RR");
      assertResult(fixture, unrelated, Result.CLEAN);
    }
  }

  private static ExecutorFixture fixture(ServerKind kind) throws Exception {
    Assumptions.assumeThat(TestServers.missing(kind)).isEmpty();
    return new ExecutorFixture(kind);
  }
}
