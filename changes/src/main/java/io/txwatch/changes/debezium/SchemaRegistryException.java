package io.txwatch.changes.debezium;

/** A registry of schemas could not be used; the message is one line that names it. */
public final class SchemaRegistryException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final boolean isUnreachable;

  SchemaRegistryException(boolean isUnreachable, String message) {
    super(message);
    this.isUnreachable = isUnreachable;
  }

  /** True if nothing answered; false if the answer is not what was expected. */
  public boolean isUnreachable() {
    return isUnreachable;
  }
}
