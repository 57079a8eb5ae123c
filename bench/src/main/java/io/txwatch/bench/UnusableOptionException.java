package io.txwatch.bench;

/**
 * An option value is unknown or cannot be used on this machine. The message is one line for the
 * user.
 */
public final class UnusableOptionException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception with this message. */
  public UnusableOptionException(String message) {
    super(message);
  }
}
