package io.txwatch.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IsoRelTest {

  private static final Path SCENARIOS = Path.of("../cli/src/test/resources/scenarios");

  /**
   * A cell of MariaDB in which it matters what an item is. T1 changes the key of a row that T2 has
   * read, and T2 then another column of it. With whole rows as items, as in the paper, T2's write
   * loses T1's; with columns, as in the matrix, it does not.
   */
  private static final Map<String, String> WITH_WHOLE_ROWS =
      Map.of("b23-mysql119801 RR", "!INTERNAL+LOST_UPDATE");

  /** Figure 1: permitted by InnoDB's documentation, forbidden by Adya. */
  @Test
  void readWriteSkewIsPermittedByTheDbmsAndForbiddenByAdya() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution execution =
          fixture.execute(
              CaseReader.read(SCENARIOS.resolve("b28-isorel-fig1.txt")),
              IsolationLevel.REPEATABLE_READ);

      OracleVerdict byDbms = new IsoRel().judge(execution, fixture.executor());
      assertThat(byDbms.result()).isEqualTo(OracleVerdict.Result.CLEAN);
      assertThat(byDbms.phenomenon()).isEmpty();
      assertThat(byDbms.reason()).isEqualTo("permitted at this level: READ_WRITE_SKEW of T1, T2");

      OracleVerdict byAdya = new IsoRel(Judge.ADYA).judge(execution, fixture.executor());
      assertThat(byAdya.result()).isEqualTo(OracleVerdict.Result.VIOLATION);
      assertThat(byAdya.phenomenon()).contains(Phenomenon.READ_WRITE_SKEW);
      assertThat(byAdya.reason()).isEqualTo("READ_WRITE_SKEW of T1, T2, which PL-2.99 rules out");
    }
  }

  /** MySQL gives a row that is inserted without a column list no default id. */
  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void rowsInsertedWithoutAColumnListAreSeenInEachExecution(ServerKind kind) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      for (int i = 0; i < 2; i++) {
        OracleVerdict verdict =
            new IsoRel()
                .judge(
                    fixture.execute(
                        """
                        I: CREATE TABLE t (id INT PRIMARY KEY, v INT) {ENGINE}
                        I: INSERT INTO t VALUES (1, 10)
                        T1: BEGIN
                        T1: SELECT * FROM t
                        T2: UPDATE t SET v = 11
                        T1: UPDATE t SET v = 12
                        T1: COMMIT
                        """,
                        "RC"),
                    fixture.executor());

        assertThat(verdict.reason()).isEqualTo("permitted at this level: LOST_UPDATE of T1, T2");
      }
    }
  }

  /**
   * A level that is set for the session applies from its next transaction on. MariaDB executes the
   * one that a second BEGIN begins at the previous level: T1's query locks nothing, and T1 then
   * writes a row that T2 has changed since.
   */
  @Test
  void aSessionsLevelIsInForceAfterASecondBegin() throws Exception {
    String levelSet =
        """
        # isolation-T2: SER
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 10), (2, 20)
        T1: BEGIN
        T1: SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE
        T1: %s
        T1: SELECT * FROM t
        T2: BEGIN
        T2: UPDATE t SET v = 99 WHERE id = 1
        T2: UPDATE t SET v = 98 WHERE id = 2
        T2: COMMIT
        T1: UPDATE t SET v = v + 1 WHERE id = 2
        T1: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      OracleVerdict second =
          new IsoRel()
              .judge(fixture.execute(levelSet.formatted("BEGIN"), "RR"), fixture.executor());
      assertThat(second.result()).as(second.reason()).isEqualTo(OracleVerdict.Result.VIOLATION);
      assertThat(second.reason()).isEqualTo("LOST_UPDATE of T1, T2, which the DBMS rules out");

      OracleVerdict afterCommit =
          new IsoRel()
              .judge(
                  fixture.execute(levelSet.formatted("COMMIT\nT1: BEGIN"), "RR"),
                  fixture.executor());
      assertThat(afterCommit.result())
          .as(afterCommit.reason())
          .isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  /** T2's INSERT matches the predicate of T1's queries, of which the first one read no row. */
  @ParameterizedTest
  @EnumSource(names = {"H2", "MARIADB", "POSTGRESQL"})
  void aPhantomIsDetected(ServerKind kind) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      CaseExecution execution =
          fixture.execute(
              """
              I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
              I: INSERT INTO t VALUES (1, 1)
              T1: BEGIN
              T2: BEGIN
              T1: SELECT * FROM t WHERE v > 5
              T2: INSERT INTO t VALUES (2, 10)
              T2: COMMIT
              T1: SELECT * FROM t WHERE v > 5
              T1: COMMIT
              """,
              "RC");

      OracleVerdict verdict = new IsoRel().judge(execution, fixture.executor());

      assertThat(verdict.result()).isEqualTo(OracleVerdict.Result.CLEAN);
      assertThat(verdict.anomalies())
          .extracting(anomaly -> anomaly.anomaly().phenomenon())
          .containsExactly(Phenomenon.PHANTOM);
    }
  }

  /**
   * Each transaction searches for rows, finds none, and inserts one that the other searches for.
   * H2's SERIALIZABLE is snapshot isolation, which Adya's PL-3 is not.
   */
  @Test
  void aPredicateCycleWithoutASerialOrderIsForbiddenByAdya() throws Exception {
    String skew =
        """
        I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
        I: INSERT INTO t VALUES (1, 1)
        T1: BEGIN
        T2: BEGIN
        T1: SELECT * FROM t WHERE v > 5
        T2: SELECT * FROM t WHERE v > 5
        T1: INSERT INTO t VALUES (2, 10)
        T2: INSERT INTO t VALUES (3, 10)
        T1: COMMIT
        T2: COMMIT
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution execution = fixture.execute(skew, "SER");
      OracleVerdict byAdya = new IsoRel(Judge.ADYA).judge(execution, fixture.executor());
      assertThat(byAdya.reason())
          .startsWith("G2 of T1, T2 by predicates, which PL-3 rules out: no serial order; ");
      assertThat(byAdya.phenomenon()).contains(Phenomenon.G2);
      assertThat(new IsoRel().judge(execution, fixture.executor()).result())
          .isEqualTo(OracleVerdict.Result.CLEAN);

      String serializable = skew.replace("(3, 10)", "(3, 1)");
      CaseExecution explained = fixture.execute(serializable, "SER");
      assertThat(new IsoRel(Judge.ADYA).judge(explained, fixture.executor()).result())
          .isEqualTo(OracleVerdict.Result.CLEAN);
    }
  }

  @Test
  void aCaseWithoutRowsIsUnsupported() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      CaseExecution execution = fixture.execute("I: CREATE TABLE t (v INT)\nT1: SELECT 1", "RC");
      assertThat(new IsoRel().judge(execution, fixture.executor()).result())
          .isEqualTo(OracleVerdict.Result.UNSUPPORTED);
    }
  }

  /** Its columns are visible: there its tables get none of ours. */
  @Test
  void aCaseOnSqliteIsUnsupported() throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.SQLITE)) {
      CaseExecution execution =
          fixture.execute("I: CREATE TABLE t (v INT)\nT1: UPDATE t SET v = 1", "SER");
      OracleVerdict verdict = new IsoRel().judge(execution, fixture.executor());
      assertThat(verdict.result()).isEqualTo(OracleVerdict.Result.UNSUPPORTED);
      assertThat(verdict.reason()).contains("SQLite");
    }
  }

  /** Every cell of the matrix of anomalies that the driver and the analyzer are tested with. */
  @ParameterizedTest
  @EnumSource(names = {"H2", "MARIADB"})
  void theGraphMatchesTheExpectationMatrix(ServerKind kind) throws Exception {
    Map<String, String> expected = new TreeMap<>();
    Map<String, String> actual = new TreeMap<>();
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      for (String line : Files.readAllLines(SCENARIOS.resolve("expectations.csv"))) {
        String[] cells = line.split(",", -1);
        if (cells[1].equals(kind.name().toLowerCase(Locale.ROOT))) {
          String cell = cells[0] + " " + cells[2];
          String items = cells[5].equals("=") ? cells[4] : cells[5];
          expected.put(cell, proven(cells[6].equals("=") ? items : cells[6]));
          CaseExecution execution =
              fixture
                  .executor()
                  .executeWatched(
                      CaseReader.read(SCENARIOS.resolve(cells[0] + ".txt")),
                      IsolationLevel.parse(cells[2]).orElseThrow());
          actual.put(cell, describe(new IsoRel().judge(execution, fixture.executor())));
        }
      }
    }

    if (kind == ServerKind.MARIADB) {
      expected.putAll(WITH_WHOLE_ROWS);
    }
    assertThat(actual).hasSizeGreaterThan(90).isEqualTo(expected);
  }

  private static String proven(String cell) {
    return List.of(cell.split("\\+")).stream()
        .filter(name -> !name.startsWith("?") && !name.isEmpty())
        .sorted()
        .collect(Collectors.joining("+"));
  }

  private static String describe(OracleVerdict verdict) {
    return verdict.anomalies().stream()
        .map(GraphAnomaly::kind)
        .map(kind -> (kind.byDbms() == Verdict.VIOLATION ? "!" : "") + kind.phenomenon())
        .distinct()
        .sorted()
        .collect(Collectors.joining("+"));
  }
}
