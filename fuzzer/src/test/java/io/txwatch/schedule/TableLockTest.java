package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Cases with locks of whole tables, and with definitions while transactions are open. */
class TableLockTest {

  private static final String TABLE =
      """
      I: CREATE TABLE t0 (c0 INT NOT NULL PRIMARY KEY, c1 INT) {ENGINE}
      I: INSERT INTO t0 VALUES (1, 1), (2, 2)
      """;

  /** T1 waits for T2's lock of the table, which nobody reports as a wait for a row. */
  @Test
  void aSessionWaitsUntilTablesAreUnlocked() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution =
          fixture.execute(
              TABLE
                  + """
                  T2: LOCK TABLES t0 WRITE
                  T1: UPDATE t0 SET c1 = 5 WHERE (c0 = 1)
                  T2: UPDATE t0 SET c1 = 6 WHERE (c0 = 1)
                  T2: UNLOCK TABLES
                  """,
              "RR");

      assertThat(execution.undecided()).isEmpty();
      assertThat(execution.outcome(2).blocked()).isTrue();
      assertThat(execution.outcomes()).allMatch(StepOutcome::succeeded);
      assertThat(execution.finalState().toString()).contains("1,5");
      assertThat(execution.race())
          .contains("a session waits for a table, and when it goes on is unknown");
    }
  }

  /** T2's transaction begins without a statement that begins one. */
  @Test
  void aSessionWithoutAutocommitMayBlockOthers() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution =
          fixture.execute(
              TABLE
                  + """
                  T2: SET autocommit = 0
                  T2: UPDATE t0 SET c1 = 6 WHERE (c0 = 1)
                  T1: UPDATE t0 SET c1 = 5 WHERE (c0 = 1)
                  T2: COMMIT
                  T2: SET autocommit = 1
                  """,
              "RR");

      assertThat(execution.undecided()).isEmpty();
      assertThat(execution.outcome(3).blocked()).isTrue();
      assertThat(execution.finalState().toString()).contains("1,5");
    }
  }

  /**
   * A session that does not belong to the case uses the table for a moment, as InnoDB's purge does.
   * Nobody in the case holds a lock, so the step is not blocked.
   */
  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "MARIADB"})
  void aSessionThatOthersDelayIsNotBlocked(ServerKind kind) throws Exception {
    assumeThat(TestServers.kinds()).contains(kind);
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      Future<String> waiter = executor.submit(() -> useTableUntilSomebodyWaits(kind));
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE used (c0 INT NOT NULL PRIMARY KEY, c1 INT) {ENGINE}
              I: INSERT INTO used SELECT 1, SLEEP(0.5)
              T2: CREATE INDEX i ON used (c1)
              T1: SELECT * FROM used
              """,
              "RR");

      assertThat(waiter.get()).isNotEmpty();
      assertThat(execution.undecided()).isEmpty();
      assertThat(execution.order()).containsExactly(1, 2);
      assertThat(execution.outcomes()).noneMatch(StepOutcome::blocked);
    } finally {
      executor.shutdownNow();
    }
  }

  /** Uses the table until a session has waited for it for a moment, whose id is returned. */
  private static String useTableUntilSomebodyWaits(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    try (Connection user = DriverManager.getConnection(url);
        Connection watcher = DriverManager.getConnection(url);
        Statement use = user.createStatement();
        Statement watch = watcher.createStatement()) {
      String database =
          awaitFirst(
              watch, "table_schema FROM information_schema.tables" + " WHERE table_name = 'used'");
      use.execute("BEGIN");
      use.executeQuery("SELECT * FROM " + database + ".used").close();
      String waiter =
          awaitFirst(
              watch,
              "id FROM information_schema.processlist"
                  + " WHERE state LIKE 'Waiting for table metadata lock'");
      Thread.sleep(200);
      use.execute("COMMIT");
      return waiter;
    }
  }

  private static String awaitFirst(Statement statement, String query) throws Exception {
    for (int i = 0; i < 1000; i++) {
      try (ResultSet result = statement.executeQuery("SELECT " + query)) {
        if (result.next()) {
          return result.getString(1);
        }
      }
      Thread.sleep(5);
    }
    throw new AssertionError("nothing found by SELECT " + query);
  }

  /** The tables stay locked at the end of the first case; the second one is not affected. */
  @Test
  void tablesThatStayLockedDoNotBlockTheNextCase() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      for (int i = 0; i < 2; i++) {
        CaseExecution execution =
            fixture.execute(
                TABLE
                    + """
                    T1: LOCK TABLES t0 WRITE
                    T1: UPDATE t0 SET c1 = 5 WHERE (c0 = 1)
                    """,
                "RR");
        assertThat(execution.outcomes()).allMatch(StepOutcome::succeeded);
        assertThat(execution.finalState().toString()).contains("1,5");
        assertThat(execution.race()).isEmpty();
        assertThat(new WriteCheck().judge(execution, fixture.executor()).reason())
            .isEqualTo("a statement locks whole tables, which may end a transaction");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"POSTGRESQL, IN ACCESS EXCLUSIVE MODE", "POSTGRESQL, IN SHARE MODE"})
  void aTableLockLastsToTheEndOfItsTransaction(ServerKind kind, String mode) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution =
          fixture.execute(
              TABLE
                  + """
                  T1: BEGIN
                  T1: LOCK TABLE t0 %s
                  T2: UPDATE t0 SET c1 = 5 WHERE (c0 = 1)
                  T1: COMMIT
                  """
                      .formatted(mode),
              "RC");

      assertThat(execution.outcome(3).blocked()).isTrue();
      assertThat(execution.outcomes()).allMatch(StepOutcome::succeeded);
    }
  }

  /** What a statement returns depends on the definition that it sees. */
  @Test
  void aCaseWithADefinitionIsNotCompared() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution =
          fixture.execute(
              TABLE
                  + """
                  I: CREATE TABLE t1 (c0 INT NOT NULL PRIMARY KEY) {ENGINE}
                  T1: BEGIN
                  T1: SELECT * FROM t1
                  T2: ALTER TABLE t0 ADD COLUMN d0 INT
                  T1: SELECT * FROM t0
                  T1: COMMIT
                  """,
              "RR");

      assertThat(execution.outcomes()).allMatch(StepOutcome::succeeded);
      assertThat(execution.outcome(4).columns()).contains("d0");
      OracleVerdict verdict = new WriteCheck().judge(execution, fixture.executor());
      assertThat(verdict.result()).isEqualTo(OracleVerdict.Result.UNSUPPORTED);
      assertThat(verdict.reason())
          .isEqualTo("a statement changes definitions while transactions are open");
    }
  }

  /** T2's definition waits for T1's transaction, and T1 goes on. */
  @ParameterizedTest
  @CsvSource({
    "MARIADB, CREATE INDEX d_t0 ON t0 (c1)",
    "POSTGRESQL, CREATE INDEX d_t0 ON t0 (c1)",
    "POSTGRESQL, ALTER TABLE t0 ADD COLUMN d0 INT",
    "MARIADB, ALTER TABLE t0 ADD COLUMN d0 INT",
    "MARIADB, ALTER TABLE t0 ENGINE=InnoDB" // takes longer after its release
  })
  void aDefinitionWaitsForAnOpenTransaction(ServerKind kind, String definition) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution =
          fixture.execute(
              TABLE
                  + """
                  T1: BEGIN
                  T1: UPDATE t0 SET c1 = 5 WHERE (c0 = 1)
                  T2: %s
                  T1: UPDATE t0 SET c1 = 6 WHERE (c0 = 2)
                  T1: COMMIT
                  """
                      .formatted(definition),
              "RC");

      assertThat(execution.undecided()).isEmpty();
      assertThat(execution.outcome(3).blocked()).isTrue();
      assertThat(execution.outcomes()).allMatch(StepOutcome::succeeded);
      assertThat(execution.race().isPresent()).isEqualTo(kind == ServerKind.MARIADB);
    }
  }
}
