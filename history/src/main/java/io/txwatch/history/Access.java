package io.txwatch.history;

/** What a statement did to one row. */
public enum Access {
  /** Returned it to the application. The writers' list is that of the version read. */
  READ,
  /** Created it. The writers' list is the one after the write: the statement's own token. */
  INSERT,
  /**
   * Wrote its next version. The writers' list is the one after the write: it ends with the
   * statement's own token.
   */
  UPDATE,
  /** Deleted it. The writers' list is that of the version deleted; no version follows. */
  DELETE;

  /** True for everything but a read. */
  public boolean isWrite() {
    return this != READ;
  }
}
