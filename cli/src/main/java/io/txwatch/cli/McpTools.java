package io.txwatch.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The tools of {@code mcp}. Each executes a command as it is, and answers with a part of its JSON;
 * so a tool and a command never differ. One call that executes statements runs at a time, and one
 * that reads histories.
 */
final class McpTools {

  /** What the agent's model is to know before it calls a tool. */
  static final String INSTRUCTIONS =
      "txwatch finds isolation anomalies (lost updates, write skew, dirty reads) in the transactions"
          + " of applications, and proves them by execution. Do not claim a race before a tool has"
          + " shown it, nor that a repair works before try_repair has answered removes: true. An"
          + " answer UNDECIDED, possible or SUSPECTED is no proof. Values of rows are not returned.";

  private final Path root;
  private final List<McpTool> historyTools;
  private final List<McpTool> executionTools;
  private final BoundedCalls historyCalls;
  private final BoundedCalls executionCalls;

  private McpTools(
      Path root, List<McpTool> historyTools, List<McpTool> executionTools, Duration limit) {
    this.root = root;
    this.historyTools = historyTools;
    this.executionTools = executionTools;
    this.historyCalls = new BoundedCalls(limit);
    this.executionCalls = new BoundedCalls(limit);
  }

  /**
   * The tools.
   *
   * @param root the directory whose files they may use; a real path
   * @param database the options of commands that have a database
   * @param executes whether those that execute SQL of the agent are among them
   * @param limit how long a call may take
   */
  static McpTools of(Path root, List<String> database, boolean executes, Duration limit) {
    return new McpTools(
        root,
        List.of(HistoryTools.check(), HistoryTools.list(), HistoryTools.explain()),
        executes
            ? List.of(
                ExecutionTools.predict(database),
                ExecutionTools.interleave(database),
                ExecutionTools.tryRepair(database))
            : List.of(ExecutionTools.predict(database)),
        limit);
  }

  List<Map<String, Object>> describe() {
    return Stream.of(historyTools, executionTools)
        .flatMap(List::stream)
        .map(McpTool::describe)
        .toList();
  }

  /**
   * Executes a tool.
   *
   * @return {@code text}, and {@code error}: whether the text is the reason why it could not be
   *     executed
   */
  Map<String, Object> call(String name, Map<String, Object> arguments) {
    try {
      Optional<McpTool> reading = find(historyTools, name);
      McpTool tool = reading.or(() -> find(executionTools, name)).orElseThrow();
      Object answer =
          (reading.isPresent() ? historyCalls : executionCalls)
              .execute(
                  name,
                  sessions ->
                      tool.body().execute(new McpArguments(tool, arguments, root, sessions)));
      return Map.of("text", BoundedJson.of(answer), "error", false);
    } catch (CommandException | IOException | IllegalArgumentException e) {
      return Map.of("text", Main.describe(e), "error", true);
    }
  }

  private static Optional<McpTool> find(List<McpTool> tools, String name) {
    return tools.stream().filter(one -> one.name().equals(name)).findFirst();
  }

  /**
   * Executes a command, and returns the objects that it prints.
   *
   * @param sessions where the sessions that it opens are registered
   * @throws CommandException if it ends with an error
   */
  static List<Map<String, Object>> execute(List<String> arguments, OpenSessions sessions)
      throws IOException {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Main.run(
            new PrintWriter(out), new PrintWriter(err), sessions, arguments.toArray(String[]::new));
    if (code == ExitCode.BAD_INPUT || code == ExitCode.UNREACHABLE || code == ExitCode.INTERNAL) {
      String last = err.toString().strip().replaceFirst("(?s)\\Rsee: .*", "");
      throw CommandException.badInput(last.isEmpty() ? "it failed" : last);
    }
    List<Map<String, Object>> objects = new ArrayList<>();
    JsonObject.read(new StringReader(out.toString()), one -> objects.add(one.fields()));
    return objects;
  }
}
