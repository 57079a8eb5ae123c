package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.CaseWriter;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Faults of a driver, each of which looks like one fault of the DBMS. */
class PlantedFaultsTest {

  private static final int MAX_TRANSACTIONS = 3;
  private static final int MAX_STATEMENTS = 4;

  /**
   * Each transaction searches for rows and finds none, and inserts one that the other searches for.
   * Version sets alone do not show whether a search used a row that it did not return.
   */
  @Test
  void thePredicateCycleOfAWeakenedLevelIsProvenByExecution() throws Exception {
    TestCase skew =
        CaseReader.parse(
            "skew",
            """
            I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT)
            I: INSERT INTO t VALUES (1, 1)
            T1: BEGIN
            T2: BEGIN
            T1: SELECT * FROM t WHERE v > 5
            T2: SELECT * FROM t WHERE v > 5
            T1: INSERT INTO t VALUES (2, 10)
            T2: INSERT INTO t VALUES (3, 10)
            T1: COMMIT
            T2: COMMIT
            """);

    OracleVerdict verdict =
        judge(skew, IsolationLevel.SERIALIZABLE, FaultyConnector.SERIALIZABLE_AS_REPEATABLE_READ);

    assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.VIOLATION);
    assertThat(verdict.reason()).startsWith("T1, T2 depend on each other, and no serial order; ");
    assertThat(
            List.of(
                judge(skew, IsolationLevel.SERIALIZABLE, DriverManager::getConnection).result(),
                judge(skew, IsolationLevel.REPEATABLE_READ, DriverManager::getConnection).result()))
        .as("without the fault, and at the weaker level")
        .containsOnly(Result.CLEAN);
  }

  private static OracleVerdict judge(TestCase testCase, IsolationLevel level, Connector connector)
      throws Exception {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(ServerKind.POSTGRESQL), connector);
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(60))) {
      return new TxCheck().judge(executor.execute(testCase, level), executor);
    }
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "SERIALIZABLE_AS_REPEATABLE_READ",
        "REPEATABLE_READ_AS_READ_COMMITTED",
        "LOST_COMMIT"
      })
  void aFaultIsOneFinding(FaultyConnector fault) throws Exception {
    assertIsOneFinding(fault, 2);
  }

  /** In as many cases as it takes to find it; docs/measurements/planted.md has 200 for each. */
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "SERIALIZABLE_AS_REPEATABLE_READ",
        "REPEATABLE_READ_AS_READ_COMMITTED",
        "LOST_COMMIT",
        "EARLY_COMMIT"
      })
  void aFaultIsOneFindingOfFewCases(FaultyConnector fault) throws Exception {
    assertIsOneFinding(fault, 1); // some faults depend on the other sessions' transactions
  }

  /** Two faults of a driver would not be one finding. */
  @Test
  void sessionsOfTwoFaultsHaveOtherRoles() throws Exception {
    Connector faulty = FaultyConnector.ROLLBACK_KEEPS_A_WRITE.with(FaultyConnector.STALE_ROWS);
    Set<SessionRoles> stale =
        roles(
            """
            T1: BEGIN
            T1: SELECT * FROM t
            T2: INSERT INTO t VALUES (8)
            T1: SELECT * FROM t
            T1: COMMIT
            """,
            faulty);
    Set<SessionRoles> kept =
        roles(
            """
            T1: BEGIN
            T1: INSERT INTO t VALUES (8)
            T1: ROLLBACK
            """,
            faulty);

    assertThat(stale).isNotEmpty().doesNotContainAnyElementsOf(kept);
  }

  /** The roles of the sessions of a case on MariaDB that is a violation. */
  private static Set<SessionRoles> roles(String steps, Connector connector) throws Exception {
    TestCase testCase = CaseReader.parse("faults", "I: CREATE TABLE t (v INT) {ENGINE}\n" + steps);
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(ServerKind.MARIADB), connector);
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(60))) {
      CaseExecution execution = executor.execute(testCase, IsolationLevel.READ_COMMITTED);
      OracleVerdict verdict = new Troc().judge(execution, executor);
      assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.VIOLATION);
      return SessionRoles.of(
          new CampaignFinding(
              verdict,
              execution.level(),
              testCase,
              testCase,
              execution,
              1,
              1,
              Optional.empty(),
              List.of()));
    }
  }

  /** An early commit has several anomalies. */
  @ParameterizedTest
  @EnumSource(names = {"EARLY_COMMIT"})
  void aFaultOfAnyWriteIsFound(FaultyConnector fault) throws Exception {
    assertThat(newFindings(fault, 1))
        .isNotEmpty()
        .allSatisfy(finding -> assertIsSmall(finding.reduced()));
  }

  private static void assertIsOneFinding(FaultyConnector fault, int workers) throws Exception {
    List<CampaignFinding> findings = newFindings(fault, workers);
    assertThat(findings)
        .as(findings.stream().map(PlantedFaultsTest::describe).collect(Collectors.joining("\n")))
        .singleElement()
        .satisfies(finding -> assertIsSmall(finding.reduced()))
        .satisfies(finding -> assertThat(finding.behavesLike()).isEqualTo(fault.weakerLevel()));
  }

  private static List<CampaignFinding> newFindings(FaultyConnector fault, int workers)
      throws Exception {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(fault.kind()), fault);
    CollectedFindings found = new CollectedFindings();
    Campaign.Plan plan =
        new Campaign.Plan(
            1,
            dbms.levels(),
            List.of(
                new WriteCheck(), new Troc(), new IsoRel(), new ApTrans(Judge.DBMS), new TxCheck()),
            fault.cases(),
            Duration.ofMinutes(5),
            workers);
    new Campaign(dbms, plan, found).run();
    return found.findings.stream()
        .filter(finding -> finding.findingClass() == FindingClass.NEW)
        .toList();
  }

  private static void assertIsSmall(TestCase reduced) {
    assertThat(reduced.setup())
        .filteredOn(sql -> sql.startsWith("CREATE"))
        .singleElement()
        .asString()
        .doesNotContain("PARTITION");
    assertThat(reduced.sessions().size()).isLessThanOrEqualTo(MAX_TRANSACTIONS);
    for (String session : reduced.sessions()) {
      assertThat(reduced.steps())
          .filteredOn(step -> step.session().equals(session) && step.role() == Step.Role.WORK)
          .hasSizeLessThanOrEqualTo(MAX_STATEMENTS);
    }
  }

  private static String describe(CampaignFinding finding) {
    return "%s at %s: %s%n%s"
        .formatted(
            finding.oracle(),
            finding.level(),
            finding.reason(),
            CaseWriter.write(finding.reduced()));
  }
}
