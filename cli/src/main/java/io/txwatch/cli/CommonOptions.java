package io.txwatch.cli;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every command that finds anomalies. */
final class CommonOptions {

  @Mixin private JsonOption output = new JsonOption();

  @Option(
      names = "--fail-on",
      paramLabel = "violation|hazard|never",
      defaultValue = "violation",
      description =
          "which anomalies make the exit code 1: violation, what the DBMS promises to prevent; hazard,"
              + " also what the isolation level permits (default: violation)")
  FailOn failOn = FailOn.VIOLATION;

  boolean json() {
    return output.json;
  }
}
