package io.txwatch.interleave.state;

/** A database could not be read, or its tables could not be restored. */
public final class UnreachableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Such a failure.
   *
   * @param message what could not be done, and why
   */
  public UnreachableException(String message) {
    super(message);
  }
}
