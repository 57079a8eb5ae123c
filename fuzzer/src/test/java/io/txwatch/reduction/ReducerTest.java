package io.txwatch.reduction;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.testcase.CaseWriter;
import io.txwatch.testcase.TestCase;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Violations on real servers, and the smallest case that is left of each. */
class ReducerTest {

  @Test
  void aFindingIsReduced() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t (c0 INT DEFAULT 7 UNIQUE, c1 INT, c2 INT NOT NULL) {ENGINE}
              I: CREATE TABLE u (c1 INT) {ENGINE}
              I: INSERT INTO u VALUES (1)
              I: INSERT INTO t (c0, c1, c2) VALUES (1, NULL, 1), (2, 2, 2), (3, NULL, 3)
              T3: INSERT INTO u VALUES (2)
              T1: BEGIN
              T1: SELECT * FROM t
              T2: BEGIN
              T2: SELECT * FROM u
              T1: UPDATE t SET c1 = 10 WHERE c0 > 0 OR c2 = 4
              T2: UPDATE t SET c2 = 20 WHERE c1
              T1: DELETE FROM u
              T1: COMMIT
              T2: SELECT * FROM t
              T2: COMMIT
              """,
              "RC");

      assertThat(CaseWriter.write(reduced(fixture, new WriteCheck(), execution)))
          .isEqualTo(
              """
              I: CREATE TABLE t (c1 INT, c2 INT)
              I: INSERT INTO t (c1) VALUES (NULL), (2), (NULL)
              T1: BEGIN
              T1: UPDATE t SET c1 = 10
              T2: UPDATE t SET c2 = 20 WHERE c1
              T1: COMMIT
              """);
    }
  }

  @Test
  void aGraphAnomalyIsReduced() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT DEFAULT 3)
              I: CREATE TABLE u (c INT)
              I: INSERT INTO t (id, v) VALUES (1, 10), (2, 20), (3, 30)
              I: INSERT INTO u VALUES (1)
              T3: INSERT INTO u VALUES (2)
              T1: BEGIN
              T2: BEGIN
              T1: SELECT * FROM t WHERE id = 1 AND v > 0 ORDER BY v
              T2: SELECT v FROM t WHERE id = 2
              T1: SELECT COUNT(*) FROM u
              T1: UPDATE t SET v = 21 WHERE id = 2
              T2: UPDATE t SET v = 11 WHERE id = 1
              T2: DELETE FROM u WHERE c = 7
              T1: COMMIT
              T2: COMMIT
              """,
              "RR");
      IsoRel oracle = new IsoRel(Judge.ADYA);
      OracleVerdict verdict = oracle.judge(execution, fixture.executor());
      assertThat(verdict.phenomenon()).contains(Phenomenon.WRITE_SKEW);

      TestCase reduced = reduced(fixture, oracle, execution);

      assertThat(reduced.setup())
          .containsExactly("CREATE TABLE t (id INT, v INT)", "INSERT INTO t (id) VALUES (1), (2)");
      assertThat(reduced.steps()).hasSize(8);
      assertThat(oracle.judge(fixture.execute(reduced, execution.level()), fixture.executor()))
          .matches(again -> again.reproduces(verdict));
    }
  }

  /** The first three changes drop a session each; only the unused one can be dropped. */
  @Test
  void aReductionThatIsStoppedKeepsTheSmallestCaseSoFar() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      String needed =
          """
          I: CREATE TABLE t (id INT PRIMARY KEY, v INT, w INT)
          I: INSERT INTO t VALUES (1, 10, 3), (2, 20, 3)
          T1: BEGIN
          T2: BEGIN
          T1: SELECT * FROM t WHERE id = 1
          T2: SELECT * FROM t WHERE id = 2
          T1: UPDATE t SET v = 21 WHERE id = 2
          T2: UPDATE t SET v = 11 WHERE id = 1
          T1: COMMIT
          T2: COMMIT
          """;
      CaseExecution execution = fixture.execute(needed + "T3: SELECT * FROM t\n", "RR");
      AtomicInteger changes = new AtomicInteger();
      Reducer reducer =
          reducer(fixture, new IsoRel(Judge.ADYA), execution, () -> changes.incrementAndGet() > 3);

      assertThat(CaseWriter.write(reducer.reduce(execution.testCase()))).isEqualTo(needed);
    }
  }

  @Test
  void aStatementThatSucceedsIsNotReducedToOneThatFails() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t (id INT PRIMARY KEY, v INT)
              I: INSERT INTO t VALUES (1, 10), (2, 20)
              T1: BEGIN
              T2: BEGIN
              T1: SELECT t.v FROM t WHERE id = 1
              T2: SELECT t.v FROM t WHERE id = 2
              T1: UPDATE t SET v = 21 WHERE id = 2
              T2: UPDATE t SET v = 11 WHERE id = 1
              T1: COMMIT
              T2: COMMIT
              """,
              "RR");

      TestCase reduced = reduced(fixture, new IsoRel(Judge.ADYA), execution);

      assertThat(fixture.execute(reduced, execution.level()).outcomes())
          .allMatch(outcome -> outcome.failure() == null);
    }
  }

  @Test
  void theWeakestLevelIsFound() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t (id INT PRIMARY KEY, v INT)
              I: INSERT INTO t VALUES (1, 10), (2, 20)
              T1: BEGIN
              T2: BEGIN
              T1: SELECT * FROM t WHERE id = 1
              T2: SELECT * FROM t WHERE id = 2
              T1: UPDATE t SET v = 21 WHERE id = 2
              T2: UPDATE t SET v = 11 WHERE id = 1
              T1: COMMIT
              T2: COMMIT
              """,
              "SER");
      IsoRel oracle = new IsoRel(Judge.ADYA);

      IsolationLevel weakest =
          reducer(fixture, oracle, execution)
              .weakestLevel(execution.testCase(), fixture.executor().dbms().levels());

      // Adya's READ COMMITTED permits a write skew, and REPEATABLE READ is the next level.
      assertThat(weakest).isEqualTo(IsolationLevel.REPEATABLE_READ);
    }
  }

  private static TestCase reduced(ExecutorFixture fixture, Oracle oracle, CaseExecution execution)
      throws Exception {
    return reducer(fixture, oracle, execution).reduce(execution.testCase());
  }

  private static Reducer reducer(ExecutorFixture fixture, Oracle oracle, CaseExecution execution)
      throws Exception {
    return reducer(fixture, oracle, execution, () -> false);
  }

  private static Reducer reducer(
      ExecutorFixture fixture, Oracle oracle, CaseExecution execution, BooleanSupplier isStopped)
      throws Exception {
    OracleVerdict verdict = oracle.judge(execution, fixture.executor());
    assertThat(verdict.result()).isEqualTo(OracleVerdict.Result.VIOLATION);
    return new Reducer(
        oracle,
        fixture.executor(),
        Dialect.MARIADB,
        execution,
        verdict,
        DbmsRegistry.knownBehaviour(fixture.executor(), execution, verdict),
        isStopped);
  }
}
