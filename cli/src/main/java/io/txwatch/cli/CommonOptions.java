package io.txwatch.cli;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every command that finds anomalies. */
final class CommonOptions {

  @Mixin private JsonOption output = new JsonOption();

  @Option(
      names = "--fail-on",
      paramLabel = "violation|hazard|new|unknown|never",
      defaultValue = "violation",
      description =
          "what makes the exit code 1: violation, what the DBMS promises to prevent; hazard, also"
              + " what the isolation level permits; new, the same, and there must be a baseline;"
              + " unknown, violations, and for check an undecided"
              + " history, which otherwise makes it 5 (default: violation)")
  FailOn failOn = FailOn.VIOLATION;

  boolean json() {
    return output.json;
  }
}
