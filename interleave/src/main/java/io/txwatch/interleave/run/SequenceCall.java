package io.txwatch.interleave.run;

import io.txwatch.jdbc.gate.GatedCall;
import java.util.regex.Pattern;

/**
 * Calls that do nothing but draw the next value of a sequence. They are no steps of an order: they
 * touch no row, are not undone by a rollback, and never wait for another transaction. A library
 * that draws fifty keys at once makes one in some executions alone.
 */
final class SequenceCall {

  private static final Pattern TEXT =
      Pattern.compile(
          "\\s*(?:SELECT|CALL|VALUES)\\s+"
              + "(?:NEXT\\s+VALUE\\s+FOR\\s+[\\w.\"`$]+|NEXTVAL\\s*\\(\\s*[\\w.\"`$'?]+\\s*\\))"
              + "\\s*;?\\s*",
          Pattern.CASE_INSENSITIVE);

  private SequenceCall() {}

  static boolean is(GatedCall call) {
    return call.type() == GatedCall.Type.STATEMENT
        && !call.statements().isEmpty()
        && call.statements().stream().allMatch(one -> TEXT.matcher(one.sql()).matches());
  }
}
