package io.txwatch.endtoend;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One line of {@code txwatch.report}, read as a tool would. */
record ReportedAnomaly(JsonNode json) {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** An edge of its cycle. */
  record Edge(String from, String to, String kind, String table, long row) {}

  /** The lines of a report. */
  static List<ReportedAnomaly> readAll(Path file) throws IOException {
    List<ReportedAnomaly> anomalies = new ArrayList<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      anomalies.add(parse(line));
    }
    return anomalies;
  }

  static ReportedAnomaly parse(String line) throws IOException {
    return new ReportedAnomaly(MAPPER.readTree(line));
  }

  String phenomenon() {
    return json.path("phenomenon").asText();
  }

  String verdict() {
    return json.path("verdict").asText();
  }

  /** True if it rests on a dependency that is possible, not proven. */
  boolean possible() {
    return json.path("possible").asBoolean();
  }

  List<String> transactions() {
    List<String> ids = new ArrayList<>();
    json.path("transactions").forEach(transaction -> ids.add(transaction.path("id").asText()));
    return ids;
  }

  List<Edge> cycle() {
    List<Edge> edges = new ArrayList<>();
    json.path("cycle")
        .forEach(
            edge ->
                edges.add(
                    new Edge(
                        edge.path("from").asText(),
                        edge.path("to").asText(),
                        edge.path("kind").asText(),
                        edge.path("table").asText(),
                        edge.path("row").asLong())));
    return edges;
  }

  @Override
  public String toString() {
    return phenomenon() + " " + verdict() + " " + cycle();
  }
}
