package io.txwatch.catalog;

/** What is known of a session's transaction at this moment. */
@FunctionalInterface
public interface SessionView {

  /** True if the session is in no transaction that somebody must end. */
  boolean isIdle();

  /** True if a statement of the transaction that is open has been sent. */
  default boolean hasBegun() {
    return !isIdle();
  }

  /**
   * True if a transaction or a statement is open that reads from one snapshot until it ends. A
   * table that is altered meanwhile may fail it, or appear empty to it.
   */
  default boolean holdsSnapshot() {
    return !isIdle() && keepsSnapshot();
  }

  /** True if the session has locked whole tables, so that rows may be read by itself alone. */
  default boolean holdsTableLocks() {
    return false;
  }

  /** True if a transaction of this session reads from one snapshot until it ends. */
  default boolean keepsSnapshot() {
    return true;
  }
}
