package io.txwatch.cli;

import io.txwatch.dbms.Dbms;
import io.txwatch.schedule.CaseInterleaver;
import picocli.CommandLine.Option;

/** The options that bound the orders that are executed. */
final class InterleavingBounds {

  private static final String PREEMPTIONS = "--preemptions";
  private static final String EXECUTIONS = "--executions";

  @Option(
      names = PREEMPTIONS,
      paramLabel = "N",
      defaultValue = "3",
      description =
          "how often a session may have to stop although it could go on (default: ${DEFAULT-VALUE})")
  private int preemptions;

  @Option(
      names = EXECUTIONS,
      paramLabel = "N",
      defaultValue = "1000",
      description =
          "how many orders are executed at most; a case with more is undecided"
              + " (default: ${DEFAULT-VALUE})")
  private int executions;

  /**
   * Requires values that leave something to execute.
   *
   * @throws CommandException if they do not
   */
  void require() {
    if (preemptions < 0) {
      throw CommandException.badInput(PREEMPTIONS + ": expected 0 or more, not " + preemptions);
    }
    if (executions < 1) {
      throw CommandException.badInput(EXECUTIONS + ": expected 1 or more, not " + executions);
    }
  }

  CaseInterleaver interleaver(Dbms dbms) {
    return new CaseInterleaver(dbms, preemptions, executions);
  }

  /** Both of them, for reports. */
  String text() {
    return "at most " + preemptions + " preemptions, " + executions + " orders";
  }
}
