package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SessionRolesTest {

  private static final String STALE =
      "T1: BEGIN\nT2: INSERT INTO t VALUES (8)\nT1: SELECT * FROM t";
  private static final String ROLLED_BACK = "T1: BEGIN\nT1: INSERT INTO t VALUES (3)\nT1: ROLLBACK";

  @Test
  void whichWriteOthersReadAndWhatTheyDidBeforeDoesNotMatter() throws Exception {
    assertThat(lastStatementOf(STALE))
        .isEqualTo(
            lastStatementOf(
                """
                T1: BEGIN
                T1: SELECT * FROM t
                T2: BEGIN
                T2: DELETE FROM t
                T2: COMMIT
                T1: SELECT * FROM t
                """))
        .isEqualTo(
            lastStatementOf(
                """
                T2: BEGIN
                T2: DELETE FROM t
                T1: BEGIN
                T1: INSERT INTO t VALUES (2)
                T2: COMMIT
                T1: SELECT v FROM t
                """))
        .doesNotContainAnyElementsOf(
            lastStatementOf(
                """
                T2: BEGIN
                T2: INSERT INTO t VALUES (8)
                T1: SELECT * FROM t
                """))
        .doesNotContainAnyElementsOf(
            lastStatementOf(
                """
                T2: BEGIN
                T2: INSERT INTO t VALUES (8)
                T2: ROLLBACK
                T1: SELECT * FROM t
                """))
        .doesNotContainAnyElementsOf(
            lastStatementOf("T2: INSERT INTO t VALUES (8)\nT1: DELETE FROM t"))
        .doesNotContainAnyElementsOf(finalState(STALE));
  }

  /** What is open at the end is rolled back. */
  @Test
  void whichWriteIsRolledBackDoesNotMatter() throws Exception {
    assertThat(finalState(ROLLED_BACK))
        .isEqualTo(finalState("T1: BEGIN\nT1: UPDATE t SET v = 3"))
        .doesNotContainAnyElementsOf(finalState(ROLLED_BACK.replace("ROLLBACK", "COMMIT")))
        .doesNotContainAnyElementsOf(
            finalState(
                """
                T1: BEGIN
                T1: SAVEPOINT s
                T1: INSERT INTO t VALUES (3)
                T1: ROLLBACK TO s
                T1: COMMIT
                """));
  }

  /** One that begins first has the same role as one that begins later. */
  @Test
  void aSessionWithoutStatementsHasNoNumber() throws Exception {
    assertThat(finalState("T2: BEGIN\nT1: BEGIN\nT1: DELETE FROM t"))
        .isEqualTo(finalState("T1: BEGIN\nT2: BEGIN\nT1: UPDATE t SET v = 3"))
        .doesNotContainAnyElementsOf(finalState(ROLLED_BACK));
  }

  /** Whatever it assigns: nothing but the write can be at fault. */
  @Test
  void whichWriteIsAloneMatters() throws Exception {
    String update = "T1: UPDATE t SET v = 3";
    assertThat(finalState(update))
        .isEqualTo(finalState("T1: BEGIN\nT1: UPDATE t SET v = v + 1\nT1: COMMIT"))
        .doesNotContainAnyElementsOf(finalState("T1: DELETE FROM t"));
  }

  /** The roles by a verdict that the last statement is wrong. */
  private static Set<SessionRoles> lastStatementOf(String steps) throws Exception {
    TestCase testCase = testCase(steps);
    List<Step> all = testCase.steps();
    return roles(testCase, Optional.of(all.get(all.size() - 1)));
  }

  private static Set<SessionRoles> finalState(String steps) throws Exception {
    return roles(testCase(steps), Optional.empty());
  }

  private static TestCase testCase(String steps) throws Exception {
    return CaseReader.parse(
        "roles", "I: CREATE TABLE t (v INT)\nI: INSERT INTO t VALUES (1)\n" + steps + "\n");
  }

  private static Set<SessionRoles> roles(TestCase testCase, Optional<Step> shown) throws Exception {
    Dbms dbms =
        DbmsRegistry.connect(
            TestServers.freshDatabase(ServerKind.H2), DriverManager::getConnection);
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(60))) {
      CaseExecution execution = executor.execute(testCase, IsolationLevel.READ_COMMITTED);
      return SessionRoles.of(
          new CampaignFinding(
              new OracleVerdict("troc", Result.VIOLATION, "", shown),
              execution.level(),
              testCase,
              testCase,
              execution,
              5,
              5,
              Optional.empty(),
              List.of()));
    }
  }
}
