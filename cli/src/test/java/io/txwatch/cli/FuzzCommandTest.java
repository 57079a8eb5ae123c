package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FuzzCommandTest {

  @Test
  void withoutAUrlRunsInMemoryAndEndsWithASummary() throws Exception {
    Invocation fuzz = Invocation.of("fuzz", "--json", "--cases", "30", "--seed", "5");

    assertThat(fuzz.code()).as(fuzz.err()).isZero();
    String[] lines = fuzz.out().strip().split("\n");
    JsonNode summary = new ObjectMapper().readTree(lines[lines.length - 1]);
    assertThat(summary.path("type").asText()).isEqualTo("summary");
    assertThat(summary.path("seed").asLong()).isEqualTo(5);
    assertThat(summary.path("cases").asLong()).isEqualTo(30);
    assertThat(summary.path("findings").isNumber()).isTrue();
    assertThat(summary.path("casesPerSecond").asDouble()).isPositive();
    assertThat(summary.path("accepted").asDouble()).isGreaterThan(0.97);
    assertThat(summary.path("coverage").path("STATEMENT_KIND").asInt()).isGreaterThan(20);
  }

  /** The set-up of each case fails: "0 findings" would say nothing. */
  @Test
  void campaignWhoseCasesAreRejectedIsUndecidedAndSaysWhatWasRejected() throws Exception {
    String url =
        TestServers.freshDatabase(ServerKind.MARIADB)
            + "&sessionVariables=enforce_storage_engine=MEMORY";

    Invocation fuzz = Invocation.of("fuzz", "--url", url, "--cases", "6", "--seed", "5");

    assertThat(fuzz.code()).as(fuzz.err()).isEqualTo(ExitCode.UNDECIDED);
    assertThat(fuzz.out())
        .contains("6 cases", "6 undecided", "0 findings", "UNDECIDED")
        .containsPattern("troc: 0 decided, 6 undecided \\(6 the set-up failed\\)")
        .containsPattern("6  42000/1286: .*Unknown storage engine.*\n +CREATE TABLE t0");

    Invocation json =
        Invocation.of("fuzz", "--json", "--url", url, "--cases", "2", "--fail-on", "never");

    assertThat(json.code()).as(json.err()).isEqualTo(ExitCode.CLEAN);
    String[] lines = json.out().strip().split("\n");
    JsonNode summary = new ObjectMapper().readTree(lines[lines.length - 1]);
    assertThat(summary.path("undecided").asLong()).isEqualTo(2);
    assertThat(summary.at("/oracles/troc/undecided/the set-up failed").asLong()).isEqualTo(2);
    assertThat(summary.at("/rejections/0/count").asLong()).isEqualTo(2);
  }

  @Test
  void h2HasReadUncommittedIfItIsNamed() throws Exception {
    Invocation fuzz =
        Invocation.of("fuzz", "--json", "--isolation", "RU", "--cases", "64", "--seed", "5");

    assertThat(fuzz.code()).as(fuzz.out() + fuzz.err()).isZero();
    String[] lines = fuzz.out().strip().split("\n");
    JsonNode summary = new ObjectMapper().readTree(lines[lines.length - 1]);
    assertThat(summary.at("/oracles/writecheck/decided").asLong()).isPositive();
    assertThat(summary.at("/oracles/troc/decided").asLong()).isZero();
  }

  @Test
  void severalDatabasesAreExaminedAtOnce(@TempDir Path out) throws Exception {
    Invocation fuzz =
        Invocation.of(
            "fuzz",
            "--url",
            "jdbc:h2:mem:several",
            "--url",
            TestServers.freshDatabase(ServerKind.SQLITE),
            "--oracle",
            "writecheck",
            "--cases",
            "20",
            "--seed",
            "5",
            "--fail-on",
            "never",
            "--out",
            out.toString());

    assertThat(fuzz.code()).as(fuzz.err()).isZero();
    assertThat(fuzz.out())
        .containsPattern("H2 [0-9.]+ at .*, seed 5\n")
        .containsPattern("SQLite [0-9.]+ at .*, seed 5\n")
        .contains("phenomena by DBMS and level")
        .containsPattern("(?s)s: 20 cases.*s: 20 cases");
    try (Stream<Path> folders = Files.list(out)) {
      assertThat(folders.map(folder -> folder.getFileName().toString().replaceAll("[0-9.]+$", "")))
          .containsExactlyInAnyOrder("h2-", "sqlite-");
    }
  }

  /** Write skew, which H2 permits at SERIALIZABLE, and Adya's level does not. */
  @Test
  void findingsAreComparedWithOtherDatabases(@TempDir Path out) throws Exception {
    Invocation fuzz =
        Invocation.of(
            "fuzz",
            "--json",
            "--url",
            "jdbc:h2:mem:examined",
            "--oracle",
            "isorel",
            "--judge-by",
            "adya",
            "--isolation",
            "SER",
            "--cases",
            "150",
            "--seed",
            "5",
            "--workers",
            "1",
            "--compare",
            TestServers.freshDatabase(ServerKind.POSTGRESQL)
                + ","
                + TestServers.freshDatabase(ServerKind.SQLITE),
            "--compare",
            "jdbc:h2:mem:examined",
            "--out",
            out.toString());

    assertThat(fuzz.code()).as(fuzz.err()).isEqualTo(ExitCode.ANOMALIES);
    String first = fuzz.out().lines().findFirst().orElseThrow();
    JsonNode finding = new ObjectMapper().readTree(first);
    JsonNode compared = finding.path("comparedWith");
    assertThat(compared).as(first).hasSize(3);
    assertThat(compared.at("/0/dbms").asText()).startsWith("PostgreSQL ");
    assertThat(compared.at("/0/isolation").asText()).isEqualTo("SERIALIZABLE");
    assertThat(compared.at("/0/details").toString()).contains(") fails: 40001 ERROR: ");
    assertThat(compared.at("/1/result").asText()).isEqualTo("DIFFERENT");
    assertThat(compared.at("/2/result").asText()).isEqualTo("SAME");
    assertThat(Path.of(finding.path("case").asText()).resolveSibling("setup.sql"))
        .content()
        .containsPattern("-- On PostgreSQL [0-9.]+ at SERIALIZABLE: statement ")
        .containsPattern("-- On SQLite [0-9.]+ at SERIALIZABLE: statement ")
        .containsPattern("-- On H2 [0-9.]+ at SERIALIZABLE: the same results and final state");
    assertThat(fuzz.err()).contains("  On H2 ");

    Invocation replay =
        Invocation.of(
            "replay",
            finding.path("case").asText(),
            "--url",
            "jdbc:h2:mem:replayed",
            "--fail-on",
            "never",
            "--compare",
            "jdbc:h2:mem:replayed");
    assertThat(replay.code()).as(replay.err()).isZero();
    assertThat(replay.out())
        .containsPattern("  On H2 [0-9.]+ at SERIALIZABLE: the same results and final state\n");
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://127.0.0.1:1/x, 3, cannot connect to jdbc:postgresql://127.0.0.1:1/x",
    "jdbc:nothing:x, 2, no JDBC driver knows the URL jdbc:nothing:x; expected",
    "'', 2, no JDBC driver knows the URL",
  })
  void databaseToCompareWithThatCannotBeUsedIsNamedBeforeTheCampaign(
      String url, int code, String message) {
    Invocation fuzz = Invocation.of("fuzz", "--cases", "1", "--compare", url);

    assertThat(fuzz.code()).as(fuzz.err()).isEqualTo(code);
    assertThat(fuzz.out()).isEmpty();
    assertThat(fuzz.err()).hasLineCount(1).contains("--compare: " + message);
  }

  @Test
  void serverThatDiesIsOneFindingBeforeTheSummary() throws Exception {
    try (MariaDbServer server = MariaDbServer.start()) {
      String url = server.newDatabase("killed");
      Thread killer =
          new Thread(
              () -> {
                try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                  long running = 0;
                  while (running < 3) { // workspaces are named so once the campaign runs
                    Thread.sleep(100);
                    try (ResultSet count =
                        statement.executeQuery(
                            "SELECT COUNT(*) FROM information_schema.tables"
                                + " WHERE table_schema LIKE 'txwatch\\_%'")) {
                      count.next();
                      running = count.getLong(1);
                    }
                  }
                  server.crash();
                } catch (SQLException | InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      killer.start();

      Invocation fuzz = Invocation.of("fuzz", "--url", url, "--workers", "3", "--duration", "60s");
      killer.join();

      assertThat(fuzz.code()).as(fuzz.err()).isEqualTo(ExitCode.ANOMALIES);
      assertThat(fuzz.out())
          .containsOnlyOnce("FOUND by crash")
          .contains("generates the same cases");
    }
  }

  @Test
  void oneOfSeveralThatCannotBeReachedIsNamed() {
    Invocation fuzz =
        Invocation.of(
            "fuzz",
            "--url",
            "jdbc:h2:mem:reached",
            "--url",
            "jdbc:postgresql://127.0.0.1:1/x",
            "--cases",
            "1");

    assertThat(fuzz.code()).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(fuzz.err()).hasLineCount(1).contains("127.0.0.1:1/x");
  }

  @Test
  void invalidInputIsReported() {
    Invocation noTime = Invocation.of("fuzz", "--duration", "soon");
    assertThat(noTime.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(noTime.err()).contains("expected a duration such as 60s, 10m or 2h");

    Invocation noLevel =
        Invocation.of("fuzz", "--url", "jdbc:sqlite::memory:", "--isolation", "RC");
    assertThat(noLevel.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(noLevel.err()).contains("has no separate level READ_COMMITTED");

    Invocation noServer =
        Invocation.of("fuzz", "--url", "jdbc:postgresql://127.0.0.1:1/x", "--cases", "1");
    assertThat(noServer.code()).isEqualTo(ExitCode.UNREACHABLE);

    Invocation noWorkers = Invocation.of("fuzz", "--workers", "0");
    assertThat(noWorkers.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(noWorkers.err()).contains("expected at least 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"isorel", "TxCheck", "writecheck,isorel"})
  void oracleThatDoesNotSupportSqliteIsRefused(String oracle) throws Exception {
    Invocation fuzz =
        Invocation.of(
            "fuzz",
            "--url",
            TestServers.freshDatabase(ServerKind.SQLITE),
            "--oracle",
            oracle,
            "--cases",
            "1");
    assertThat(fuzz.code()).as(fuzz.err()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(fuzz.err())
        .hasLineCount(1)
        .contains(
            "here expected writecheck, troc, aptrans, log; the tables of SQLite get no columns");
  }

  @Test
  void databaseWithExistingTablesIsRejected() throws Exception {
    for (ServerKind kind : List.of(ServerKind.H2, ServerKind.SQLITE, ServerKind.POSTGRESQL)) {
      String url = TestServers.freshDatabase(kind);
      try (Connection owner = DriverManager.getConnection(url);
          Statement statement = owner.createStatement()) {
        statement.execute("CREATE TABLE account (id INT PRIMARY KEY)");
        statement.execute("INSERT INTO account VALUES (1)");

        Invocation fuzz = Invocation.of("fuzz", "--url", url, "--cases", "1");

        assertThat(fuzz.code()).as(fuzz.err()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(fuzz.err())
            .hasLineCount(1)
            .containsIgnoringCase("is not empty: it contains the table account");
        try (ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM account")) {
          rows.next();
          assertThat(rows.getInt(1)).isEqualTo(1);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB"})
  void userWithoutPrivilegesGetsAnErrorLine(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    String database = url.replaceFirst(".*/(\\w+)\\?.*", "$1");
    String user = "poor_" + database;
    try (Connection owner = DriverManager.getConnection(url);
        Statement statement = owner.createStatement()) {
      if (kind == ServerKind.POSTGRESQL) {
        statement.execute("CREATE ROLE " + user + " LOGIN");
      } else {
        statement.execute("CREATE USER " + user);
        statement.execute("GRANT SELECT ON " + database + ".* TO " + user);
      }
    }

    Invocation fuzz =
        Invocation.of(
            "fuzz", "--url", url.replaceFirst("user=\\w+", "user=" + user), "--cases", "1");

    assertThat(fuzz.code()).as(fuzz.err()).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(fuzz.err())
        .hasLineCount(1)
        .contains("the user lacks a privilege")
        .containsAnyOf("permission denied", "Access denied");
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB"})
  void moreWorkersThanConnectionsIsAnErrorLine(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    String database = url.replaceFirst(".*/(\\w+)\\?.*", "$1");
    String user = "few_" + database;
    try (Connection owner = DriverManager.getConnection(url);
        Statement statement = owner.createStatement()) {
      if (kind == ServerKind.POSTGRESQL) {
        statement.execute("CREATE ROLE " + user + " LOGIN CONNECTION LIMIT 20");
        statement.execute("GRANT CREATE ON DATABASE " + database + " TO " + user);
      } else {
        statement.execute("CREATE USER " + user);
        statement.execute("GRANT ALL ON *.* TO " + user + " WITH MAX_USER_CONNECTIONS 20");
      }
    }
    String few = url.replaceFirst("user=\\w+", "user=" + user);

    Invocation fuzz = Invocation.of("fuzz", "--url", few, "--cases", "500", "--workers", "12");

    assertThat(fuzz.code()).as(fuzz.err()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(fuzz.err())
        .hasLineCount(1)
        .contains("--workers 12", "no more connections", "use fewer workers");
    try (Connection owner = DriverManager.getConnection(url);
        Statement statement = owner.createStatement();
        ResultSet left =
            statement.executeQuery(
                kind == ServerKind.POSTGRESQL
                    ? "SELECT COUNT(*) FROM pg_namespace WHERE nspowner = '" + user + "'::regrole"
                    : "SELECT COUNT(*) FROM information_schema.schemata"
                        + " WHERE schema_name LIKE 'txwatch\\_%'")) {
      left.next();
      assertThat(left.getInt(1)).as("schemas left behind").isZero();
    }
  }
}
