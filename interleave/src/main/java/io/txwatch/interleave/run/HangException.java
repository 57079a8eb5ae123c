package io.txwatch.interleave.run;

import java.time.Duration;

/** Operations went on no more. */
public final class HangException extends RuntimeException {

  private static final long serialVersionUID = 1;

  HangException(String states, Duration limit) {
    super("nothing went on for " + limit.toSeconds() + " s: " + states);
  }
}
