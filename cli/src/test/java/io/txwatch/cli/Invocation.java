package io.txwatch.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * A command line that was run in this JVM.
 *
 * @param code its exit code
 * @param out what it wrote to standard output
 * @param err what it wrote to standard error
 */
record Invocation(int code, String out, String err) {

  static Invocation of(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code = Main.run(new PrintWriter(out), new PrintWriter(err), args);
    return new Invocation(code, out.toString(), err.toString());
  }
}
