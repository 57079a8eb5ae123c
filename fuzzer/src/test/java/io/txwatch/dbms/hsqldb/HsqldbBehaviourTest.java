package io.txwatch.dbms.hsqldb;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.testcase.CaseReader;
import java.sql.DriverManager;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The label of what HSQLDB does with the parent of a foreign key. */
class HsqldbBehaviourTest {

  private static final String SETUP =
      """
      I: CREATE TABLE p (id INT PRIMARY KEY)
      I: CREATE TABLE c (pid INT%s)
      I: INSERT INTO p VALUES (3), (4)
      I: INSERT INTO c VALUES (4)
      """;

  private static final String KEY = ", FOREIGN KEY (pid) REFERENCES p";

  /** The parent is deleted while the child's change is not committed, and is rolled back. */
  @ParameterizedTest
  @CsvSource({
    "locks, DELETE FROM c, DELETE FROM p, READ_COMMITTED, hsqldb-foreign-key-unlocked",
    "locks, DELETE FROM c, DELETE FROM p, SERIALIZABLE, hsqldb-foreign-key-unlocked",
    "locks, UPDATE c SET pid = 3, DELETE FROM p WHERE id = 4, READ_COMMITTED,"
        + " hsqldb-foreign-key-unlocked",
    "locks, UPDATE c SET pid = 3, DELETE FROM p WHERE id = 4, SERIALIZABLE, CLEAN",
    "mvlocks, DELETE FROM c, DELETE FROM p, READ_COMMITTED, CLEAN",
    "mvcc, DELETE FROM c, DELETE FROM p, READ_COMMITTED, CLEAN"
  })
  void aParentIsDeletedBesideItsChild(
      String model, String ofChild, String ofParent, IsolationLevel level, String expected)
      throws Exception {
    String steps = "T1: BEGIN\nT1: %s\nT2: %s\nT1: ROLLBACK".formatted(ofChild, ofParent);

    assertThat(labelOrResult(model, SETUP.formatted(KEY) + steps, level)).isEqualTo(expected);
  }

  /** No serial order lets the first DELETE of T1 fail and the second one succeed. */
  @ParameterizedTest
  @CsvSource({"locks, hsqldb-foreign-key-unlocked", "mvlocks, CLEAN"})
  void aFailedDeleteDoesNotLockTheChild(String model, String expected) throws Exception {
    String steps =
        """
        T1: BEGIN
        T1: DELETE FROM p
        T2: DELETE FROM c
        T1: DELETE FROM p
        T1: COMMIT
        """;

    assertThat(labelOrResult(model, SETUP.formatted(KEY) + steps, IsolationLevel.SERIALIZABLE))
        .isEqualTo(expected);
  }

  private static String labelOrResult(String model, String schedule, IsolationLevel level)
      throws Exception {
    String url = "jdbc:hsqldb:mem:behaviour-" + model + ";hsqldb.tx=" + model;
    try (ServerCaseExecutor executor =
        new ServerCaseExecutor(
            DbmsRegistry.connect(url, DriverManager::getConnection), Duration.ofSeconds(10))) {
      CaseExecution execution = executor.execute(CaseReader.parse("keys", schedule), level);
      OracleVerdict verdict = new WriteCheck().judge(execution, executor);
      return verdict.result() == OracleVerdict.Result.VIOLATION
          ? DbmsRegistry.knownBehaviour(executor, execution, verdict).orElseThrow().id()
          : verdict.result().name();
    }
  }
}
