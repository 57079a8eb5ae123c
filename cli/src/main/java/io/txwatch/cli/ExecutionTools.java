package io.txwatch.cli;

import io.txwatch.cli.McpTool.Parameter;
import io.txwatch.cli.McpTool.Type;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The tools of {@code mcp} that execute statements on the database of {@code --url}. */
final class ExecutionTools {

  /** A line of a case: who executes what. */
  private static final Pattern LINE = Pattern.compile("((?:I|F|T\\d+)(?:@\\w+)?:\\s*)(.*)");

  private static final Pattern LITERAL =
      Pattern.compile("'(?:[^']|'')*+'|(?<![\\w$])\\d+(?:\\.\\d+)?");

  private static final Parameter ISOLATION =
      Parameter.optional(
          "isolation",
          Type.TEXT,
          "the level: RU, RC, RR, SI or SER (needed unless the case states one)");

  private static final List<Parameter> CASE =
      List.of(
          Parameter.optional(
              "case",
              Type.TEXT,
              "the path of a case, as predict writes it; or setup and operations"),
          Parameter.optional("setup", Type.TEXTS, "statements that make the tables and their rows"),
          Parameter.optional(
              "operations",
              Type.LISTS_OF_TEXTS,
              "two to five operations of the application, each the list of its SQL statements; an"
                  + " operation without BEGIN is one transaction"),
          Parameter.optional("final", Type.TEXTS, "queries whose results are compared at the end"));

  private ExecutionTools() {}

  static McpTool predict(List<String> database) {
    return new McpTool(
        "predict",
        "Derives from a history of one client (recorded with predict=on) which operations could"
            + " race, executes them in every order, and returns the races that were shown"
            + " (CONFIRMED), with the order and the repairs that removed them when executed.",
        List.of(
            Parameter.required("file", Type.TEXT, "the path of the history"),
            Parameter.optional(
                "isolation", Type.TEXT, "the levels, such as RC,RR (default: those observed)"),
            Parameter.optional(
                "out",
                Type.TEXT,
                "a directory for a case of each race, which interleave and try_repair take; the"
                    + " cases contain values of rows")),
        arguments -> {
          List<String> command = new ArrayList<>(List.of("predict", "--json"));
          arguments.optionalText("isolation").ifPresent(one -> command.add("--isolation=" + one));
          if (arguments.has("out")) {
            command.add("--out=" + arguments.directory("out"));
          }
          command.addAll(database);
          command.add(arguments.file("file").toString());
          return predicted(McpTools.execute(command, arguments.sessions()));
        });
  }

  static McpTool interleave(List<String> database) {
    return new McpTool(
        "interleave",
        "Executes two to five operations under every order of their statements on the real DBMS, in"
            + " a schema of its own. RACE: an order gives results or rows that no order of whole"
            + " operations gives, and schedule is that order. SAFE: none does. UNDECIDED: reason"
            + " states why.",
        parameters(),
        arguments ->
            interleaved(
                text(arguments),
                arguments.optionalText("isolation").orElse(""),
                arguments.has("case"),
                database,
                arguments.sessions()));
  }

  static McpTool tryRepair(List<String> database) {
    List<Parameter> parameters = new ArrayList<>(parameters());
    parameters.add(
        Parameter.optional(
            "replace",
            Type.OBJECTS,
            "statements that the repair changes: objects with \"statement\", the SQL as it stands in"
                + " the case, and \"with\", the SQL that replaces it, such as a locking read"));
    parameters.add(
        Parameter.optional(
            "more_setup",
            Type.TEXTS,
            "statements that the repair adds to the setup, as a constraint"));
    parameters.add(
        Parameter.optional(
            "repaired_isolation", Type.TEXT, "the level that the repair changes to"));
    return new McpTool(
        "try_repair",
        "Executes operations in every order without and with a repair. removes is true if they race"
            + " without it, and are SAFE with it.",
        parameters,
        arguments -> repaired(arguments, database));
  }

  private static List<Parameter> parameters() {
    List<Parameter> parameters = new ArrayList<>(CASE);
    parameters.add(ISOLATION);
    return parameters;
  }

  /** What may be shown of races: no values of rows. */
  private static Object predicted(List<Map<String, Object>> objects) {
    List<Object> races = new ArrayList<>();
    Map<String, Object> answer = new LinkedHashMap<>();
    for (Map<String, Object> one : objects) {
      if ("prediction".equals(one.get("type"))) {
        if ("CONFIRMED".equals(one.get("result")) && one.get("sameOrderAs") == null) {
          Map<String, Object> race = new LinkedHashMap<>(one);
          race.keySet()
              .removeAll(Set.of("type", "schedule", "assumptions", "reason", "executions"));
          races.add(race);
        }
      } else if ("predict".equals(one.get("type"))) {
        answer.putAll(one);
        answer.remove("type");
      }
    }
    answer.put("races", races);
    return answer;
  }

  /**
   * Executes a case in every order.
   *
   * @param isOfFile whether it may contain values of rows that the agent has not sent
   */
  private static Map<String, Object> interleaved(
      String text, String isolation, boolean isOfFile, List<String> database, OpenSessions sessions)
      throws IOException {
    Path file = Files.createTempFile("operations", ".txt");
    try {
      Files.writeString(file, text);
      List<String> command = new ArrayList<>(List.of("interleave", "--json"));
      if (!isolation.isEmpty()) {
        command.add("--isolation=" + isolation);
      }
      command.addAll(database);
      command.add(file.toString());
      Map<String, Object> answer = new LinkedHashMap<>(McpTools.execute(command, sessions).get(0));
      answer.keySet().removeAll(Set.of("type", "case"));
      return isOfFile ? withoutValues(answer) : answer;
    } catch (CommandException e) {
      throw CommandException.badInput(
          String.valueOf(e.getMessage()).replace(file.toString(), "the case"));
    } finally {
      Files.delete(file);
    }
  }

  /** An answer without literals, and without the rows that its reason quotes. */
  private static Map<String, Object> withoutValues(Map<String, Object> answer) {
    Map<String, Object> redacted = new LinkedHashMap<>(answer);
    redacted.replaceAll(
        (name, value) ->
            value instanceof List<?> lines
                ? lines.stream().map(line -> withoutValues(String.valueOf(line))).toList()
                : name.equals("reason") ? withoutValues(String.valueOf(value)) : value);
    return redacted;
  }

  private static String withoutValues(String text) {
    String before = text.replaceFirst("(?s)\\s*[{\\[(].*[}\\])]", " …");
    return LITERAL.matcher(text.matches("(?s)T\\d+: .*") ? text : before).replaceAll("?");
  }

  private static Object repaired(McpArguments arguments, List<String> database) throws IOException {
    String before = text(arguments);
    String after = before;
    for (Map.Entry<String, String> one : arguments.pairs("replace", "statement", "with")) {
      after = replaced(after, one.getKey(), one.getValue());
    }
    after = withSetup(after, arguments.texts("more_setup"));
    String level = arguments.optionalText("isolation").orElse("");
    String repairedLevel = arguments.optionalText("repaired_isolation").orElse(level);
    if (after.equals(before) && repairedLevel.equals(level)) {
      throw CommandException.badInput(
          "expected a repair: replace, more_setup or repaired_isolation");
    }
    boolean isOfFile = arguments.has("case");
    Map<String, Object> answer = new LinkedHashMap<>();
    Map<String, Object> without =
        interleaved(before, level, isOfFile, database, arguments.sessions());
    Map<String, Object> with =
        interleaved(after, repairedLevel, isOfFile, database, arguments.sessions());
    answer.put(
        "removes", "RACE".equals(without.get("result")) && "SAFE".equals(with.get("result")));
    answer.put("without", without);
    answer.put("with", with);
    return answer;
  }

  /** The case of a file, or one made of statements. */
  private static String text(McpArguments arguments) throws IOException {
    if (arguments.has("case") == arguments.has("operations")) {
      throw CommandException.badInput("expected either case, or setup and operations");
    }
    if (arguments.has("case")) {
      return Files.readString(arguments.file("case"));
    }
    StringBuilder text = new StringBuilder();
    arguments.texts("setup").forEach(sql -> line(text, "I", sql));
    int number = 0;
    for (List<String> operation : arguments.lists("operations")) {
      number++;
      for (String sql : operation) {
        line(text, "T" + number, sql);
      }
    }
    arguments.texts("final").forEach(sql -> line(text, "F", sql));
    return text.toString();
  }

  private static void line(StringBuilder text, String who, String sql) {
    text.append(who).append(": ").append(oneLine(sql)).append('\n');
  }

  /** A case has one statement on each line. */
  private static String oneLine(String sql) {
    String line = sql.strip().replaceAll("\\s*\\R\\s*", " ");
    if (line.isEmpty() || sql.strip().contains("\n") && sql.contains("--")) {
      throw CommandException.badInput(
          line.isEmpty()
              ? "a statement is empty"
              : "a statement of several lines must not contain comments: " + line);
    }
    return line;
  }

  private static String replaced(String text, String statement, String with) {
    String wanted = comparable(statement);
    boolean isFound = false;
    StringBuilder out = new StringBuilder();
    for (String line : text.lines().toList()) {
      Matcher matcher = LINE.matcher(line);
      boolean isIt =
          matcher.matches() && line.startsWith("T") && comparable(matcher.group(2)).equals(wanted);
      isFound |= isIt;
      out.append(isIt ? matcher.group(1) + oneLine(with) : line).append('\n');
    }
    if (!isFound) {
      throw CommandException.badInput(
          "replace: no operation has the statement \""
              + statement
              + "\"; they have: "
              + text.lines()
                  .filter(line -> line.startsWith("T"))
                  .map(line -> LINE.matcher(line).replaceFirst("$2"))
                  .distinct()
                  .collect(Collectors.joining("; ")));
    }
    return out.toString();
  }

  private static String comparable(String sql) {
    return sql.strip().replaceAll(";$", "").replaceAll("\\s+", " ");
  }

  private static String withSetup(String text, List<String> more) {
    if (more.isEmpty()) {
      return text;
    }
    List<String> lines = new ArrayList<>(text.lines().toList());
    int last = -1;
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("I")) {
        last = i;
      }
    }
    lines.addAll(last + 1, more.stream().map(sql -> "I: " + oneLine(sql)).toList());
    return String.join("\n", lines) + "\n";
  }
}
