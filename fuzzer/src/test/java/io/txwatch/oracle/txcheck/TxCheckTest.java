package io.txwatch.oracle.txcheck;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.h2.H2Behaviour;
import io.txwatch.dbms.mysql.InnodbBehaviour;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.CaseWriter;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The paper's figures on real servers, and its published false alarms. */
class TxCheckTest {

  /**
   * Figure 1(a). T1 reads t0 before T0 commits; its UPDATE then changes other rows than its SELECT
   * has returned.
   */
  private static final String FIGURE_1 =
      """
      I: CREATE TABLE t0 (pkey INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
      I: CREATE TABLE t1 (pkey INT NOT NULL PRIMARY KEY, v INT, c0 INT) {ENGINE}
      I: INSERT INTO t0 VALUES (1, 20), (2, 56)
      I: INSERT INTO t1 VALUES (2, 43, 8), (3, 57, 53)
      T0: BEGIN
      T0: UPDATE t0 SET v = 162
      T0: SELECT * FROM t1 WHERE c0 <= 8
      T1: BEGIN
      T1: SELECT * FROM t0
      T0: COMMIT
      T1: SELECT * FROM t1 WHERE c0 <= (SELECT MIN(v) FROM t0)
      T1: UPDATE t1 SET v = 100 WHERE c0 <= (SELECT MIN(v) FROM t0)
      T1: COMMIT
      """;

  private static OracleVerdict judge(ExecutorFixture fixture, String testCase, String level)
      throws Exception {
    return new TxCheck().judge(fixture.execute(testCase, level), fixture.executor());
  }

  private static TracedExecution observe(ExecutorFixture fixture, String text, String level)
      throws Exception {
    TestCase testCase = CaseReader.parse("test", text);
    return TracedExecution.of(
        testCase,
        IsolationLevel.parse(level).orElseThrow(),
        fixture.executor(),
        new Instrumentation(fixture.executor().dbms(), testCase));
  }

  /** The values in a set of versions, without the key of the statement that wrote them. */
  private static List<String> values(Iterable<TracedVersion> versions) {
    List<String> values = new ArrayList<>();
    versions.forEach(version -> values.add(version.value().replaceFirst("\\d+: ", "")));
    return values.stream().sorted().toList();
  }

  /**
   * Figure 1: the bug of MySQL's REPEATABLE READ, which its manual describes. The statements are
   * T0.1, T0.2, T1.1, T1.2 and T1.3.
   */
  @Test
  void figure1IsFoundOnInnodbWhoseWritesUseCurrentVersions() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution = fixture.execute(FIGURE_1, "RR");
      OracleVerdict verdict = new TxCheck().judge(execution, fixture.executor());

      assertThat(verdict.result()).isEqualTo(Result.VIOLATION);
      assertThat(verdict.reason())
          .isEqualTo(
              "'T1: UPDATE t1 SET v = 100 WHERE c0 <= (SELECT MIN(v) FROM t0)' gave #2, without"
                  + " transactions #1, in the order T0.2, T1.1, T1.2, T1.3, T0.1");
      assertThat(DbmsRegistry.knownBehaviour(fixture.executor(), execution, verdict))
          .contains(InnodbBehaviour.CURRENT_WRITES);
      assertThat(TxCheck.withCurrentWrites().judge(execution, fixture.executor()).result())
          .isEqualTo(Result.CLEAN);
    }
  }

  /**
   * T1 still sees the row that its DELETE did not find, because T2 had deleted it: T1's statements
   * precede T2's DELETE, and each DELETE uses rows that the other one deletes.
   */
  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void aDeletedRowThatItsDeleterStillSeesIsFoundOnInnodb(ServerKind kind) throws Exception {
    String stillSeen =
        """
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 1), (2, 2)
        T1: BEGIN
        T1: SELECT * FROM t
        T2: DELETE FROM t WHERE id = 1
        T1: DELETE FROM t WHERE id = 1 OR id = 2
        T1: SELECT * FROM t
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution = fixture.execute(stillSeen, "RR");
      OracleVerdict verdict = new TxCheck().judge(execution, fixture.executor());

      assertThat(verdict.reason())
          .isEqualTo(
              "'T1: DELETE FROM t WHERE id = 1 OR id = 2' gave #1, without transactions #2, in the"
                  + " order T1.1, T1.2, T1.3, T2.1");
      assertThat(DbmsRegistry.knownBehaviour(fixture.executor(), execution, verdict))
          .contains(InnodbBehaviour.CURRENT_WRITES);
    }
  }

  @ParameterizedTest
  @CsvSource({"POSTGRESQL, RR", "POSTGRESQL, SER", "H2, SNAPSHOT", "MARIADB, RC"})
  void figure1IsCleanWhereQueriesAndWritesSeeTheSame(ServerKind kind, String level)
      throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      OracleVerdict verdict = judge(fixture, FIGURE_1, level);

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.CLEAN);
    }
  }

  /** Figure 6: what the reads around T0.1 (step 2) and T1.3 (step 8) return. */
  @Test
  void theReadsOfFigure6ShowTheDependenciesOfFigure4() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      TracedExecution observation = observe(fixture, FIGURE_1, "RR");
      List<StatementTrace> traces = observation.snapshotTraces();
      StatementTrace update = traces.get(0);
      StatementTrace query = traces.get(1);
      StatementTrace last = traces.get(4);

      assertThat(values(query.read())).containsExactly("2,43,8");
      assertThat(values(update.writes().stream().flatMap(w -> w.replaced().stream()).toList()))
          .as("BWR of T0.1")
          .containsExactly("1,20", "2,56");
      assertThat(values(update.writes().stream().flatMap(w -> w.written().stream()).toList()))
          .as("AWR of T0.1")
          .containsExactly("1,162", "2,162");
      assertThat(
              values(
                  last.versionSets().stream()
                      .filter(set -> set.table().equals("t0"))
                      .flatMap(set -> set.rows().values().stream())
                      .toList()))
          .as("VSR of T1.3")
          .containsExactly("1,20", "2,56");
      assertThat(observation.snapshotGraph().dependencies().stream().map(Object::toString))
          .contains("3 -ITEM_ANTI-> 8", "7 -ITEM_ANTI-> 8", "5 -ITEM_ANTI-> 2")
          .contains("8 -PREDICATE_WRITE-> 2");
      assertThat(observation.snapshotGraph().permits(List.of(3, 5, 7, 8, 2))).isTrue();
    }
  }

  /** A bug of H2: MAX by an index does not see the transaction's own rows. */
  @ParameterizedTest
  @CsvSource({"RR", "SNAPSHOT", "SER"})
  void aMaximumThatMissesOwnRowsIsFoundOnH2(String level) throws Exception {
    String own =
        """
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO t VALUES (0, 0), (1, 1)
        T1: BEGIN
        T1: INSERT INTO t VALUES (9, 9)
        T1: SELECT MAX(id) FROM t
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution execution = fixture.execute(own, level);
      OracleVerdict verdict = new TxCheck().judge(execution, fixture.executor());

      assertThat(verdict.reason())
          .isEqualTo(
              "'T1: SELECT MAX(id) FROM t' gave [1], without transactions [9], in the order T1.1,"
                  + " T1.2");
      assertThat(DbmsRegistry.knownBehaviour(fixture.executor(), execution, verdict))
          .contains(H2Behaviour.EXTREMES_BY_INDEX);
    }
  }

  /** Figure 8: each INSERT counts what the other one stores, so neither can come first. */
  private static final String CYCLE =
      """
      I: CREATE TABLE a (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
      I: CREATE TABLE b (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
      I: INSERT INTO a VALUES (1, 1)
      I: INSERT INTO b VALUES (1, 1)
      T1: BEGIN
      T2: BEGIN
      T1: INSERT INTO a SELECT 2, COUNT(*) FROM b
      T2: INSERT INTO b SELECT 2, COUNT(*) FROM a
      T1: SELECT * FROM a
      T1: COMMIT
      T2: COMMIT
      """;

  @Test
  void aCycleOfFigure8IsBrokenByRemovingAStatement() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.POSTGRESQL)) {
      StatementGraph graph = observe(fixture, CYCLE, "RR").graph();
      OracleVerdict verdict = judge(fixture, CYCLE, "RR");

      assertThat(graph.isAcyclic()).isFalse();
      assertThat(graph.nodesToRemove()).hasSize(1).isSubsetOf(Set.of(3, 4));
      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.CLEAN);
      assertThat(verdict.reason()).endsWith("of 2 statements");
    }
  }

  /** A false alarm of the paper's tool: a sequence from a graph that still has a cycle. */
  @Test
  void aCycleThatAppearsOnlyInTheNextExecutionIsBrokenToo() throws Exception {
    String chain =
        CYCLE.replace(
            "T1: SELECT * FROM a\n",
            """
            T1: INSERT INTO a SELECT 3, COUNT(*) FROM b
            T2: INSERT INTO b SELECT 3, COUNT(*) FROM a
            T1: INSERT INTO a SELECT 4, COUNT(*) FROM b
            T2: INSERT INTO b SELECT 4, COUNT(*) FROM a
            """);
    for (ServerKind kind : List.of(ServerKind.POSTGRESQL, ServerKind.H2, ServerKind.MARIADB)) {
      try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
        for (IsolationLevel level : fixture.dbms().levels()) {
          CaseExecution execution = fixture.execute(CaseReader.parse("chain", chain), level);
          OracleVerdict verdict = new TxCheck().judge(execution, fixture.executor());

          assertThat(verdict.result())
              .as(kind + " at " + level + ": " + verdict.reason())
              .isIn(Result.CLEAN, Result.UNSUPPORTED, Result.UNDECIDED);
        }
      }
    }
  }

  /** A false alarm of the paper's tool: a table that occurs only in a nested subquery. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "H2", "MARIADB"})
  void dependenciesThroughNestedSubqueriesAreKnown(ServerKind kind) throws Exception {
    String nested =
        """
        I: CREATE TABLE a (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: CREATE TABLE b (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: CREATE TABLE c (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO a VALUES (1, 1)
        I: INSERT INTO b VALUES (1, 1)
        I: INSERT INTO c VALUES (1, 1)
        T1: BEGIN
        T1: SELECT id FROM a WHERE v IN (SELECT v FROM b WHERE id IN (SELECT id FROM c WHERE v = 1))
        T2: UPDATE c SET v = 2
        T1: SELECT id FROM a WHERE v IN (SELECT v FROM b WHERE id IN (SELECT id FROM c WHERE v = 1))
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      assertThat(
              observe(fixture, nested, "RC").graph().dependencies().stream().map(Object::toString))
          .containsExactly("2 -PREDICATE_ANTI-> 3", "3 -PREDICATE_READ-> 4");
      OracleVerdict verdict = judge(fixture, nested, "RC");
      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.CLEAN);
    }
  }

  /**
   * A false alarm of the paper's tool: a blocked statement that is sent again takes effect twice.
   */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "H2", "MARIADB"})
  void aBlockedStatementIsSentOnce(ServerKind kind) throws Exception {
    String blocked =
        """
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 1), (2, 2)
        T1: BEGIN
        T1: UPDATE t SET v = v + 10
        T2: UPDATE t SET v = v + 100
        T1: COMMIT
        T2: SELECT * FROM t
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution = fixture.execute(blocked, "RC");
      assertThat(execution.finalState()).containsExactly(List.of("1,111", "2,112"));
      OracleVerdict verdict = new TxCheck().judge(execution, fixture.executor());
      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.CLEAN);
    }
  }

  /** Figure 11: T1's UPDATE waits for T0's, away from its reads, and is removed. */
  @Test
  void theBlockedStatementOfFigure11IsRemoved() throws Exception {
    String figure11 =
        """
        I: CREATE TABLE t (pkey INT NOT NULL PRIMARY KEY, vkey INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 0)
        T0: BEGIN
        T1: BEGIN
        T0: UPDATE t SET vkey = 1
        T1: UPDATE t SET vkey = 2 WHERE vkey = 0
        T0: COMMIT
        T1: SELECT * FROM t
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      TestCase testCase = CaseReader.parse("figure11", figure11);
      CaseExecution execution = fixture.execute(testCase, IsolationLevel.REPEATABLE_READ);
      TestCase next = BlockingSchedule.next(testCase, execution).orElseThrow();

      assertThat(next.steps().stream().map(Step::toString).collect(Collectors.joining("\n")))
          .doesNotContain("vkey = 2");
      assertThat(CaseWriter.write(next))
          .isEqualTo(figure11.replace("T1: UPDATE t SET vkey = 2 WHERE vkey = 0\n", ""));
      assertThat(BlockingSchedule.next(next, fixture.execute(next, IsolationLevel.REPEATABLE_READ)))
          .isEmpty();
      assertThat(judge(fixture, figure11, "RR").result()).isEqualTo(Result.CLEAN);
    }
  }

  /**
   * Figure 14: an INSERT that is rolled back must have no effect on the UPDATE. The SELECTs that
   * the paper leaves out are ours.
   */
  @ParameterizedTest
  @CsvSource({"MARIADB, RR", "MARIADB, SER", "MARIADB, RC", "POSTGRESQL, RR", "H2, RC"})
  void theRolledBackInsertOfFigure14HasNoEffect(ServerKind kind, String level) throws Exception {
    String figure14 =
        """
        I: CREATE TABLE t0 (pkey INT NOT NULL PRIMARY KEY, vkey INT, c5 INT) {ENGINE}
        I: INSERT INTO t0 VALUES (1, 1, 10), (2, 1, 74), (3, 1, NULL)
        I: CREATE TABLE t1 (pkey INT NOT NULL PRIMARY KEY, c0 INT) {ENGINE}
        I: INSERT INTO t1 VALUES (1, 10), (2, NULL)
        T0: BEGIN
        T1: BEGIN
        T1: INSERT INTO t0 VALUES (210000, 141, 74), (213000, 141, NULL)
        T1: ROLLBACK
        T0: UPDATE t0 SET vkey = 116 WHERE t0.c5 NOT IN (SELECT q.c0 AS c0 FROM (SELECT c0 FROM t1) q WHERE q.c0 < (SELECT MAX(c0) + 1 FROM t1) ORDER BY c0 ASC)
        T0: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      OracleVerdict verdict = judge(fixture, figure14, level);

      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.CLEAN);
    }
  }

  /** Figure 16: MariaDB 10.8 crashed at the UPDATE, while the DELETE was blocked. */
  @Test
  void theCaseOfFigure16CanBeExpressed() throws Exception {
    String figure16 =
        """
        I: CREATE TABLE t0 (pkey INT NOT NULL PRIMARY KEY, vkey INT, c0 INT) {ENGINE}
        I: CREATE TABLE t1 (pkey INT NOT NULL PRIMARY KEY, vkey INT, c0 INT) {ENGINE}
        I: CREATE TABLE t2 (pkey INT NOT NULL PRIMARY KEY, vkey INT, c0 INT) {ENGINE}
        I: INSERT INTO t0 VALUES (1000, 1, 1)
        I: INSERT INTO t1 VALUES (1000, 1, 2)
        I: INSERT INTO t2 VALUES (1000, 2, 3)
        T0: BEGIN
        T1: BEGIN
        T1: INSERT INTO t0 (vkey, pkey, c0) VALUES (89, 188000, 40), (97, 230000, 9)
        T0: DELETE FROM t1 WHERE EXISTS (SELECT ref0.c0 FROM t2 AS ref0 WHERE t1.c0 NOT IN (SELECT ref3.vkey AS c0 FROM (t0 AS ref2 LEFT OUTER JOIN t2 AS ref3 ON (ref2.vkey = ref3.vkey)) WHERE ref3.pkey >= ref2.vkey))
        T1: UPDATE t2 SET vkey = 99
        T1: COMMIT
        T0: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution = fixture.execute(figure16, "RR");
      OracleVerdict verdict = new TxCheck().judge(execution, fixture.executor());

      assertThat(execution.outcomes().get(3).blocked()).isTrue();
      assertThat(verdict.result()).as(verdict.reason()).isNotEqualTo(Result.VIOLATION);
    }
  }

  @Test
  void readUncommittedAndUnknownStatementsAreUnsupported() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      assertThat(judge(fixture, FIGURE_1, "RU").result()).isEqualTo(Result.UNSUPPORTED);
      assertThat(
              judge(fixture, "I: CREATE TABLE t (a INT) {ENGINE}\nT1: TRUNCATE TABLE t", "RC")
                  .result())
          .isEqualTo(Result.UNSUPPORTED);
    }
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.SQLITE)) {
      assertThat(judge(fixture, FIGURE_1, "SER").result()).isEqualTo(Result.UNSUPPORTED);
    }
  }
}
