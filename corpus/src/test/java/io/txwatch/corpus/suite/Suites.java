package io.txwatch.corpus.suite;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Where {@code corpus/run} begins. */
@Command(
    name = "corpus/run",
    description = "The test suites of others, raw beside watched.",
    mixinStandardHelpOptions = true,
    subcommands = {LogicTestCommand.class, JUnitSuiteCommand.class})
public final class Suites {

  private Suites() {}

  /** Runs a command line and exits with its code: 1 if anything differs. */
  public static void main(String[] args) {
    System.exit(
        new CommandLine(new Suites()).setCaseInsensitiveEnumValuesAllowed(true).execute(args));
  }
}
