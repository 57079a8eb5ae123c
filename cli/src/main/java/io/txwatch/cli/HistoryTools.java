package io.txwatch.cli;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.cli.McpTool.Parameter;
import io.txwatch.cli.McpTool.Type;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The tools of {@code mcp} that read histories. */
final class HistoryTools {

  private static final int MAX_LISTED = 100;

  private static final Parameter FILE =
      Parameter.required(
          "file",
          Type.TEXT,
          "the path of a history, which the agent of txwatch recorded by"
              + " -javaagent:txwatch.jar=history=FILE");

  private static final Parameter JUDGE_BY =
      Parameter.optional(
          "judge_by",
          Type.TEXT,
          "dbms: by the documentation of the DBMS (default); adya: by Adya's definitions");

  private HistoryTools() {}

  static McpTool check() {
    return new McpTool(
        "check_history",
        "Checks a recorded history. Returns how many transactions and anomalies it contains, of"
            + " which kinds, whether the DBMS broke its level (valid), and what was not observed"
            + " (coverage). If valid is \"unknown\", reason states why.",
        List.of(FILE, JUDGE_BY),
        arguments -> {
          Map<String, Object> checked = checked(arguments);
          Map<String, Object> answer = without(checked, "anomalies", "file", "losses");
          answer.put("kinds", anomalies(checked).stream().map(HistoryTools::summary).toList());
          return answer;
        });
  }

  static McpTool list() {
    return new McpTool(
        "list_anomalies",
        "Lists the kinds of anomalies of a recorded history, the most frequent first: id,"
            + " phenomenon, verdict, count, tables, lines of code. VIOLATION: the DBMS broke what it"
            + " promises. HAZARD: the isolation level permits it, the application is exposed."
            + " accepted: the team's baseline has it.",
        List.of(
            FILE,
            JUDGE_BY,
            Parameter.optional("phenomenon", Type.TEXT, "only of this, such as LOST_UPDATE"),
            Parameter.optional("table", Type.TEXT, "only on this table"),
            Parameter.optional("offset", Type.NUMBER, "how many to leave out (default: 0)"),
            Parameter.optional(
                "limit",
                Type.NUMBER,
                "how many to list (default: 20; at most " + MAX_LISTED + ")")),
        HistoryTools::listed);
  }

  static McpTool explain() {
    return new McpTool(
        "explain_anomaly",
        "Explains an anomaly of a recorded history: the transactions with their statements and lines"
            + " of code, the rows and dependencies that form the cycle, an order of the statements"
            + " that shows it, and what prevents it.",
        List.of(
            FILE,
            Parameter.required("id", Type.TEXT, "the id that list_anomalies returns"),
            JUDGE_BY),
        HistoryTools::explained);
  }

  private static Map<String, Object> checked(McpArguments arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("check", "--json", "--fail-on=never"));
    arguments.optionalText("judge_by").ifPresent(by -> command.add("--judge-by=" + by));
    command.add(arguments.file("file").toString());
    return McpTools.execute(command, arguments.sessions()).get(0);
  }

  private static Object listed(McpArguments arguments) throws IOException {
    int offset = Math.max(0, arguments.number("offset", 0));
    int limit = Math.max(1, Math.min(MAX_LISTED, arguments.number("limit", 20)));
    String phenomenon = arguments.optionalText("phenomenon").map(HistoryTools::known).orElse("");
    String table = arguments.optionalText("table").orElse("");
    List<Map<String, Object>> all =
        anomalies(checked(arguments)).stream()
            .filter(one -> phenomenon.isEmpty() || phenomenon.equals(one.get("phenomenon")))
            .filter(one -> table.isEmpty() || tables(one).contains(table))
            .toList();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("kinds", all.size());
    answer.put(
        "anomalies", all.stream().skip(offset).limit(limit).map(HistoryTools::summary).toList());
    int after = all.size() - Math.min(all.size(), offset + limit);
    if (after > 0) {
      answer.put("more", after);
    }
    return answer;
  }

  private static Object explained(McpArguments arguments) throws IOException {
    String id = arguments.text("id");
    Map<String, Object> found =
        anomalies(checked(arguments)).stream()
            .filter(one -> id.equals(one.get("fingerprint")))
            .findFirst()
            .orElseThrow(
                () ->
                    CommandException.badInput(
                        "id: the history contains no anomaly "
                            + id
                            + "; list_anomalies returns the ids"));
    Phenomenon phenomenon = Phenomenon.valueOf(String.valueOf(found.get("phenomenon")));
    Map<String, Object> answer = without(found, "type", "id", "elle", "fingerprint");
    answer.put("definition", phenomenon.definition() + " (" + phenomenon.source() + ")");
    return answer;
  }

  /** What identifies an anomaly and where it lies. */
  private static Map<String, Object> summary(Map<String, Object> anomaly) {
    Map<String, Object> summary = new LinkedHashMap<>();
    summary.put("id", anomaly.get("fingerprint"));
    for (String field :
        List.of(
            "phenomenon", "verdict", "confidence", "possible", "isolation", "count", "accepted")) {
      if (anomaly.get(field) != null) {
        summary.put(field, anomaly.get(field));
      }
    }
    summary.put("tables", List.copyOf(tables(anomaly)));
    Set<String> operations = new LinkedHashSet<>();
    Set<String> lines = new LinkedHashSet<>();
    objects(anomaly, "transactions")
        .forEach(
            transaction -> {
              add(operations, transaction.get("name"));
              objects(transaction, "statements").forEach(one -> add(lines, one.get("callSite")));
            });
    summary.put("operations", List.copyOf(operations));
    summary.put("callSites", List.copyOf(lines));
    summary.put("title", anomaly.get("title"));
    return summary;
  }

  private static void add(Set<String> texts, @Nullable Object text) {
    if (text instanceof String one && !one.isEmpty()) {
      texts.add(one);
    }
  }

  private static Set<String> tables(Map<String, Object> anomaly) {
    Set<String> tables = new LinkedHashSet<>();
    objects(anomaly, "cycle").forEach(edge -> add(tables, edge.get("table")));
    return tables;
  }

  private static String known(String phenomenon) {
    List<String> names = Stream.of(Phenomenon.values()).map(Enum::name).toList();
    if (!names.contains(phenomenon)) {
      throw CommandException.badInput(
          "phenomenon: expected one of " + String.join(", ", names) + ", not " + phenomenon);
    }
    return phenomenon;
  }

  private static List<Map<String, Object>> anomalies(Map<String, Object> checked) {
    return objects(checked, "anomalies").toList();
  }

  @SuppressWarnings("unchecked")
  private static Stream<Map<String, Object>> objects(Map<String, Object> of, String field) {
    return of.get(field) instanceof List<?> list
        ? list.stream().map(one -> (Map<String, Object>) one)
        : Stream.of();
  }

  private static Map<String, Object> without(Map<String, Object> object, String... fields) {
    Map<String, Object> rest = new LinkedHashMap<>(object);
    rest.keySet().removeAll(Set.of(fields));
    return rest;
  }
}
