package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.txwatch.history.HistoryWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client of the protocol's own SDK, and {@code mcp} in a process of its own. */
class McpCommandTest {

  private static final List<String> SETUP =
      List.of(
          "CREATE TABLE account (id INT NOT NULL PRIMARY KEY, balance INT)",
          "INSERT INTO account VALUES (1, 100)");

  private static final String READ = "SELECT balance FROM account WHERE id = 1";

  private static final List<List<String>> WITHDRAWALS =
      List.of(
          List.of(READ, "UPDATE account SET balance = 90 WHERE id = 1"),
          List.of(READ, "UPDATE account SET balance = 80 WHERE id = 1"));

  @TempDir private Path directory = Path.of("");
  private @Nullable McpProcess process;

  @BeforeEach
  void start() throws IOException {
    Path root = Files.createDirectory(directory.resolve("root"));
    try (HistoryWriter history = HistoryWriter.open(root.resolve("shop.history"))) {
      RecordedRaces races = new RecordedRaces(history);
      races.lostUpdate("account", "balance", "Bank.withdraw", 41);
      races.lostUpdate("account", "balance", "Bank.withdraw", 41);
      races.lostUpdate("stock", "quantity", "Shop.buy", 17);
    }
    process = McpProcess.ofClasses("--root", root.toString(), "--url", "jdbc:h2:mem:agent");
  }

  @AfterEach
  void end() {
    mcp().close();
  }

  private McpProcess mcp() {
    return Objects.requireNonNull(process);
  }

  private JsonNode answer(String tool, Map<String, Object> arguments) throws IOException {
    return mcp().answer(tool, arguments);
  }

  private String error(String tool, Map<String, Object> arguments) {
    return mcp().error(tool, arguments);
  }

  @Test
  void toolsAreListed() {
    assertThat(mcp().client().listTools().tools())
        .extracting(Tool::name)
        .containsExactlyInAnyOrder(
            "check_history",
            "list_anomalies",
            "explain_anomaly",
            "predict",
            "interleave",
            "try_repair");
    assertThat(mcp().client().getServerInfo().name()).isEqualTo("txwatch");
  }

  @Test
  void anomaliesAreFoundListedAndExplained() throws IOException {
    JsonNode checked = answer("check_history", Map.of("file", "shop.history"));
    assertThat(checked.get("transactions").asInt()).isEqualTo(6);
    assertThat(checked.get("kinds")).hasSize(2);

    JsonNode listed =
        answer("list_anomalies", Map.of("file", "shop.history", "table", "account", "limit", 1));
    JsonNode anomaly = listed.get("anomalies").get(0);
    assertThat(listed.get("kinds").asInt()).isEqualTo(1);
    assertThat(anomaly.get("phenomenon").asText()).isEqualTo("LOST_UPDATE");
    assertThat(anomaly.get("count").asInt()).isEqualTo(2);
    assertThat(anomaly.get("callSites").toString()).contains("Bank.java:41");

    JsonNode explained =
        answer("explain_anomaly", Map.of("file", "shop.history", "id", anomaly.get("id").asText()));
    assertThat(explained.get("advice").asText()).contains("FOR UPDATE");
    assertThat(explained.get("transactions")).hasSize(2);
    assertThat(explained.get("definition").asText()).isNotEmpty();
  }

  @Test
  void lostUpdateIsProvenAndItsRepairTried() throws IOException {
    Map<String, Object> operations =
        Map.of("setup", SETUP, "operations", WITHDRAWALS, "isolation", "RC");
    JsonNode raced = answer("interleave", operations);
    assertThat(raced.get("result").asText()).isEqualTo("RACE");
    assertThat(raced.get("phenomenon").asText()).isEqualTo("LOST_UPDATE");

    JsonNode locked =
        answer(
            "try_repair",
            Map.of(
                "setup",
                SETUP,
                "operations",
                WITHDRAWALS,
                "isolation",
                "RC",
                "replace",
                List.of(Map.of("statement", READ, "with", READ + " FOR UPDATE"))));
    assertThat(locked.get("removes").asBoolean()).isTrue();

    JsonNode useless =
        answer(
            "try_repair",
            Map.of(
                "setup",
                SETUP,
                "operations",
                WITHDRAWALS,
                "isolation",
                "RC",
                "more_setup",
                List.of("CREATE INDEX b ON account (balance)")));
    assertThat(useless.get("removes").asBoolean()).isFalse();
    assertThat(useless.get("with").get("result").asText()).isEqualTo("RACE");
  }

  @Test
  void valuesOfCasesThatPredictWroteAreNotReturned() throws IOException {
    Files.writeString(
        directory.resolve("root/race-01.txt"),
        """
        # isolation: RC
        I: CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(9), balance INT)
        I: INSERT INTO account VALUES (4711, 'mallory', 100)
        T1: SELECT balance FROM account WHERE owner = 'mallory'
        T1: UPDATE account SET balance = 90 WHERE id = 4711
        T2: SELECT owner FROM account WHERE id = 4711
        T2: SELECT balance FROM account WHERE id = 4711
        T2: UPDATE account SET balance = 80 WHERE id = 4711
        """);
    JsonNode answer = answer("interleave", Map.of("case", "race-01.txt"));
    assertThat(answer.get("result").asText()).isEqualTo("RACE");
    assertThat(answer.get("schedule").toString())
        .contains("SELECT balance FROM account WHERE owner = ?");
    assertThat(answer.toString()).doesNotContain("mallory", "4711", "100");
  }

  @Test
  void wrongCallsAreAnsweredWithWhatIsExpected() throws IOException {
    Files.writeString(directory.resolve("outside.history"), "x");
    assertThat(error("check_history", Map.of("flie", "shop.history")))
        .contains("no argument 'flie', did you mean file?");
    assertThat(error("check_history", Map.of())).contains("expected file, a text");
    assertThat(error("check_history", Map.of("file", 7))).contains("expected file, a text");
    assertThat(error("check_history", Map.of("file", "none.history")))
        .isEqualTo("no such file: none.history");
    assertThat(error("check_history", Map.of("file", "../outside.history")))
        .contains("is not in the directory of --root");
    assertThat(error("explain_anomaly", Map.of("file", "shop.history", "id", "0-0")))
        .contains("list_anomalies returns the ids");
    assertThat(error("list_anomalies", Map.of("file", "shop.history", "phenomenon", "LOST")))
        .contains("expected one of DIRTY_WRITE");
    assertThat(error("interleave", Map.of("operations", WITHDRAWALS))).contains("names no level");
    assertThat(
            error(
                "try_repair",
                Map.of(
                    "setup",
                    SETUP,
                    "operations",
                    WITHDRAWALS,
                    "isolation",
                    "RC",
                    "replace",
                    List.of(Map.of("statement", "SELECT 1", "with", "SELECT 2")))))
        .contains("no operation has the statement", READ);
    assertThat(error("predict", Map.of("file", "shop.history")))
        .contains("record it with txwatch.predict=on");
    assertThat(error("predict", Map.of("file", "shop.history", "out", "../races")))
        .contains("is not in the directory of --root");
    assertThat(answer("check_history", Map.of("file", "shop.history")).get("kinds")).hasSize(2);
  }
}
