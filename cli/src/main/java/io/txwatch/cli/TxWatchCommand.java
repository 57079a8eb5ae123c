package io.txwatch.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code txwatch} without a command: prints the usage error. */
@Command(
    name = "txwatch",
    synopsisSubcommandLabel = "COMMAND",
    description = {
      "Detects isolation anomalies in the transactions of applications and DBMSs:",
      "lost updates, read skew, write skew, with their rows and the lines of code.",
      ""
    },
    subcommands = {
      DemoCommand.class,
      AttachCommand.class,
      ServeCommand.class,
      CheckCommand.class,
      ReportCommand.class,
      ExportCommand.class,
      PrepareCommand.class,
      UnprepareCommand.class,
      FuzzCommand.class,
      ReplayCommand.class,
      InterleaveCommand.class,
      PredictCommand.class,
      BaselineCommand.class,
      DiffCommand.class,
      McpCommand.class
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "To watch your own application, use one of:",
      "  java -javaagent:txwatch.jar=report=anomalies.jsonl -jar your-app.jar",
      "  jdbc:txwatch:postgresql://localhost/shop     in place of jdbc:postgresql://localhost/shop",
      "",
      "Exit codes: 0 clean; 1 anomalies at or above --fail-on; 2 bad usage or input;",
      "3 DBMS unreachable; 4 internal error; 5 undecided (check, fuzz, interleave, predict).",
      ""
    })
final class TxWatchCommand implements Runnable {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "missing command, expected one of demo, attach, serve, check, report, export, prepare, unprepare,"
            + " fuzz, replay, interleave, predict, baseline, diff, mcp");
  }

  /** Reads the version that the build recorded. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
      Properties properties = new Properties();
      try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
        properties.load(in);
      }
      return new String[] {"txwatch " + properties.getProperty("version")};
    }
  }
}
