package io.txwatch.oracle;

import io.txwatch.testcase.Step;
import java.util.Optional;

/**
 * What an oracle says of an execution.
 *
 * @param oracle the oracle's name: {@code writecheck}
 * @param result what it says
 * @param reason why, in a sentence for people; for a violation, what differs from what
 * @param statement the statement that shows it; empty if it is the final state, or none alone
 */
public record Verdict(String oracle, Result result, String reason, Optional<Step> statement) {

  /** One that no statement alone shows. */
  public Verdict(String oracle, Result result, String reason) {
    this(oracle, result, reason, Optional.empty());
  }

  /** The text of that statement, or nothing. */
  String sql() {
    return statement.map(Step::sql).orElse("");
  }

  /** What an oracle may say. */
  public enum Result {
    /** The DBMS did what it must not. */
    VIOLATION,
    /** Nothing is wrong as far as this oracle can see. */
    CLEAN,
    /** It cannot be told. */
    UNDECIDED,
    /** The oracle does not apply to such a case. */
    UNSUPPORTED
  }
}
