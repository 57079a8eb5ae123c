package io.txwatch.interleave.provoke;

import io.txwatch.history.CallSite;

/**
 * A statement of an application, whatever its values.
 *
 * @param shape its text, with one value for all literals of a kind
 * @param line the line that executes it; empty if unknown, which matches every line
 */
record StatementPlace(String shape, String line) {

  static StatementPlace of(String shape, String callSite) {
    return new StatementPlace(shape, CallSite.place(callSite));
  }

  boolean matches(StatementPlace other) {
    return shape.equals(other.shape)
        && (line.isEmpty() || other.line.isEmpty() || line.equals(other.line));
  }
}
