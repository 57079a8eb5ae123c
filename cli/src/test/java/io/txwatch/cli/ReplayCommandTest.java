package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code replay} on a lost update: T1 and T2 read 10, then both write a value computed from it. */
class ReplayCommandTest {

  private static final String LOST_UPDATE =
      """
      I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT, name VARCHAR(9)) {ENGINE}
      I: INSERT INTO t VALUES (1, 10, 'a')
      T1: BEGIN
      T2: BEGIN
      T1: SELECT * FROM t
      T2: SELECT * FROM t
      T1: UPDATE t SET v = 11 WHERE id = 1
      T2: UPDATE t SET v = 12 WHERE id = 1
      T1: COMMIT
      T2: COMMIT
      F: SELECT v, name FROM t
      """;

  @TempDir private Path directory = Path.of("");

  private String file(String text) throws IOException {
    return Files.writeString(directory.resolve("case.txt"), text).toString();
  }

  @Test
  void everyOutcomeIsReported() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.H2);
    Invocation replay =
        Invocation.of("replay", "--json", file(LOST_UPDATE), "--url", url, "--isolation", "RC");

    assertThat(replay.code()).as(replay.err()).isZero();
    JsonNode json = new ObjectMapper().readTree(replay.out());
    assertThat(json.path("type").asText()).isEqualTo("replay");
    assertThat(json.path("dbms").asText()).startsWith("H2 2.");
    assertThat(json.path("isolation").asText()).isEqualTo("READ_COMMITTED");
    assertThat(json.path("statements")).hasSize(8);
    assertThat(json.path("statements").get(2).path("rows").toString()).isEqualTo("[[1,10,\"a\"]]");
    JsonNode second = json.path("statements").get(5);
    assertThat(second.path("session").asText()).isEqualTo("T2");
    assertThat(second.path("outcome").asText()).isEqualTo("ok");
    assertThat(second.path("blocked").asBoolean()).isTrue();
    assertThat(second.path("sqlState").isNull()).isTrue();
    assertThat(second.path("updateCount").asInt()).isEqualTo(1);
    assertThat(json.path("finalState").toString()).isEqualTo("[[12,\"a\"]]");
    assertThat(json.path("verdicts").get(0).path("oracle").asText()).isEqualTo("writecheck");
    assertThat(json.path("verdicts").get(0).path("result").asText()).isEqualTo("clean");
  }

  @Test
  void violationSetsTheExitCodeUnlessItIsByDesign() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.MARIADB);
    String half =
        file(
            """
            # isolation: RC
            I: CREATE TABLE t (c1 INT, c2 INT) {ENGINE}
            I: INSERT INTO t VALUES (NULL, 1), (2, 2), (NULL, 3)
            T1: BEGIN
            T1: UPDATE t SET c1 = 10
            T2: BEGIN
            T2: UPDATE t SET c2 = 20 WHERE c1
            T1: COMMIT
            T2: COMMIT
            """);

    Invocation byDesign = Invocation.of("replay", half, "--url", url);
    assertThat(byDesign.code()).as(byDesign.out()).isZero();
    assertThat(byDesign.out())
        .contains(
            "writecheck: violation, no order of the single statements; tx-WSS (T1 -> T2): final state",
            "BY_DESIGN: innodb-semi-consistent-read");
    assertThat(Invocation.of("replay", half, "--url", url, "--isolation", "RR").code()).isZero();

    String missed =
        file(
            """
            # isolation: RC
            I: CREATE TABLE t (a INT NOT NULL PRIMARY KEY) {ENGINE}
            I: INSERT INTO t VALUES (8)
            T1: BEGIN
            T1: UPDATE t SET a = 5
            T2: DELETE FROM t
            T1: UPDATE t SET a = 3
            T1: COMMIT
            """);
    Invocation bug = Invocation.of("replay", "--json", missed, "--url", url);
    assertThat(bug.code()).as(bug.out()).isEqualTo(ExitCode.ANOMALIES);
    JsonNode verdict = new ObjectMapper().readTree(bug.out()).path("verdicts").get(0);
    assertThat(verdict.path("class").asText()).isEqualTo("KNOWN_BUG");
    assertThat(verdict.path("knownBehaviour").asText()).isEqualTo("innodb-moved-row");
    assertThat(Invocation.of("replay", "--fail-on", "never", missed, "--url", url).code()).isZero();
  }

  @Test
  void anomalyThatTheDbmsPermitsMayViolateAdyasLevel() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.MARIADB);
    String lost = file(LOST_UPDATE);

    Invocation byDbms =
        Invocation.of("replay", lost, "--url", url, "--isolation", "RR", "--oracle", "isorel");
    assertThat(byDbms.code()).as(byDbms.out()).isZero();
    assertThat(byDbms.out())
        .contains("isorel: clean, permitted at this level: LOST_UPDATE of T1, T2");

    Invocation byAdya =
        Invocation.of(
            "replay",
            lost,
            "--url",
            url,
            "--isolation",
            "RR",
            "--oracle",
            "isorel",
            "--judge-by",
            "adya");
    assertThat(byAdya.code()).as(byAdya.out()).isEqualTo(ExitCode.ANOMALIES);
    assertThat(byAdya.out())
        .contains("isorel: violation, LOST_UPDATE of T1, T2, which PL-2.99 rules out");
  }

  @Test
  void exhaustiveReportsWhetherTheSessionsRace() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.H2);
    String lost = file(LOST_UPDATE);
    Invocation replay =
        Invocation.of("replay", "--json", "--exhaustive", lost, "--url", url, "--isolation", "RC");

    assertThat(replay.code()).as(replay.err()).isZero();
    assertThat(replay.out().lines()).hasSize(2);
    JsonNode race = new ObjectMapper().readTree(replay.out().lines().toList().get(1));
    assertThat(race.path("type").asText()).isEqualTo("interleave");
    assertThat(race.path("result").asText()).isEqualTo("RACE");
    assertThat(race.path("schedule")).hasSize(6);

    String one = file("T1: SELECT 1");
    Invocation alone =
        Invocation.of("replay", "--exhaustive", one, "--url", url, "--isolation", "RC");
    assertThat(alone.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(alone.err()).contains("has one session, expected 2 to 5");
  }

  /** In the order of its lines the DELETE comes last, and finds the row. */
  @Test
  void exhaustiveJudgesEveryOrder() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.MARIADB);
    String missed =
        file(
            """
            # isolation: RC
            I: CREATE TABLE t (a INT NOT NULL PRIMARY KEY) {ENGINE}
            I: INSERT INTO t VALUES (8)
            T1: BEGIN
            T1: UPDATE t SET a = 5
            T1: UPDATE t SET a = 3
            T1: COMMIT
            T2: DELETE FROM t
            """);
    assertThat(Invocation.of("replay", missed, "--url", url).code()).isZero();

    Invocation every =
        Invocation.of(
            "replay", "--exhaustive", "--oracle", "writecheck,troc", missed, "--url", url);
    assertThat(every.code()).as(every.out() + every.err()).isEqualTo(ExitCode.ANOMALIES);
    assertThat(every.out())
        .contains("KNOWN_BUG: innodb-moved-row", "orders judged", "writecheck clean: ");
  }

  /** The subquery is generated twice if the column has an index, and then not found. */
  @Test
  void lostConnectionIsAViolation() throws Exception {
    String url = "jdbc:derby:memory:lost;create=true";
    String lost =
        file(
            """
            # isolation: RC
            I: CREATE TABLE t (a INT NOT NULL PRIMARY KEY, b INT)
            I: CREATE INDEX i_t ON t (b)
            I: INSERT INTO t VALUES (1, 5)
            T1: BEGIN
            T1: SELECT * FROM t WHERE (SELECT MIN(q.a) FROM t q WHERE q.b IN (5, 7)) BETWEEN 1 AND 3
            T1: COMMIT
            """);

    Invocation replay = Invocation.of("replay", lost, "--url", url);

    assertThat(replay.code()).as(replay.err()).isEqualTo(ExitCode.ANOMALIES);
    assertThat(replay.out())
        .containsPattern("crash: violation, the server closed the connection: .*\n +NEW")
        .doesNotContain("writecheck");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "T1: KILL CONNECTION_ID()",
        "T1: SET SESSION wait_timeout = 1\nT2: SELECT SLEEP(3)\nT1: SELECT * FROM t"
      })
  void lostConnectionIsNoneIfTheCaseEndsIt(String steps) throws Exception {
    String ended = file("# isolation: RC\nI: CREATE TABLE t (a INT)\n" + steps + "\n");

    Invocation replay =
        Invocation.of("replay", ended, "--url", TestServers.freshDatabase(ServerKind.MARIADB));

    assertThat(replay.code()).as(replay.out()).isZero();
    assertThat(replay.out()).contains("crash: unsupported, a statement of the case ends sessions");
  }

  @Test
  void databaseWithTablesIsRejectedUnlessAllowed() throws Exception {
    for (ServerKind kind : List.of(ServerKind.H2, ServerKind.POSTGRESQL, ServerKind.MARIADB)) {
      String url = TestServers.freshDatabase(kind);
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE precious (id INT PRIMARY KEY)");
        String hostile = file("I: CREATE TABLE t (v INT)\nT1: SELECT * FROM t\n");
        Invocation refused = Invocation.of("replay", hostile, "--url", url, "--isolation", "SER");
        assertThat(refused.code()).as(refused.err()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(refused.err())
            .containsIgnoringCase("it contains the table precious")
            .contains("--allow-any-database: the SQL of a case runs as it is");
        Invocation allowed =
            Invocation.of(
                "replay", hostile, "--url", url, "--isolation", "SER", "--allow-any-database");
        assertThat(allowed.code()).as(allowed.err()).isZero();
      }
    }
  }

  @Test
  void invalidInputIsReported() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.H2);
    Invocation noLevel = Invocation.of("replay", file(LOST_UPDATE), "--url", url);
    assertThat(noLevel.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(noLevel.err()).contains("names no level: give one, such as --isolation");

    Invocation notThere =
        Invocation.of(
            "replay", file(LOST_UPDATE), "--url", "jdbc:sqlite::memory:", "--isolation", "RC");
    assertThat(notThere.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(notThere.err()).contains("it has SERIALIZABLE");

    Invocation noCase = Invocation.of("replay", file("hello"), "--url", url, "--isolation", "RC");
    assertThat(noCase.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(noCase.err()).contains("not a case");

    Invocation noSetup =
        Invocation.of(
            "replay", file("I: CREATE TABEL t\nT1: SELECT 1"), "--url", url, "--isolation", "RC");
    assertThat(noSetup.code()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(noSetup.err()).contains("the set-up statement 'CREATE TABEL t' failed");

    for (String names : List.of("delphi", "all,delphi", "delphi,all", "troc,none,delphi")) {
      Invocation noOracle =
          Invocation.of(
              "replay", file(LOST_UPDATE), "--url", url, "--isolation", "RC", "--oracle", names);
      assertThat(noOracle.code()).isEqualTo(ExitCode.BAD_INPUT);
      assertThat(noOracle.err()).contains("--oracle delphi: expected all, none, writecheck");
    }
  }
}
