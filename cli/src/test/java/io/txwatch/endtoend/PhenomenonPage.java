package io.txwatch.endtoend;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.IsolationLevel;
import io.txwatch.report.JsonReport;
import io.txwatch.report.Meaning;
import io.txwatch.report.Prevention;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.io.IOException;
import java.io.StringWriter;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The documentation of a phenomenon: what it is, an example that runs as a case, what each DBMS
 * does with it at each level by the table {@code expectations.csv}, and how to prevent it.
 */
final class PhenomenonPage {

  private static final Map<Phenomenon, String> EXAMPLES = new EnumMap<>(Phenomenon.class);

  static {
    EXAMPLES.put(Phenomenon.DIRTY_WRITE, "h01-g0-dirty-write");
    EXAMPLES.put(Phenomenon.ABORTED_READ, "h02-g1a-aborted-read");
    EXAMPLES.put(Phenomenon.INTERMEDIATE_READ, "h03-g1b-intermediate-read");
    EXAMPLES.put(Phenomenon.CIRCULAR_INFORMATION_FLOW, "h04-g1c-circular-flow");
    EXAMPLES.put(Phenomenon.LOST_UPDATE, "h08-p4-lost-update");
    EXAMPLES.put(Phenomenon.READ_WRITE_SKEW, "n03-read-write-skew");
    EXAMPLES.put(Phenomenon.READ_SKEW, "h09-gsingle-read-skew");
    EXAMPLES.put(Phenomenon.FRACTURED_READ, "n02-fractured-read");
    EXAMPLES.put(Phenomenon.NON_REPEATABLE_READ, "n01-non-repeatable-read");
    EXAMPLES.put(Phenomenon.PHANTOM, "h06-pmp-read");
    EXAMPLES.put(Phenomenon.WRITE_SKEW, "h12-g2item-write-skew");
    EXAMPLES.put(Phenomenon.LONG_FORK, "n04-long-fork");
    EXAMPLES.put(Phenomenon.G2_ITEM, "h14-g2-fekete-3tx");
    EXAMPLES.put(Phenomenon.G2, "h13-g2-predicate");
    EXAMPLES.put(Phenomenon.INTERNAL, "b23-mysql119801");
  }

  private static final String CASES = "cli/src/test/resources/scenarios/";

  private final Phenomenon phenomenon;
  private final Optional<TestCase> example;

  PhenomenonPage(Phenomenon phenomenon) throws Exception {
    this.phenomenon = phenomenon;
    String name = EXAMPLES.get(phenomenon);
    this.example = name == null ? Optional.empty() : Optional.of(Scenarios.load(name));
  }

  /** The name of its file. */
  static String fileName(Phenomenon phenomenon) {
    return phenomenon.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".md";
  }

  private static String title(Phenomenon phenomenon) {
    String term = phenomenon.term();
    return term.substring(0, 1).toUpperCase(Locale.ROOT) + term.substring(1);
  }

  /** The list of all pages. */
  static String index() {
    StringBuilder text = new StringBuilder("# Phenomena\n\n");
    text.append(
        "What txwatch reports. A page has an example, what each DBMS does with it at each level");
    text.append(
        " as the tests run it (empty: no such level of its own), and how to prevent it.\n\n");
    text.append("| name | what happens |\n|---|---|\n");
    for (Phenomenon phenomenon : Phenomenon.values()) {
      text.append("| [")
          .append(phenomenon.term())
          .append("](")
          .append(fileName(phenomenon))
          .append(")<br>`")
          .append(phenomenon.name())
          .append("` | ")
          .append(Meaning.of(phenomenon))
          .append(" |\n");
    }
    return text.toString();
  }

  /** The page as Markdown. */
  String markdown() {
    StringBuilder text = new StringBuilder();
    text.append("# ").append(title(phenomenon)).append("\n\n");
    text.append('`').append(phenomenon.name()).append("`: ");
    text.append(Meaning.of(phenomenon)).append("\n\n");
    text.append("**Definition:** ").append(phenomenon.definition()).append("\\\n");
    text.append("Source: ").append(phenomenon.source()).append("\n\n");
    example.ifPresent(testCase -> appendExample(text, testCase));
    text.append("## How to prevent it\n");
    Prevention.of(phenomenon).forEach(way -> text.append("- ").append(way).append('\n'));
    text.append("\n[All](README.md) · [From report to fix](../from-report-to-fix.md)\n");
    return text.toString();
  }

  private void appendExample(StringBuilder text, TestCase testCase) {
    text.append("## Example\n");
    testCase.setup().forEach(sql -> text.append("    ").append(plain(sql)).append('\n'));
    text.append('\n');
    List<String> sessions = testCase.sessions();
    int width = testCase.steps().stream().mapToInt(s -> plain(s.sql()).length()).max().orElse(0);
    text.append(columns(sessions, width));
    for (Step step : testCase.steps()) {
      text.append(
          columns(
              sessions.stream()
                  .map(session -> session.equals(step.session()) ? plain(step.sql()) : "")
                  .toList(),
              width));
    }
    text.append("\n    ./txwatch replay ");
    text.append(CASES).append(testCase.name()).append(".txt --url URL --isolation RC\n\n");
    text.append("## What each DBMS does with it\n");
    List<IsolationLevel> levels = IsolationLevel.known();
    text.append("| |");
    levels.forEach(level -> text.append(' ').append(level.name().replace('_', ' ')).append(" |"));
    text.append("\n|---").append("|---".repeat(levels.size())).append("|\n");
    outcomes(testCase.name())
        .forEach(
            (dbms, byLevel) -> {
              text.append("| ").append(dbms).append(" |");
              for (IsolationLevel level : levels) {
                String outcome = byLevel.getOrDefault(level, "");
                text.append(' ').append(outcome).append(outcome.isEmpty() ? "|" : " |");
              }
              text.append('\n');
            });
    text.append('\n');
  }

  /** A line of code with a column for each session. */
  private static String columns(List<String> cells, int width) {
    StringBuilder line = new StringBuilder("    ");
    cells.forEach(cell -> line.append(cell).append(" ".repeat(width + 2 - cell.length())));
    return line.toString().stripTrailing() + "\n";
  }

  /** By DBMS and level, what it does with a scenario. */
  private static Map<String, Map<IsolationLevel, String>> outcomes(String scenario) {
    Map<String, Map<IsolationLevel, String>> outcomes = new LinkedHashMap<>();
    Map<String, String> names = new LinkedHashMap<>();
    names.put("postgresql", "PostgreSQL");
    names.put("mysql", "MySQL");
    names.put("mariadb", "MariaDB");
    names.put("h2", "H2");
    names.put("sqlite", "SQLite");
    names.forEach(
        (key, name) -> {
          Map<IsolationLevel, String> byLevel = new EnumMap<>(IsolationLevel.class);
          for (List<String> cells : Scenarios.table("expectations.csv")) {
            if (cells.get(0).equals(scenario) && cells.get(1).equals(key)) {
              byLevel.put(IsolationLevel.parse(cells.get(2)).orElseThrow(), inWords(cells.get(3)));
            }
          }
          if (!byLevel.isEmpty()) {
            outcomes.put(name, byLevel);
          }
        });
    return outcomes;
  }

  /** A cell of {@link MatrixCell}. */
  private static String inWords(String cell) {
    return switch (cell.charAt(0)) {
      case 'X' -> "**occurs**";
      case 'o' -> "occurs, but a serial order explains it";
      case 'b' -> cell.endsWith("*") ? "waits; another anomaly" : "waits";
      case '-' -> cell.endsWith("*") ? "another anomaly" : "prevented";
      case 'D' -> "deadlock, one is aborted";
      default -> "one is aborted";
    };
  }

  private static String plain(String sql) {
    return sql.replace(" {ENGINE}", "").replace("{FU}", "FOR UPDATE");
  }

  /** What the page for browsers shows of all phenomena: the examples, and what each DBMS does. */
  static String json() throws Exception {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.useDefaultPrettyPrinter();
      json.writeStartObject();
      for (Phenomenon phenomenon : Phenomenon.values()) {
        Optional<TestCase> example = new PhenomenonPage(phenomenon).example;
        if (example.isPresent()) {
          json.writeFieldName(phenomenon.name());
          write(json, example.get());
        }
      }
      json.writeEndObject();
    }
    return out + "\n";
  }

  private static void write(JsonGenerator json, TestCase example) throws IOException {
    json.writeStartObject();
    json.writeArrayFieldStart("setup");
    for (String sql : example.setup()) {
      json.writeString(plain(sql));
    }
    json.writeEndArray();
    json.writeArrayFieldStart("steps");
    for (Step step : example.steps()) {
      json.writeStartArray();
      json.writeString(step.session());
      json.writeString(plain(step.sql()));
      json.writeEndArray();
    }
    json.writeEndArray();
    json.writeObjectFieldStart("outcomes");
    for (var dbms : outcomes(example.name()).entrySet()) {
      json.writeObjectFieldStart(dbms.getKey());
      for (var outcome : dbms.getValue().entrySet()) {
        json.writeStringField(
            outcome.getKey().name().replace('_', ' '), outcome.getValue().replace("*", ""));
      }
      json.writeEndObject();
    }
    json.writeEndObject();
    json.writeEndObject();
  }
}
