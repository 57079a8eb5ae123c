package io.txwatch.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The tools of {@code mcp}. Each executes a command as it is, and answers with a part of its JSON;
 * so a tool and a command never differ. One call runs at a time.
 */
final class McpTools {

  /** What the agent's model is to know before it calls a tool. */
  static final String INSTRUCTIONS =
      "txwatch finds isolation anomalies (lost updates, write skew, dirty reads) in the transactions"
          + " of applications, and proves them by execution. Do not claim a race before a tool has"
          + " shown it, nor that a repair works before try_repair has answered removes: true. An"
          + " answer UNDECIDED, possible or SUSPECTED is no proof. Values of rows are not returned.";

  private final Path root;
  private final List<McpTool> tools;

  private McpTools(Path root, List<McpTool> tools) {
    this.root = root;
    this.tools = tools;
  }

  /**
   * The tools.
   *
   * @param root the directory whose files they may use; a real path
   * @param database the options of commands that have a database
   * @param executes whether those that execute SQL of the agent are among them
   */
  static McpTools of(Path root, List<String> database, boolean executes) {
    Stream<McpTool> tools =
        Stream.concat(
            Stream.of(
                HistoryTools.check(),
                HistoryTools.list(),
                HistoryTools.explain(),
                ExecutionTools.predict(database)),
            executes
                ? Stream.of(ExecutionTools.interleave(database), ExecutionTools.tryRepair(database))
                : Stream.of());
    return new McpTools(root, tools.toList());
  }

  List<Map<String, Object>> describe() {
    return tools.stream().map(McpTool::describe).toList();
  }

  /**
   * Executes a tool.
   *
   * @return {@code text}, and {@code error}: whether the text is the reason why it could not be
   *     executed
   */
  synchronized Map<String, Object> call(String name, Map<String, Object> arguments) {
    try {
      McpTool tool =
          tools.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
      Object answer = tool.body().execute(new McpArguments(tool, arguments, root));
      return Map.of("text", BoundedJson.of(answer), "error", false);
    } catch (CommandException | IOException | IllegalArgumentException e) {
      return Map.of("text", Main.describe(e), "error", true);
    }
  }

  /**
   * Executes a command, and returns the objects that it prints.
   *
   * @throws CommandException if it ends with an error
   */
  static List<Map<String, Object>> execute(List<String> arguments) throws IOException {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Main.run(new PrintWriter(out), new PrintWriter(err), arguments.toArray(String[]::new));
    if (code == ExitCode.BAD_INPUT || code == ExitCode.UNREACHABLE || code == ExitCode.INTERNAL) {
      String last = err.toString().strip().replaceFirst("(?s)\\Rsee: .*", "");
      throw CommandException.badInput(last.isEmpty() ? "it failed" : last);
    }
    List<Map<String, Object>> objects = new ArrayList<>();
    JsonObject.read(new StringReader(out.toString()), one -> objects.add(one.fields()));
    return objects;
  }
}
