package io.txwatch.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Where a command says things.
 *
 * @param out standard output: what was asked for
 * @param err standard error: progress and complaints
 */
record Console(PrintWriter out, PrintWriter err) {

  /** The console of a command. */
  static Console of(CommandSpec spec) {
    return new Console(spec.commandLine().getOut(), spec.commandLine().getErr());
  }

  /** A line of progress or complaint. */
  void note(String line) {
    err.println(line);
    err.flush();
  }

  /** For people: standard output, or standard error if that belongs to machines. */
  PrintWriter people(boolean json) {
    return json ? err : out;
  }
}
