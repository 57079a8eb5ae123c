package io.txwatch.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The output streams of a command.
 *
 * @param out standard output: results
 * @param err standard error: progress and warnings
 */
record Console(PrintWriter out, PrintWriter err) {

  /** A text from a DBMS, without characters that a terminal interprets. */
  static String printable(String text) {
    return text.replaceAll("[\\p{Cntrl}&&[^\\n]]", "\uFFFD");
  }

  static Console of(CommandSpec spec) {
    return new Console(spec.commandLine().getOut(), spec.commandLine().getErr());
  }

  /** Prints a line of progress, or a warning. */
  void note(String line) {
    clearProgress();
    err.println(line);
    err.flush();
  }

  /** Removes the line of progress that may be shown; it appears again. */
  void clearProgress() {
    if (Terminal.showsProgress()) {
      err.print(Progress.CLEAR);
      err.flush();
    }
  }

  /** The stream for text: standard error if standard output contains JSON. */
  PrintWriter textOut(boolean json) {
    return json ? err : out;
  }
}
