package io.txwatch.oracle.troc;

import io.txwatch.history.IsolationLevel;

/**
 * How a DBMS can give a statement another result than its isolation level promises. Each constant
 * adds versions that a statement may see, or effects that it may have, to those of {@link #LEVEL}.
 */
public enum Mechanism {
  /** Nothing is added: each statement sees what its level makes visible. */
  LEVEL,

  /**
   * A blocked statement sees some rows as of its start, and others as they were committed while it
   * was blocked. The rows that it writes or locks are current.
   */
  SEMI_CONSISTENT_READ,

  /**
   * As {@link #SEMI_CONSISTENT_READ}; in addition, a row whose key, indexed or partitioning columns
   * changed while the statement was blocked is not seen at all, because it moved behind the scan.
   */
  MOVED_ROW,

  /**
   * A query sees, of a row that its own transaction wrote, the version of the snapshot if the write
   * left the row unchanged, and both versions if the primary key differs.
   */
  SNAPSHOT_BESIDE_CURRENT_READ,

  /** A query within a write sees uncommitted rows. */
  DIRTY_SOURCE,

  /**
   * A write decides by uncommitted rows which ones it changes: it does not wait for a row that does
   * not match any more.
   */
  DIRTY_TARGET,

  /**
   * The children that a blocked write of their parent changed by a foreign key's action are later
   * seen as before, not at all, or as changed.
   */
  STALE_CHILD_INDEX,

  /** A blocked UPDATE or locking query processes one of its rows a second time. */
  ROW_TWICE,

  /**
   * A row whose primary key changes is another row: a statement that waits for it does not find it
   * again.
   */
  KEY_IS_IDENTITY,

  /**
   * MAX of a table that the transaction has written is the smaller of two values: the greatest of
   * the snapshot, and the greatest of the rows that the transaction has written or, if the column
   * is the integer primary key, locked. Of a row found in the snapshot, it is the value that the
   * transaction has written since.
   */
  SMALLER_MAXIMUM,

  /**
   * A query that locks entries of an index, and reads nothing else, does not fail if they are newer
   * than its snapshot.
   */
  UNCHECKED_INDEX_LOCK,

  /** A blocked statement also sees rows that were inserted while it was blocked. */
  INSERTED_WHILE_BLOCKED,

  /**
   * A write or locking query of a snapshot finds rows in it, and then uses their current versions,
   * if these still match, instead of failing because they are newer than the snapshot. A row whose
   * primary key has changed is another row.
   */
  NEWER_VERSION_WRITTEN,

  /**
   * As {@link #NEWER_VERSION_WRITTEN}; in addition, the transaction later reads the current version
   * of each row that such a statement found, also of those that it did not write.
   */
  NEWER_VERSION_READ_AFTER_LOCK,

  /**
   * As {@link #NEWER_VERSION_WRITTEN}; in addition, each statement sees what is committed when it
   * begins, not the snapshot, of tables that foreign keys relate to others.
   */
  NO_SNAPSHOT_OF_RELATED_TABLES,

  /**
   * As {@link #NEWER_VERSION_WRITTEN}; in addition, a statement sees rows that were committed when
   * it begins and are not in the snapshot.
   */
  PHANTOM_ROWS;

  /** True if a write or locking query of a snapshot uses rows that are newer than the snapshot. */
  boolean writesNewerVersions() {
    return this == NEWER_VERSION_WRITTEN
        || this == NEWER_VERSION_READ_AFTER_LOCK
        || this == NO_SNAPSHOT_OF_RELATED_TABLES
        || this == PHANTOM_ROWS;
  }

  /** True if a row whose primary key changes is another row. */
  boolean isIdentifiedByKey() {
    return this == KEY_IS_IDENTITY || writesNewerVersions();
  }

  /** True if statements of transactions with this level may have it. */
  boolean occursAt(IsolationLevel level) {
    return switch (this) {
      case SEMI_CONSISTENT_READ, MOVED_ROW, INSERTED_WHILE_BLOCKED ->
          level.compareTo(IsolationLevel.READ_COMMITTED) <= 0;
      case NO_SNAPSHOT_OF_RELATED_TABLES, PHANTOM_ROWS -> level == IsolationLevel.REPEATABLE_READ;
      case NEWER_VERSION_WRITTEN, NEWER_VERSION_READ_AFTER_LOCK ->
          level.compareTo(IsolationLevel.READ_COMMITTED) > 0;
      case SNAPSHOT_BESIDE_CURRENT_READ -> level == IsolationLevel.REPEATABLE_READ;
      case DIRTY_SOURCE, DIRTY_TARGET -> level == IsolationLevel.READ_UNCOMMITTED;
      case LEVEL,
          STALE_CHILD_INDEX,
          ROW_TWICE,
          KEY_IS_IDENTITY,
          SMALLER_MAXIMUM,
          UNCHECKED_INDEX_LOCK ->
          true;
    };
  }
}
