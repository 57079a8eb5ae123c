package io.txwatch.changes.binlog;

/** An event, or a value in it, that is not laid out as expected. */
final class MalformedEvent extends RuntimeException {

  private static final long serialVersionUID = 1L;

  MalformedEvent(String message) {
    super(message);
  }
}
