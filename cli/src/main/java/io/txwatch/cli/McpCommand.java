package io.txwatch.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code mcp}: offers the commands to coding agents, by the Model Context Protocol. */
@Command(
    name = "mcp",
    description = {
      "Offers tools of the Model Context Protocol (MCP) to a coding agent.",
      "It starts this command and talks to it over its standard input and output.",
      "Tools: check_history, list_anomalies, explain_anomaly, predict; and, with --url, interleave",
      "and try_repair, which execute the SQL that the agent sends in schemas of their own, with all",
      "privileges of the user. Answers are bounded, and contain no values of rows."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples of what an agent's settings start:",
      "  txwatch mcp --root .",
      "  txwatch mcp --root . --url jdbc:postgresql://localhost/test --user test",
      "",
      "docs/agents.md has a text for agents, and an example of a conversation.",
      "It ends when its standard input ends.",
      ""
    })
final class McpCommand implements Callable<Integer> {

  /** In the jar, the protocol's SDK and what uses it. */
  private static final String NESTED = "mcp";

  static final String CALL_TIMEOUT = "--call-timeout";

  private static final String SERVER = "io.txwatch.mcp.StdioServer";

  @Option(
      names = "--root",
      paramLabel = "DIR",
      description =
          "the directory that tools may read histories and cases from, and write cases to"
              + " (default: the working directory)")
  private Path root = Path.of("");

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "the database that predict, interleave and try_repair execute statements on")
  private String url = "";

  @Option(
      names = "--allow-any-database",
      description = "also use a database with tables, or one that does not look like one for tests")
  private boolean allowAnyDatabase;

  @Option(
      names = CALL_TIMEOUT,
      paramLabel = "SECONDS",
      defaultValue = "120",
      description =
          "how long a call of a tool may take; then it is cancelled, and answered with an error"
              + " (default: ${DEFAULT-VALUE})")
  private int callTimeout;

  @Mixin private DatabaseOptions database = new DatabaseOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (!Files.isDirectory(root)) {
      throw CommandException.badInput("--root: " + root + " is not a directory");
    }
    if (callTimeout < 1) {
      throw CommandException.badInput(CALL_TIMEOUT + ": expected 1 or more, not " + callTimeout);
    }
    if (!url.isEmpty()) {
      requireDatabase(Drivers.unwatched(url));
    }
    McpTools tools =
        McpTools.of(
            root.toRealPath(),
            databaseArguments(),
            !url.isEmpty(),
            Duration.ofSeconds(callTimeout));
    // What a driver prints must not come between the messages of the protocol.
    System.setOut(System.err);
    // The SDK logs to SLF4J, without which it warns.
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    serve(tools, new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
    return ExitCode.CLEAN;
  }

  private void requireDatabase(String real) {
    CaseInput.requireNamedDatabase(real);
    try {
      Drivers.connect(real, database).close();
    } catch (SQLException e) {
      throw CommandException.unreachable(
          Drivers.shown(real) + ": " + ConnectFailure.message(real, e));
    }
  }

  /** The options of a command that has a database. */
  private List<String> databaseArguments() {
    List<String> arguments = new ArrayList<>();
    if (!url.isEmpty()) {
      arguments.add("--url=" + url);
    }
    if (database.user != null) {
      arguments.add("--user=" + database.user);
    }
    if (database.password != null) {
      arguments.add("--password=" + database.password);
    }
    for (Path jar : database.driverPath) {
      arguments.add("--driver-path=" + jar);
    }
    if (allowAnyDatabase) {
      arguments.add("--allow-any-database");
    }
    return arguments;
  }

  private void serve(McpTools tools, InputStream in, OutputStream out)
      throws IOException, InterruptedException {
    List<Map<String, Object>> offered = tools.describe();
    BiFunction<String, Map<String, Object>, Map<String, Object>> call = tools::call;
    try {
      server()
          .getMethod(
              "serve",
              String.class,
              String.class,
              List.class,
              BiFunction.class,
              InputStream.class,
              OutputStream.class)
          .invoke(
              null,
              new TxWatchCommand.Version().getVersion()[0].replace("txwatch ", ""),
              McpTools.INSTRUCTIONS,
              offered,
              call,
              in,
              out);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the jar has no server for MCP", e);
    }
  }

  private static Class<?> server() throws IOException, ClassNotFoundException {
    List<Path> jars = NestedJars.unpack(NESTED, name -> true);
    if (jars.isEmpty()) {
      return Class.forName(SERVER);
    }
    List<URL> urls = new ArrayList<>();
    for (Path jar : jars) {
      urls.add(jar.toUri().toURL());
    }
    @SuppressWarnings("resource") // open until the JVM ends, as the class is
    ClassLoader loader =
        new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    Thread.currentThread().setContextClassLoader(loader);
    return Class.forName(SERVER, true, loader);
  }
}
