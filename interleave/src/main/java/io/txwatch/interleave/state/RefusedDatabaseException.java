package io.txwatch.interleave.state;

/** A database that does not look like one for tests, and is not marked as one. */
public final class RefusedDatabaseException extends RuntimeException {
  private static final long serialVersionUID = 1;

  RefusedDatabaseException(String message) {
    super(message);
  }
}
