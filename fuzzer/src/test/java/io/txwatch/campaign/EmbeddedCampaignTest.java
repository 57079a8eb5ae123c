package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.CaseReader;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Embedded DBMSs that are fuzzed but not watched, and how each resolves conflicts. */
class EmbeddedCampaignTest {

  @ParameterizedTest
  @CsvSource({
    "jdbc:hsqldb:mem:campaign, blocked",
    "jdbc:derby:memory:campaign;create=true, BUSY",
    "jdbc:duckdb:, SERIALIZATION"
  })
  void statementsAreAcceptedAndNothingIsReported(String url, String expectedConflict)
      throws Exception {
    Dbms dbms = DbmsRegistry.connect(url, DriverManager::getConnection);
    List<String> findings = new CopyOnWriteArrayList<>();
    List<String> undecided = new CopyOnWriteArrayList<>();
    Set<String> conflicts = ConcurrentHashMap.newKeySet();
    Campaign.Listener listener =
        new Campaign.Listener() {
          @Override
          public void found(CampaignFinding finding) {
            findings.add(finding.level() + " " + finding.execution() + finding.reason());
          }

          @Override
          public void judged(CaseExecution execution, OracleVerdict verdict) {
            boolean hasManyOrders = verdict.reason().contains("orders of transactions");
            if (verdict.result() == OracleVerdict.Result.UNDECIDED && !hasManyOrders) {
              undecided.add(verdict.reason() + "\n" + execution);
            }
            for (StepOutcome outcome : execution.outcomes()) {
              Failure failure = outcome.failure();
              conflicts.add(
                  failure != null ? failure.kind().name() : outcome.blocked() ? "blocked" : "");
            }
          }
        };
    Campaign.Plan plan =
        new Campaign.Plan(
            4, dbms.levels(), List.of(new WriteCheck()), 48, Duration.ofMinutes(1), 2);

    Summary summary = new Campaign(dbms, plan, listener).run();

    assertThat(findings.stream().collect(Collectors.joining("\n"))).isEmpty();
    assertThat(summary.cases().executed()).isEqualTo(48);
    assertThat(summary.cases().undecided()).isLessThan(5);
    assertThat(undecided).hasSize((int) summary.cases().racing());
    assertThat(summary.statements().accepted()).isGreaterThanOrEqualTo(0.97);
    assertThat(conflicts).contains(expectedConflict);
  }

  /** A bug of HSQLDB: T2 deletes the parent of a child whose deletion T1 then rolls back. */
  @ParameterizedTest
  @EnumSource(names = {"READ_COMMITTED", "SERIALIZABLE"})
  void hsqldbDeletesTheParentOfAChild(IsolationLevel level) throws Exception {
    String schedule =
        """
        I: CREATE TABLE p (id INT PRIMARY KEY)
        I: CREATE TABLE c (pid INT, FOREIGN KEY (pid) REFERENCES p (id))
        I: INSERT INTO p VALUES (0)
        I: INSERT INTO c VALUES (0)
        T1: BEGIN
        T1: DELETE FROM c
        T2: DELETE FROM p
        T1: ROLLBACK
        """;
    Dbms dbms = DbmsRegistry.connect("jdbc:hsqldb:mem:parent", DriverManager::getConnection);
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(10))) {
      CaseExecution orphan = executor.execute(CaseReader.parse("orphan", schedule), level);

      assertThat(orphan.finalState()).containsExactly(List.of("0"), List.of());
      assertThat(new WriteCheck().judge(orphan, executor).result())
          .isEqualTo(OracleVerdict.Result.VIOLATION);
    }
  }

  /** At READ UNCOMMITTED, T1 stores what it reads in a table from which T2 has deleted a row. */
  @Test
  void whatDerbyReadsUncommittedIsNotJudged() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (a INT, b INT)
        I: CREATE TABLE u (b INT)
        I: INSERT INTO t VALUES (4, NULL)
        I: INSERT INTO u VALUES (7)
        T2: BEGIN
        T2: DELETE FROM u
        T1: UPDATE t SET b = (SELECT b FROM u)
        T2: ROLLBACK
        """;
    Dbms dbms =
        DbmsRegistry.connect("jdbc:derby:memory:dirty;create=true", DriverManager::getConnection);
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(10))) {
      CaseExecution dirty =
          executor.execute(CaseReader.parse("dirty", schedule), IsolationLevel.READ_UNCOMMITTED);

      assertThat(dirty.finalState().get(0)).containsExactly("4,null");
      assertThat(new WriteCheck().judge(dirty, executor).result())
          .isEqualTo(OracleVerdict.Result.UNDECIDED);
    }
  }

  /**
   * A bug of DuckDB (issue 17223): T1 updates, reads and commits a row that T2 has deleted since
   * T1's snapshot. Two UPDATEs, or two DELETEs, do conflict.
   */
  @Test
  void duckDbUpdatesADeletedRow() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (id INT, v INT)
        I: INSERT INTO t VALUES (1, 10), (2, 20)
        T1: BEGIN
        T1: SELECT * FROM t
        T2: DELETE FROM t WHERE id = 2
        T1: UPDATE t SET v = 21 WHERE id = 2
        T1: SELECT * FROM t WHERE id = 2
        T1: COMMIT
        """;
    Dbms dbms = DbmsRegistry.connect("jdbc:duckdb:", DriverManager::getConnection);
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(10))) {
      CaseExecution updated =
          executor.execute(CaseReader.parse("update", schedule), IsolationLevel.SNAPSHOT);
      CaseExecution deleted =
          executor.execute(
              CaseReader.parse(
                  "delete", schedule.replace("T1: UPDATE t SET v = 21", "T1: DELETE FROM t")),
              IsolationLevel.SNAPSHOT);

      assertThat(updated.outcomes()).allMatch(StepOutcome::succeeded);
      assertThat(updated.outcome(5).toString()).endsWith("-> [2,21]");
      assertThat(updated.finalState()).containsExactly(List.of("1,10"));
      assertThat(deleted.outcome(4).failure()).isNotNull();
    }
  }
}
