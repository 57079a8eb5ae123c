package io.txwatch.cli;

import picocli.CommandLine.Option;

/** The options that every command that finds anomalies takes. */
final class CommonOptions {

  @Option(
      names = "--json",
      description = "write JSON to standard output, and what is for people to standard error")
  boolean json;

  @Option(
      names = "--fail-on",
      paramLabel = "violation|hazard|never",
      defaultValue = "violation",
      description = "which anomalies make the exit code 1 (default: violation)")
  FailOn failOn = FailOn.VIOLATION;
}
