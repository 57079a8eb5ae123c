package io.txwatch.corpus.suite;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The anomalies that the agent reported during a run, for somebody to check each. */
final class ReportedAnomalies {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private ReportedAnomalies() {}

  /**
   * How many there are of each phenomenon, verdict and sequence of statements.
   *
   * @param directory all its files that end with {@code .jsonl} are read ({@code txwatch.report})
   * @return a paragraph of text
   */
  static String count(Path directory) throws IOException {
    Map<String, Integer> groups = new TreeMap<>();
    int all = 0;
    try (Stream<Path> files = Files.walk(directory)) {
      List<Path> reports =
          files.filter(file -> file.toString().endsWith(".jsonl")).sorted().toList();
      for (Path report : reports) {
        for (String line : Files.readAllLines(report, StandardCharsets.UTF_8)) {
          JsonNode json = MAPPER.readTree(line);
          if (json.path("type").asText().equals("anomaly")) {
            groups.merge(describe(json), 1, Integer::sum);
            all++;
          }
        }
      }
    }
    StringBuilder text = new StringBuilder("\n" + all + " anomalies were reported\n");
    groups.forEach((group, count) -> text.append(count).append("  ").append(group).append('\n'));
    return text.toString();
  }

  private static String describe(JsonNode anomaly) {
    List<String> lines = new ArrayList<>();
    lines.add(
        (anomaly.path("possible").asBoolean() ? "possible " : "")
            + anomaly.path("phenomenon").asText()
            + " "
            + anomaly.path("verdict").asText());
    for (JsonNode transaction : anomaly.path("transactions")) {
      lines.add("    transaction");
      for (JsonNode statement : transaction.path("statements")) {
        lines.add("      " + statement.path("sql").asText());
      }
    }
    return String.join("\n", lines);
  }
}
