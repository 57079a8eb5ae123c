package io.txwatch.bench;

/**
 * A command line names what is not there, or what cannot be had here. Its message is a line for
 * people.
 */
public final class UnusableOptionException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /** With that line. */
  public UnusableOptionException(String message) {
    super(message);
  }
}
