package io.txwatch.history;

/** What a statement did to one row. */
public enum Access {
  /**
   * The statement returned the row to the application. The writer list is that of the version read.
   */
  READ,
  /**
   * The statement created the row. The writer list is the one after the write: the statement's own
   * token.
   */
  INSERT,
  /**
   * The statement wrote the row's next version. The writer list is the one after the write: it ends
   * with the statement's own token.
   */
  UPDATE,
  /**
   * The statement deleted the row. The writer list is that of the deleted version; no version
   * follows.
   */
  DELETE,
  /**
   * An UPDATE matched the row by key and returned nothing of it: its WHERE clause binds a unique
   * key to the values by which the transaction had read the row, or to the row's id, and it found
   * one row. So it locked the row that has this key. Whether it created a version is unknown: MySQL
   * and MariaDB create none if an UPDATE changes no value. On PostgreSQL, where it is an item of a
   * batch, it created one whose id is unknown. The writer list is the statement's own token, marked
   * incomplete: the identifier of the version, if there is one. Or, if the row was read after the
   * statement and its newest version is another transaction's, it is that version's.
   *
   * <p>Certain only where that version is known to have been there when the UPDATE was executed, as
   * the analysis finds by times. Else another row may have taken the key since it was read. {@code
   * KeyedWrites} in the analyzer documents what can be inferred nevertheless. The event precedes
   * everything that the session sent to the DBMS after the statement.
   */
  TARGET,
  /**
   * This version of the row, whose writer list is recorded, matches a DELETE's predicate, was the
   * newest one that its transaction could see before the DELETE, and was not deleted. So the DELETE
   * evaluated its predicate on a later version, or found the row deleted: at InnoDB's REPEATABLE
   * READ, where a DELETE uses the newest versions and not those of the snapshot, and at READ
   * COMMITTED of PostgreSQL and H2. The application did not read the row here.
   */
  SKIPPED_BY_DELETE,
  /**
   * This version of the row, whose writer list is recorded, matches a DELETE's predicate, is of
   * another transaction, and exists after the DELETE at READ COMMITTED. So the DELETE evaluated its
   * predicate on an earlier version that did not match, or before the row was inserted. The
   * application did not read the row here.
   */
  MISSED_BY_DELETE;

  /** True for what the statement wrote, or may have written. */
  public boolean isWrite() {
    return switch (this) {
      case INSERT, UPDATE, DELETE, TARGET -> true;
      case READ, SKIPPED_BY_DELETE, MISSED_BY_DELETE -> false;
    };
  }

  /** True if the row was neither written nor returned, but shows what a DELETE had seen. */
  public boolean isEvidenceOfDelete() {
    return this == SKIPPED_BY_DELETE || this == MISSED_BY_DELETE;
  }
}
