package io.txwatch.bench;

import io.txwatch.bench.analysis.AdverseSoakCommand;
import io.txwatch.bench.analysis.CheckSpeedCommand;
import io.txwatch.bench.analysis.LiveCommand;
import io.txwatch.bench.analysis.SoakCommand;
import io.txwatch.bench.analysis.TcpCommand;
import io.txwatch.bench.fuzz.FuzzSpeedCommand;
import io.txwatch.bench.jmh.JmhCommand;
import io.txwatch.bench.nested.NestedSoakCommand;
import io.txwatch.bench.overhead.AnomaliesCommand;
import io.txwatch.bench.overhead.OverheadCommand;
import io.txwatch.bench.overhead.PredictedRacesCommand;
import io.txwatch.bench.overhead.StatementsCommand;
import io.txwatch.bench.prepare.PrepareLatencyCommand;
import io.txwatch.bench.scale.ConnectionsCommand;
import io.txwatch.bench.scale.StreamCommand;
import io.txwatch.bench.scale.TextsCommand;
import io.txwatch.bench.startup.StartupCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of {@code bench/run}. */
@Command(
    name = "bench/run",
    description = "Measures the overhead of watching and the speed of the analysis.",
    mixinStandardHelpOptions = true,
    subcommands = {
      OverheadCommand.class,
      StatementsCommand.class,
      TextsCommand.class,
      StreamCommand.class,
      ConnectionsCommand.class,
      AnomaliesCommand.class,
      PredictedRacesCommand.class,
      JmhCommand.class,
      StartupCommand.class,
      CheckSpeedCommand.class,
      LiveCommand.class,
      TcpCommand.class,
      SoakCommand.class,
      AdverseSoakCommand.class,
      NestedSoakCommand.class,
      FuzzSpeedCommand.class,
      PrepareLatencyCommand.class
    })
public final class Bench {

  private Bench() {}

  /** Runs a command line and exits with its code. */
  public static void main(String[] args) {
    System.setProperty("logback.configurationFile", "bench-logback.xml");
    System.exit(commandLine().execute(args));
  }

  /** The command line with its subcommands. */
  public static CommandLine commandLine() {
    return new CommandLine(new Bench())
        .setExecutionExceptionHandler(
            (exception, command, parsed) -> {
              if (exception instanceof UnusableOptionException) {
                command.getErr().println("bench/run: " + exception.getMessage());
                return CommandLine.ExitCode.USAGE;
              }
              throw exception;
            });
  }
}
