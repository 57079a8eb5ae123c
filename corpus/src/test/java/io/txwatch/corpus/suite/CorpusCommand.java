package io.txwatch.corpus.suite;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code corpus/run}. */
@Command(
    name = "corpus/run",
    description = "Runs the test suites of other projects raw and watched.",
    mixinStandardHelpOptions = true,
    subcommands = {
      SqlLogicTestCommand.class,
      PostgresRegressCommand.class,
      JUnitSuiteCommand.class,
      ProgramCommand.class,
      SentScriptsCommand.class
    })
public final class CorpusCommand {

  private CorpusCommand() {}

  /** Runs a command line and exits with its code: 1 if anything differs. */
  public static void main(String[] args) {
    System.exit(
        new CommandLine(new CorpusCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(args));
  }
}
