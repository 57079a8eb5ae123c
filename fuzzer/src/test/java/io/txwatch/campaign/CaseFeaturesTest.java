package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.testcase.CaseReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What cases on H2 show. */
class CaseFeaturesTest {

  private static final String TABLE =
      "I: CREATE TABLE t0 (c0 INT PRIMARY KEY, c1 INT)\nI: INSERT INTO t0 VALUES (1, 1), (2, 2)\n";

  @Test
  void namesAndValuesDoNotMatter() throws Exception {
    assertThat(of("T1: SELECT c1 FROM t0 WHERE (c0 = 1)\n").get(NoveltyKind.STATEMENT_KIND))
        .isEqualTo(of("T1: SELECT c0 FROM t0 WHERE (c1 = 2)\n").get(NoveltyKind.STATEMENT_KIND))
        .containsExactly("SELECT FROM WHERE");
  }

  @Test
  void aBlockedUpdateIsALockOutcome() throws Exception {
    Map<NoveltyKind, Set<String>> features =
        of(
            """
            T1: BEGIN
            T2: BEGIN
            T1: UPDATE t0 SET c1 = 5 WHERE (c0 = 1)
            T2: UPDATE t0 SET c1 = 6 WHERE (c0 = 1)
            T1: COMMIT
            T2: COMMIT
            """);

    assertThat(features.get(NoveltyKind.LOCK_OUTCOME))
        .containsExactly("READ_COMMITTED UPDATE blocked by [UPDATE] 1");
    assertThat(features.get(NoveltyKind.DEPENDENCY_SHAPE))
        .containsExactly("READ_COMMITTED [0 COMMIT, 0>1 writewrite, 1 COMMIT]");
  }

  @Test
  void aReadBeforeAnotherTransactionsWriteIsADependency() throws Exception {
    assertThat(
            of("""
                    T1: BEGIN
                    T1: SELECT * FROM t0
                    T2: DELETE FROM t0 WHERE (c0 = 2)
                    T1: ROLLBACK
                    """)
                .get(NoveltyKind.DEPENDENCY_SHAPE))
        .containsExactly("READ_COMMITTED [0 ROLLBACK, 0>1 readwrite]");
  }

  @Test
  void verdictsDifferByOracleResultAndStatement() throws Exception {
    assertThat(of("T1: SELECT * FROM t0\n").get(NoveltyKind.VERDICT))
        .containsExactly("READ_COMMITTED writecheck CLEAN  []");
  }

  private static Map<NoveltyKind, Set<String>> of(String steps) throws Exception {
    String url = "jdbc:h2:mem:features";
    try (Connection keep = DriverManager.getConnection(url);
        ServerCaseExecutor executor =
            new ServerCaseExecutor(
                DbmsRegistry.connect(url, DriverManager::getConnection), Duration.ofSeconds(10))) {
      CaseExecution execution =
          executor.execute(CaseReader.parse("case", TABLE + steps), IsolationLevel.READ_COMMITTED);
      return CaseFeatures.of(
          execution,
          List.of(new OracleVerdict("writecheck", OracleVerdict.Result.CLEAN, "no difference")));
    }
  }
}
