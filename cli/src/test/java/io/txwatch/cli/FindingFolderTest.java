package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.campaign.CampaignFinding;
import io.txwatch.campaign.OtherDbms;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FindingFolderTest {

  private static final String WRITE_SKEW =
      """
      # seed: 7
      # number: 12
      I: CREATE TABLE t (id INT PRIMARY KEY, v INT) {ENGINE}
      I: INSERT INTO t VALUES (1, 10), (2, 20)
      T1: BEGIN
      T2: BEGIN
      T1: SELECT v FROM t WHERE id = 1
      T2: SELECT v FROM t WHERE id = 2
      T1: UPDATE t SET v = 21 WHERE id = 2
      T2: UPDATE t SET v = 11 WHERE id = 1
      T1: COMMIT
      T2: COMMIT
      """;

  @TempDir private Path out = Path.of("");

  /** A write skew, which Adya's level rules out. */
  static CampaignFinding writeSkew(Dbms dbms) throws Exception {
    return writeSkew(dbms, IsolationLevel.REPEATABLE_READ);
  }

  private static CampaignFinding writeSkew(Dbms dbms, IsolationLevel level) throws Exception {
    TestCase testCase = CaseReader.parse("case-12", WRITE_SKEW);
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(30))) {
      CaseExecution execution = executor.executeWatched(testCase, level);
      OracleVerdict verdict = new IsoRel(Judge.ADYA).judge(execution, executor);
      return new CampaignFinding(
          verdict,
          execution.level(),
          testCase,
          testCase,
          execution,
          5,
          5,
          Optional.empty(),
          List.of(
              new OracleVerdict("troc", OracleVerdict.Result.CLEAN, "as expected"),
              new OracleVerdict("aptrans", OracleVerdict.Result.UNSUPPORTED, "")),
          Optional.of(IsolationLevel.READ_COMMITTED),
          List.of());
    }
  }

  @Test
  void folderContainsEverythingForABugReport() throws Exception {
    String url = "jdbc:h2:mem:finding;DB_CLOSE_DELAY=-1";
    Dbms dbms = DbmsRegistry.connect(url, DriverManager::getConnection);
    Path place = new FindingFolder(dbms, url, Judge.ADYA).write(writeSkew(dbms), out);

    Path folder = out.resolve("isorel-RR-7-12");
    assertThat(place).isEqualTo(folder.resolve("case.txt"));
    assertThat(folder.resolve("original.txt")).hasContent(WRITE_SKEW);
    assertThat(Files.readAllLines(folder.resolve("report.txt")))
        .startsWith(
            dbms.describe() + " at REPEATABLE_READ", "settings: MODE=REGULAR, MV_STORE=true")
        .contains(
            "found by isorel: WRITE_SKEW of T1, T2, which PL-2.99 rules out",
            "in 5 of 5 fresh runs; made from seed 7, case 12",
            "The outcome is the same at READ COMMITTED, where it is no violation.",
            "by troc: no violation",
            "by aptrans: does not apply",
            "Techniques disagree: each examines something else, or one of them is wrong.",
            "  CREATE TABLE t (id INT PRIMARY KEY, v INT);",
            "  T2: SELECT v FROM t WHERE id = 2 -> [20]",
            "  F: SELECT * FROM \"T\" -> [1,11;2,21]",
            "  txwatch replay " + place + " --url '" + url + "' --oracle isorel --judge-by adya");
    List<String> anomalies = Files.readAllLines(folder.resolve("anomalies.jsonl"));
    assertThat(anomalies).hasSize(1);
    assertThat(new ObjectMapper().readTree(anomalies.get(0)).path("phenomenon").asText())
        .isEqualTo("WRITE_SKEW");

    assertThat(folder.resolve("report.html"))
        .content()
        .contains("<h2>Expected</h2>", "WRITE_SKEW of T1, T2, which PL-2.99 rules out")
        .doesNotContain("<script");
    assertThat(folder.resolve("report.md"))
        .content()
        .contains("T2: COMMIT -> ok", "The outcome is the same at READ COMMITTED");
    assertThat(folder.resolve("report.xml")).content().contains("<failure type=\"violation\"");
    assertThat(folder.resolve("anomalies.html")).content().contains("\"WRITE_SKEW\"");
    assertThat(folder.resolve("anomalies.svg")).content().startsWith("<svg ");

    assertThat(folder.resolve("setup.sql"))
        .content()
        .startsWith(
            "-- "
                + dbms.describe()
                + " at REPEATABLE READ\n-- found: WRITE_SKEW of T1, T2, which PL-2.99 rules out\n"
                + "-- The outcome is the same at READ COMMITTED, where it is no violation.\n"
                + "-- documentation of REPEATABLE READ: H2 documentation, Advanced, Transaction")
        .endsWith(
            """
            CREATE TABLE t (id INT PRIMARY KEY, v INT);
            INSERT INTO t VALUES (1, 10), (2, 20);
            """);
    assertThat(folder.resolve("session-T2.sql"))
        .content()
        .startsWith(
            """
            -- session T2, isolation level REPEATABLE READ
            SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ;
            """)
        .contains("SELECT v FROM t WHERE id = 2;\n");
    assertThat(out.resolve("index.md"))
        .content()
        .containsPattern(
            "\\| \\[isorel-RR-7-12]\\(isorel-RR-7-12/report.md\\) \\| 20\\d\\d-\\d\\d-\\d\\d \\| "
                + dbms.describe()
                + " \\| REPEATABLE\\\\_READ \\| isorel \\| NEW \\| 2 sessions, 8 statements \\| {2}\\|");

    Invocation again =
        Invocation.of(
            "replay", place.toString(), "--url", url, "--oracle", "isorel", "--judge-by", "adya");
    assertThat(again.code()).as(again.err()).isEqualTo(ExitCode.ANOMALIES);
    assertThat(again.out()).contains("isorel: violation, WRITE_SKEW of T1, T2");
  }

  @Test
  void folderHasTheFurtherCasesOfAFinding() throws Exception {
    String url = "jdbc:h2:mem:further;DB_CLOSE_DELAY=-1";
    Dbms dbms = DbmsRegistry.connect(url, DriverManager::getConnection);
    FindingFolder folder = new FindingFolder(dbms, url, Judge.ADYA);
    CampaignFinding finding = writeSkew(dbms);
    Path first = folder.write(finding, out);

    Path place = folder.writeFurther(finding, writeSkew(dbms, IsolationLevel.SERIALIZABLE), out);

    assertThat(place).isEqualTo(first.resolveSibling("also-isorel-SER-7-12.txt"));
    assertThat(CaseReader.read(place).header("isolation")).contains("SERIALIZABLE");
    String line =
        "also seen as also-isorel-SER-7-12.txt: WRITE_SKEW of T1, T2, which PL-3 rules out";
    assertThat(Files.readAllLines(first.resolveSibling("report.txt"))).endsWith("", line);
    assertThat(first.resolveSibling("report.md")).content().contains("also seen as also");
    assertThat(FindingIndex.cases(out)).containsExactly(first);
    assertThat(FindingIndex.allCases(out)).containsExactly(first, place);
  }

  /** H2's SERIALIZABLE is a snapshot; PostgreSQL's does not let both transactions commit. */
  @Test
  void folderStatesWhatOtherDbmssDoWithTheCase() throws Exception {
    String url = "jdbc:h2:mem:compared;DB_CLOSE_DELAY=-1";
    Dbms dbms = DbmsRegistry.connect(url, DriverManager::getConnection);
    Dbms postgres =
        DbmsRegistry.connect(
            TestServers.freshDatabase(ServerKind.POSTGRESQL), DriverManager::getConnection);
    CampaignFinding finding = writeSkew(dbms, IsolationLevel.SERIALIZABLE);
    try (OtherDbms other = new OtherDbms(postgres);
        OtherDbms itself = new OtherDbms(dbms)) {
      CampaignFinding compared =
          finding.comparedWith(
              List.of(
                  other.compare(finding.reduced(), finding.execution()),
                  itself.compare(finding.reduced(), finding.execution())));

      new FindingFolder(dbms, url, Judge.ADYA).write(compared, out);

      assertThat(compared.findingClass()).isEqualTo(finding.findingClass());
    }
    Path folder = out.resolve("isorel-SER-7-12");
    String failed =
        "On "
            + postgres.describe()
            + " at SERIALIZABLE: statement 8 (T2: COMMIT) fails: 40001 ERROR: could not serialize"
            + " access due to read/write dependencies among transactions; here it succeeds";
    String row =
        "On "
            + postgres.describe()
            + " at SERIALIZABLE: final state of t: (1, 10), (2, 21); here"
            + " (1, 11), (2, 21)";
    String same = "On " + dbms.describe() + " at SERIALIZABLE: the same results and final state";
    assertThat(Files.readAllLines(folder.resolve("report.txt")))
        .containsSequence(failed, row, same);
    assertThat(Files.readAllLines(folder.resolve("setup.sql")))
        .containsSequence("-- " + failed, "-- " + row, "-- " + same);
    assertThat(folder.resolve("report.html")).content().contains(same + ".");
    assertThat(folder.resolve("report.md")).content().contains(same + ".");
  }

  /** A plain client of each DBMS accepts the statement, and later transactions have the level. */
  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"H2", "POSTGRESQL", "MARIADB"})
  void thePlainClientOfAScriptHasTheLevel(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    Dbms dbms = DbmsRegistry.connect(url, DriverManager::getConnection);
    for (IsolationLevel level :
        List.of(IsolationLevel.READ_COMMITTED, IsolationLevel.SERIALIZABLE)) {
      try (Connection client = DriverManager.getConnection(url);
          Statement statement = client.createStatement()) {
        statement.execute(dbms.clientLevelStatement(level).orElseThrow());
        assertThat(client.getTransactionIsolation())
            .isEqualTo(
                level == IsolationLevel.SERIALIZABLE
                    ? Connection.TRANSACTION_SERIALIZABLE
                    : Connection.TRANSACTION_READ_COMMITTED);
      }
    }
  }
}
