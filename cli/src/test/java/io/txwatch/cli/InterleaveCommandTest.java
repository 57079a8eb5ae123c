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
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class InterleaveCommandTest {

  private static final String STOCK =
      """
      I: CREATE TABLE stock (id INT NOT NULL PRIMARY KEY, n INT) {ENGINE}
      I: INSERT INTO stock VALUES (1, 10), (2, 5)
      """;

  /** In the order of the lines nothing is lost. */
  private static final String LOST_UPDATE =
      STOCK
          + """
          T1: SELECT n FROM stock WHERE id = 1
          T1: UPDATE stock SET n = 11 WHERE id = 1
          T2: SELECT n FROM stock WHERE id = 1
          T2: UPDATE stock SET n = 12 WHERE id = 1
          F: SELECT n FROM stock WHERE id = 1
          """;

  private static final String ATOMIC_UPDATE =
      STOCK
          + """
          T1: BEGIN
          T1: UPDATE stock SET n = n + 1 WHERE id = 1
          T1: COMMIT
          T2: BEGIN
          T2: UPDATE stock SET n = n + 2 WHERE id = 1
          T2: COMMIT
          """;

  @TempDir private Path directory = Path.of("");

  private String file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  private static Invocation interleave(ServerKind kind, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("interleave", "--json"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--url", TestServers.freshDatabase(kind)));
    return Invocation.of(all.toArray(String[]::new));
  }

  private static List<JsonNode> json(Invocation invocation) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : invocation.out().lines().toList()) {
      lines.add(new ObjectMapper().readTree(line));
    }
    return lines;
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
  void lostUpdateIsARaceAndItsAtomicSiblingIsNone(ServerKind kind) throws Exception {
    String racy = file("racy.txt", LOST_UPDATE);
    String safe = file("safe.txt", ATOMIC_UPDATE);
    Invocation both = interleave(kind, racy, safe, "--isolation", "RC");

    assertThat(both.code()).as(both.err()).isEqualTo(ExitCode.ANOMALIES);
    List<JsonNode> lines = json(both);
    assertThat(lines).hasSize(2);
    JsonNode race = lines.get(0);
    assertThat(race.path("type").asText()).isEqualTo("interleave");
    assertThat(race.path("case").asText()).isEqualTo(racy);
    assertThat(race.path("result").asText()).isEqualTo("RACE");
    // By the statements alone, which is all that this server shows, it is only possible.
    boolean isKnown = kind != ServerKind.MARIADB;
    assertThat(race.path("phenomenon").asText()).isEqualTo(isKnown ? "LOST_UPDATE" : "null");
    assertThat(race.path("executions").asInt()).isPositive();
    assertThat(race.path("bound").asText()).isEqualTo("all orders");
    assertThat(race.path("reason").asText())
        .contains("T1 returns [(10), 1 row], T2 returns [(10), 1 row]");
    List<String> schedule = new ArrayList<>();
    race.path("schedule").forEach(line -> schedule.add(line.asText()));
    assertThat(schedule)
        .containsExactlyInAnyOrder(
            "T1: SELECT n FROM stock WHERE id = 1",
            "T1: UPDATE stock SET n = 11 WHERE id = 1",
            "T1: commit",
            "T2: SELECT n FROM stock WHERE id = 1",
            "T2: UPDATE stock SET n = 12 WHERE id = 1",
            "T2: commit");
    assertThat(lines.get(1).path("result").asText()).isEqualTo("SAFE");
    assertThat(lines.get(1).path("bound").asText()).isEqualTo("all orders");
    assertThat(lines.get(1).path("schedule")).isEmpty();

    assertThat(interleave(kind, safe, "--isolation", "RC").code()).isZero();
  }

  @Test
  void whatTheDbmsPreventsIsNoRace() throws Exception {
    String racy = file("racy.txt", LOST_UPDATE);
    Invocation atSnapshot = interleave(ServerKind.H2, racy, "--isolation", "SI");
    assertThat(atSnapshot.code()).as(atSnapshot.out()).isZero();
    assertThat(atSnapshot.err()).contains("and leaves nothing behind, in");

    String mixed = file("mixed.txt", "# isolation: SI\n# isolation-T2: RC\n" + LOST_UPDATE);
    Invocation atBoth = interleave(ServerKind.H2, mixed);
    assertThat(atBoth.code()).as(atBoth.out()).isEqualTo(ExitCode.ANOMALIES);
    assertThat(interleave(ServerKind.H2, mixed, "--isolation", "SI").code()).isZero();
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void numbersOfRowsAreNotCompared(ServerKind kind) throws Exception {
    String numbered =
        file(
            "numbered.txt",
            """
            I: CREATE TABLE t (id {AUTOINC}, v INT) {ENGINE}
            T1: INSERT INTO t (v) VALUES (1)
            T1: INSERT INTO t (v) VALUES (2)
            T1: SELECT id, v FROM t WHERE v < 3
            T2: INSERT INTO t (v) VALUES (3)
            T2: SELECT 1
            """);
    Invocation invocation = interleave(kind, numbered, "--isolation", "RC");
    assertThat(invocation.code()).as(invocation.out()).isZero();
  }

  @Test
  void finalStateIsCompared() throws Exception {
    String skewed =
        STOCK
            + """
            T1: UPDATE stock SET n = (SELECT n FROM stock WHERE id = 2) WHERE id = 1
            T2: UPDATE stock SET n = (SELECT n FROM stock WHERE id = 1) WHERE id = 2
            F: SELECT COUNT(DISTINCT n) FROM stock
            """;
    Invocation race = interleave(ServerKind.H2, file("skew.txt", skewed), "--isolation", "RC");
    assertThat(race.code()).as(race.out()).isEqualTo(ExitCode.ANOMALIES);
    assertThat(json(race).get(0).path("reason").asText()).contains("F has [[2]]", "F has [[1]]");
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void theTablesOfAViewAreFound(ServerKind kind) throws Exception {
    String view = STOCK + "I: CREATE VIEW all_stock AS SELECT id, n FROM stock\n";
    String racy =
        """
        T1: SELECT n FROM all_stock WHERE id = 1
        T1: SELECT n FROM all_stock WHERE id = 2
        T2: UPDATE stock SET n = n + 1 WHERE id = 1
        T2: UPDATE stock SET n = n + 1 WHERE id = 2
        """;
    String safe =
        """
        T1: SELECT n FROM all_stock WHERE id = 1
        T2: UPDATE stock SET n = n + 1 WHERE id = 1
        """;
    assertVerdicts(kind, view + racy, view + safe);
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void whatAForeignKeyChangesIsFound(ServerKind kind) throws Exception {
    String item =
        STOCK
            + """
            I: CREATE TABLE item (id INT NOT NULL PRIMARY KEY, stock INT, FOREIGN KEY (stock) REFERENCES stock (id) ON DELETE CASCADE) {ENGINE}
            I: INSERT INTO item VALUES (1, 1), (2, 1)
            """;
    String racy =
        """
        T1: SELECT stock FROM item WHERE id = 1
        T1: SELECT stock FROM item WHERE id = 2
        T2: DELETE FROM stock WHERE id = 1
        """;
    String safe =
        """
        T1: SELECT stock FROM item WHERE id = 1
        T2: DELETE FROM stock WHERE id = 1
        """;
    assertVerdicts(kind, item + racy, item + safe);
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL"})
  void whatATriggerChangesIsFound(ServerKind kind) throws Exception {
    String trigger =
        kind == ServerKind.POSTGRESQL
            ? """
              I: CREATE FUNCTION sell() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN UPDATE stock SET n = n - 1; RETURN NEW; END'
              I: CREATE TRIGGER sold AFTER INSERT ON sale FOR EACH ROW EXECUTE FUNCTION sell()
              """
            : """
              I: CREATE TRIGGER sold AFTER INSERT ON sale FOR EACH ROW UPDATE stock SET n = n - 1
              """;
    String sale =
        STOCK
            + """
            I: CREATE TABLE sale (id INT NOT NULL PRIMARY KEY) {ENGINE}
            """
            + trigger;
    String racy =
        """
        T1: SELECT n FROM stock WHERE id = 1
        T1: SELECT n FROM stock WHERE id = 2
        T2: INSERT INTO sale VALUES (1)
        """;
    String safe =
        """
        T1: SELECT n FROM stock WHERE id = 1
        T2: INSERT INTO sale VALUES (1)
        """;
    assertVerdicts(kind, sale + racy, sale + safe);
  }

  @Test
  void whatAFunctionReadsIsFound() throws Exception {
    String left =
        STOCK
            + """
            I: CREATE FUNCTION left_of(item INT) RETURNS INT LANGUAGE sql AS 'SELECT n FROM stock WHERE id = item'
            """;
    String racy =
        """
        T1: SELECT left_of(1)
        T1: SELECT left_of(2)
        T2: UPDATE stock SET n = n + 1
        """;
    String safe =
        """
        T1: SELECT left_of(1)
        T2: UPDATE stock SET n = n + 1
        """;
    assertVerdicts(ServerKind.POSTGRESQL, left + racy, left + safe);
  }

  private void assertVerdicts(ServerKind kind, String racy, String safe) throws Exception {
    Invocation both =
        interleave(kind, file("racy.txt", racy), file("safe.txt", safe), "--isolation", "RC");
    assertThat(json(both))
        .as(both.out() + both.err())
        .extracting(line -> line.path("result").asText())
        .containsExactly("RACE", "SAFE");
  }

  @Test
  void whatCannotBeFollowedIsUndecided() throws Exception {
    String rule =
        file(
            "rule.txt",
            STOCK
                + """
                I: CREATE RULE kept AS ON DELETE TO stock DO INSTEAD UPDATE stock SET n = 0
                T1: SELECT n FROM stock WHERE id = 1
                T2: DELETE FROM stock
                """);
    Invocation hidden = interleave(ServerKind.POSTGRESQL, rule, "--isolation", "RC");
    assertThat(hidden.code()).as(hidden.out()).isEqualTo(ExitCode.UNDECIDED);
    assertThat(hidden.out()).contains("the set-up defines a rule");

    String altered =
        file("alter.txt", STOCK + "T1: ALTER TABLE stock ADD COLUMN m INT\nT2: SELECT 1\n");
    Invocation definition = interleave(ServerKind.H2, altered, "--isolation", "RC");
    assertThat(definition.code()).isEqualTo(ExitCode.UNDECIDED);
    assertThat(definition.out()).contains("T1 executes 'ALTER TABLE stock ADD COLUMN m INT'");

    String tooMany = file("many.txt", ATOMIC_UPDATE);
    Invocation bounded =
        interleave(ServerKind.H2, tooMany, "--isolation", "RC", "--executions", "1");
    assertThat(bounded.code()).as(bounded.out()).isEqualTo(ExitCode.UNDECIDED);
    assertThat(bounded.out()).contains("there are more than 1 orders to be executed");
  }

  @Test
  void nothingIsLeftBehind() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    String racy = file("racy.txt", LOST_UPDATE);
    Invocation text = Invocation.of("interleave", racy, "--url", url, "--isolation", "RC");
    assertThat(text.out())
        .contains(
            racy + " on PostgreSQL",
            " at READ_COMMITTED: RACE, LOST_UPDATE",
            "T2: commit",
            "executed (all orders)")
        .doesNotContainIgnoringCase("violation");
    try (Connection connection = DriverManager.getConnection(url);
        ResultSet schemas = connection.getMetaData().getSchemas(null, "txwatch\\_%")) {
      assertThat(schemas.next()).isFalse();
    }
  }

  @Test
  void badInputIsReportedInOneLine() throws Exception {
    assertBad(interleave(ServerKind.H2, file("a.txt", "hello"), "--isolation", "RC"), "not a case");
    assertBad(
        interleave(ServerKind.H2, file("b.txt", "T1: SELECT 1"), "--isolation", "RC"),
        "b.txt has one session, expected 2 to 5");
    assertBad(
        interleave(ServerKind.H2, file("c.txt", LOST_UPDATE)), "c.txt names no level: give one");
    assertBad(
        interleave(
            ServerKind.H2,
            file("d.txt", "I: CREATE TABEL t\nT1: SELECT 1\nT2: SELECT 1"),
            "--isolation",
            "RC"),
        "the set-up statement 'CREATE TABEL t' failed");
    assertBad(
        interleave(
            ServerKind.H2, file("e.txt", LOST_UPDATE), "--isolation", "RC", "--executions", "0"),
        "--executions: expected 1 or more, not 0");
    assertBad(
        Invocation.of(
            "interleave",
            file("f.txt", LOST_UPDATE),
            "--url",
            "jdbc:sqlite::memory:",
            "--isolation",
            "SER"),
        "sessions are not interleaved on SQLite");
    assertBad(
        interleave(ServerKind.H2, directory.resolve("nowhere.txt").toString()), "no such file");
    assertThat(
            Invocation.of(
                    "interleave",
                    file("g.txt", LOST_UPDATE),
                    "--url",
                    "jdbc:postgresql://127.0.0.1:1/x",
                    "--isolation",
                    "RC")
                .code())
        .isEqualTo(ExitCode.UNREACHABLE);
  }

  private static void assertBad(Invocation invocation, String message) {
    assertThat(invocation.code()).as(invocation.err()).isEqualTo(ExitCode.BAD_INPUT);
    assertThat(invocation.err().strip()).contains(message).doesNotContain("\n");
  }
}
