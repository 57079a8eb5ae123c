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
  DELETE,
  /**
   * Was sent to write it, and may have left it as it was: an UPDATE that pinned a key by the same
   * values by which its transaction had read the row before, and that found a row. So it wrote, and
   * locked, the row that the key stood for. Whether that made a version is not told: MySQL and
   * MariaDB make none of an UPDATE that changes nothing. The writers' list is the statement's own
   * token, cut: the name of the version if there is one.
   *
   * <p>Never certain: since the row was read another may have come to bear its key. What follows
   * from it all the same, {@code KeyedWrites} in the analyzer says. Its event was sent before
   * anything that its session sent to the DBMS after the statement.
   */
  TARGET,
  /**
   * Matches the statement's predicate in its transaction's snapshot, and was left alone all the
   * same: a DELETE at InnoDB's REPEATABLE READ, which chooses from the newest versions. So it chose
   * from a later version of the row than this one, whose writers' list is told; or the row was
   * gone. The application did not read it here.
   */
  SKIPPED_BY_DELETE;

  /** True for what the statement wrote, or may have written. */
  public boolean isWrite() {
    return this != READ && this != SKIPPED_BY_DELETE;
  }
}
