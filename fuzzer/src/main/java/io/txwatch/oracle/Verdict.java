package io.txwatch.oracle;

/**
 * What an oracle says of an execution.
 *
 * @param oracle the oracle's name: {@code writecheck}
 * @param result what it says
 * @param reason why, in a sentence for people; for a violation, what differs from what
 */
public record Verdict(String oracle, Result result, String reason) {

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
