package io.txwatch.predict;

/** How a read locks the rows that it returns, until its transaction ends. */
public enum RowLock {
  /** Not at all. */
  NONE,
  /** Against writers: FOR SHARE. */
  SHARED,
  /** Against writers and other locking reads: FOR UPDATE. */
  EXCLUSIVE;

  /** Whether two transactions cannot hold these locks on one row at a time. */
  boolean excludes(RowLock other) {
    return this != NONE && other != NONE && (this == EXCLUSIVE || other == EXCLUSIVE);
  }
}
