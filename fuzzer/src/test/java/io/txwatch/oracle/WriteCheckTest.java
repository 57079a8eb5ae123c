package io.txwatch.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.mysql.InnodbBehaviour;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.TestCase;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class WriteCheckTest {

  /** MySQL bug 104833, MDEV-26643: an UPDATE that was blocked changes one of two rows. */
  private static final String HALF_AN_UPDATE =
      """
      I: CREATE TABLE t (c1 INT, c2 INT) {ENGINE}
      I: INSERT INTO t VALUES (NULL, 1), (2, 2), (NULL, 3)
      T1: BEGIN
      T1: UPDATE t SET c1 = 10
      T2: BEGIN
      T2: UPDATE t SET c2 = 20 WHERE c1
      T1: COMMIT
      T2: COMMIT
      """;

  @ParameterizedTest
  @CsvSource({"RU, VIOLATION", "RC, VIOLATION", "RR, CLEAN", "SER, CLEAN"})
  void aPartialUpdateOnMariaDbIsDetected(String level, Result expected) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      OracleVerdict verdict =
          new WriteCheck().judge(fixture.execute(HALF_AN_UPDATE, level), fixture.executor());

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(expected);
    }
  }

  /**
   * The same with a row that T2 does not select before T1: the final state is that of T2 before T1,
   * although T1 committed first. The paper reports a bug; the level permits it.
   */
  @Test
  void aResultOfAnotherOrderIsPermittedAtReadCommitted() throws Exception {
    String explained = HALF_AN_UPDATE.replace("(NULL, 1), (2, 2), (NULL, 3)", "(NULL, 1), (2, 2)");
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      OracleVerdict verdict =
          new WriteCheck().judge(fixture.execute(explained, "RC"), fixture.executor());

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.CLEAN);
      assertThat(verdict.reason()).isEqualTo("an order of the single statements explains it");
    }
  }

  /** The UPDATE that was blocked is that of T2: its own level decides. */
  @ParameterizedTest
  @CsvSource({"SER, RC, VIOLATION", "RC, SER, CLEAN", "RC, RR, CLEAN", "RR, RU, VIOLATION"})
  void theLevelOfTheSessionDecides(String common, String ofT2, Result expected) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution =
          fixture.execute("# isolation-T2: " + ofT2 + "\n" + HALF_AN_UPDATE, common);

      for (Oracle oracle : List.of(new WriteCheck(), new Troc())) {
        OracleVerdict verdict = oracle.judge(execution, fixture.executor());

        assertThat(verdict.result()).as(verdict.toString()).isEqualTo(expected);
        if (expected == Result.VIOLATION) {
          assertThat(DbmsRegistry.knownBehaviour(fixture.executor(), execution, verdict))
              .contains(InnodbBehaviour.SEMI_CONSISTENT_READ);
        }
      }
    }
  }

  /** A serial run that does not end says nothing, whichever result it is compared with. */
  @ParameterizedTest
  @CsvSource({"RC", "RR"})
  void anUndecidedSerialRunDecidesNothing(String level) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecutor executor = fixture.executor();
      CaseExecutor withoutSerialRuns =
          (CaseExecutor)
              Proxy.newProxyInstance(
                  CaseExecutor.class.getClassLoader(),
                  new Class<?>[] {CaseExecutor.class},
                  (proxy, method, arguments) ->
                      method.getName().equals("execute")
                          ? CaseExecution.unknown(
                              (TestCase) arguments[0],
                              (IsolationLevel) arguments[1],
                              "does not become quiescent")
                          : method.invoke(executor, arguments));

      OracleVerdict verdict =
          new WriteCheck().judge(fixture.execute(HALF_AN_UPDATE, level), withoutSerialRuns);

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.UNDECIDED);
      assertThat(verdict.reason()).contains("a serial run is undecided");
    }
  }

  /** The second BEGIN commits, which no statement of a serial run would. */
  @Test
  void aTransactionThatBeginsWithinAnotherIsNotJudged() throws Exception {
    String again =
        """
        I: CREATE TABLE t (c0 INT) {ENGINE}
        I: INSERT INTO t VALUES (2)
        T2: BEGIN
        T2: DELETE FROM t
        T2: BEGIN
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution = fixture.execute(again, "RR");

      assertThat(new WriteCheck().judge(execution, fixture.executor()).result())
          .isEqualTo(Result.UNSUPPORTED);
    }
  }

  /** The set-up is executed for each serial run: the view of the run before must be gone. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2", "SQLITE"})
  void aSetupMayDefineAView(ServerKind kind) throws Exception {
    String view =
        """
        I: CREATE TABLE t (a INT NOT NULL PRIMARY KEY, b INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 1), (2, 2)
        I: CREATE VIEW v AS SELECT a, b FROM t WHERE b > 0
        T1: BEGIN
        T1: UPDATE t SET b = 5 WHERE a = 1
        T1: COMMIT
        T2: INSERT INTO t SELECT a + 2, b FROM v WHERE b = 5
        F: SELECT * FROM v
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      String level = kind == ServerKind.SQLITE ? "SER" : "RC";
      for (int i = 0; i < 2; i++) {
        OracleVerdict verdict =
            new WriteCheck().judge(fixture.execute(view, level), fixture.executor());
        assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.CLEAN);
      }
    }
  }

  /** Two increments lose nothing, whichever waits; the serial order is the order of the commits. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2", "SQLITE"})
  void incrementsAreClean(ServerKind kind) throws Exception {
    String increments =
        """
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 1), (2, 2)
        T1: BEGIN
        T2: BEGIN
        T1: UPDATE t SET v = v + 1 WHERE id = 1
        T2: UPDATE t SET v = v * 3 WHERE id = 1
        T3: DELETE FROM t WHERE id = 2
        T1: COMMIT
        T2: ROLLBACK
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      OracleVerdict verdict =
          new WriteCheck().judge(fixture.execute(increments, "SER"), fixture.executor());

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.CLEAN);
    }
  }

  /**
   * A final state in which T1's update is missing, at levels that permit write skew. If only T1
   * writes, nothing explains it. If T2 writes, too, nothing does where conflicting writes fail.
   */
  @ParameterizedTest
  @CsvSource({
    "H2, RR, SELECT v FROM t, VIOLATION",
    "H2, SI, SELECT v FROM t, VIOLATION",
    "POSTGRESQL, RR, SELECT v FROM t, VIOLATION",
    "POSTGRESQL, RR, SELECT v FROM t WHERE id = 2 FOR UPDATE, VIOLATION",
    "POSTGRESQL, RR, UPDATE t SET v = v + 1 WHERE id = 2, VIOLATION",
    "H2, SI, UPDATE t SET v = v + 1 WHERE id = 2, UNDECIDED"
  })
  void aLostWriteOfASingleWriterIsAViolation(
      ServerKind kind, String level, String other, Result expected) throws Exception {
    String history =
        """
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT)
        I: INSERT INTO t VALUES (1, 1), (2, 2)
        T1: BEGIN
        T2: BEGIN
        T2: %s
        T1: UPDATE t SET v = 10 WHERE id = 1
        T1: COMMIT
        T2: COMMIT
        """
            .formatted(other);
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution real = fixture.execute(history, level);
      CaseExecution lost =
          new CaseExecution(
              real.testCase(),
              real.level(),
              real.outcomes(),
              real.order(),
              real.completedBeforeEnd(),
              fixture.execute(history.replace("v = 10", "v = v"), level).finalReads(),
              real.undecided(),
              real.race(),
              real.events());

      assertThat(new WriteCheck().judge(real, fixture.executor()).result()).isEqualTo(Result.CLEAN);
      assertThat(new WriteCheck().judge(lost, fixture.executor()).result()).isEqualTo(expected);
    }
  }

  /** What a statement writes differs in a serial run, whatever the DBMS does. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE t SET v = gen_random_uuid()::text WHERE id = 1",
        "UPDATE t SET v = ctid::text WHERE id = 1",
        "UPDATE t SET v = clock_timestamp()::text WHERE id = 1",
        "UPDATE t SET v = xmin::text WHERE id = 1",
      })
  void whatDiffersEachTimeIsUnsupported(String update) throws Exception {
    String text =
        """
        I: CREATE TABLE t (id INT, v TEXT)
        I: INSERT INTO t VALUES (1, 'a'), (2, 'b')
        T1: BEGIN
        T2: BEGIN
        T1: %s
        T2: UPDATE t SET v = 'x' WHERE id = 2
        T1: COMMIT
        T2: COMMIT
        F: SELECT * FROM t
        """
            .formatted(update);
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      CaseExecution execution = fixture.execute(text, "RR");

      assertThat(new WriteCheck().judge(execution, fixture.executor()).result())
          .isEqualTo(Result.UNSUPPORTED);
    }
  }

  @Test
  void aFunctionOfTheCasesOwnIsUnsupported() throws Exception {
    String text =
        """
        I: CREATE TABLE t (id INT, v INT)
        I: INSERT INTO t VALUES (1, 1), (2, 2)
        I: CREATE FUNCTION next() RETURNS INT LANGUAGE SQL RETURN (SELECT max(v) + 1 FROM t)
        T1: UPDATE t SET v = next() WHERE id = 1
        F: SELECT * FROM t
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      CaseExecution execution = fixture.execute(text, "RR");

      assertThat(new WriteCheck().judge(execution, fixture.executor()).result())
          .isEqualTo(Result.UNSUPPORTED);
    }
  }

  @Test
  void sequencesAreUnsupported() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      OracleVerdict verdict =
          new WriteCheck()
              .judge(
                  fixture.execute(
                      "I: CREATE TABLE t (id {AUTOINC}, v INT)\nT1: INSERT INTO t (v) VALUES (1)",
                      "SER"),
                  fixture.executor());

      assertThat(verdict.result()).isEqualTo(Result.UNSUPPORTED);
    }
  }
}
