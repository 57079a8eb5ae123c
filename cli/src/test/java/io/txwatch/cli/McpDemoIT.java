package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a coding agent does with the demo: finds a lost update, proves it, and tries a repair. */
class McpDemoIT {

  @TempDir private Path directory = Path.of("");

  @Test
  void anAgentFindsProvesAndRepairsTheLostUpdateOfTheDemo() throws Exception {
    record("two.history", "");
    try (McpProcess mcp =
        McpProcess.ofJar("--root", directory.toString(), "--url", "jdbc:h2:mem:agent")) {
      JsonNode listed =
          mcp.answer("list_anomalies", Map.of("file", "two.history", "phenomenon", "LOST_UPDATE"));
      JsonNode explained =
          mcp.answer(
              "explain_anomaly",
              Map.of(
                  "file", "two.history", "id", listed.get("anomalies").get(0).get("id").asText()));
      List<JsonNode> statements =
          List.copyOf(explained.get("transactions").get(0).findParents("sql"));
      String read = sql(statements, "SELECT").replace("?", "1");
      String write = sql(statements, "UPDATE").replaceFirst("\\?", "0").replace("?", "1");
      assertThat(explained.toString()).contains("BankService.java:");

      Map<String, Object> withdrawals =
          Map.of(
              "setup",
              List.of(
                  "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
                  "INSERT INTO account VALUES (1, 100)"),
              "operations",
              List.of(
                  List.of(read, write),
                  List.of(read, write.replace("balance = 0", "balance = 50"))),
              "isolation",
              "RC");
      assertThat(mcp.answer("interleave", withdrawals).get("phenomenon").asText())
          .isEqualTo("LOST_UPDATE");

      Map<String, Object> repaired = new LinkedHashMap<>(withdrawals);
      repaired.put("replace", List.of(Map.of("statement", read, "with", read + " FOR UPDATE")));
      assertThat(mcp.answer("try_repair", repaired).get("removes").asBoolean()).isTrue();
    }
  }

  @Test
  void anAgentPredictsTheLostUpdateFromOneClient() throws Exception {
    record("one.history", "predict=on", "--one-client");
    try (McpProcess mcp = McpProcess.ofJar("--root", directory.toString())) {
      JsonNode predicted = mcp.answer("predict", Map.of("file", "one.history", "out", "races"));
      assertThat(predicted.get("confirmed").asInt()).isPositive();
      assertThat(predicted.get("races").findValuesAsText("phenomenon")).contains("LOST_UPDATE");
      assertThat(predicted.get("races").toString()).contains("BankService.java:");
    }
  }

  /** Plays the phase of the demo on H2 in memory, under the agent. */
  private void record(String history, String settings, String... more) throws Exception {
    ProcessBuilder application =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-javaagent:"
                + JarRun.JAR
                + "=log=none,history="
                + history
                + (settings.isEmpty() ? "" : "," + settings),
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            "io.txwatch.demo.DemoApp",
            "--url",
            "jdbc:h2:mem:demo;DB_CLOSE_DELAY=-1",
            "--phase",
            "lost-update");
    application.command().addAll(List.of(more));
    Process process =
        application
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("out").toFile())
            .start();
    assertThat(process.waitFor()).isZero();
  }

  private static String sql(List<JsonNode> statements, String verb) {
    return statements.stream()
        .map(statement -> statement.get("sql").asText())
        .filter(text -> text.startsWith(verb))
        .findFirst()
        .orElseThrow();
  }
}
