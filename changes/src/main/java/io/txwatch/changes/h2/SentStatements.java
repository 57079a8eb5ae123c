package io.txwatch.changes.h2;

/**
 * What a watched session sends, by its own account: statements that triggers of the application
 * execute meanwhile belong to the one that was sent. Used by the thread that executes the session's
 * statements, in which its triggers fire.
 */
public final class SentStatements {

  private int number;
  private boolean isBatch;

  SentStatements() {}

  /** A statement is about to be sent. */
  public void sending() {
    number++;
    isBatch = false;
  }

  /** Several are about to be sent at once. */
  public void sendingBatch() {
    number++;
    isBatch = true;
  }

  int number() {
    return number;
  }

  /** True if H2's own commands show what belongs to which statement. */
  boolean isBatch() {
    return isBatch;
  }
}
