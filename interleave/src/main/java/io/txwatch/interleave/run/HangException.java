package io.txwatch.interleave.run;

/** Operations went on no more, or without end. */
public final class HangException extends RuntimeException {

  private static final long serialVersionUID = 1;

  HangException(String message) {
    super(message);
  }
}
