package io.txwatch.history;

/** What a statement is, as far as dependencies care. */
public enum StatementKind {
  /** A plain read: under multi-version concurrency control, of the snapshot. */
  SELECT(false),
  /** SELECT … FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE: a current read (IsoRel §3.4). */
  LOCKING_SELECT(false),
  /** INSERT. */
  INSERT(true),
  /** UPDATE. */
  UPDATE(true),
  /** DELETE. */
  DELETE(true),
  /** REPLACE: a delete of what stood there and an insert. */
  REPLACE(true),
  /** MERGE. */
  MERGE(true),
  /** Anything that changes the schema, TRUNCATE included. */
  DDL(true),
  /** A statement that we do not look into: CALL, COPY, EXPLAIN, unknown SQL. */
  OTHER(true);

  private final boolean mayWrite;

  StatementKind(boolean mayWrite) {
    this.mayWrite = mayWrite;
  }

  /** True if such a statement may write rows. */
  public boolean mayWrite() {
    return mayWrite;
  }
}
