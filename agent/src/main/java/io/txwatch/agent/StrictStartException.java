package io.txwatch.agent;

/** The agent did not start, and {@code txwatch.strict} does not permit to run unwatched. */
public final class StrictStartException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  StrictStartException(String message) {
    super(message);
  }
}
