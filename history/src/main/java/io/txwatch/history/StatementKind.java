package io.txwatch.history;

/** The kinds of statements that dependencies distinguish. */
public enum StatementKind {
  /** A plain read: under multi-version concurrency control, of the snapshot. */
  SELECT(false),
  /** SELECT … FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE: a current read (IsoRel §3.4). */
  LOCKING_SELECT(false),
  INSERT(true),
  UPDATE(true),
  DELETE(true),
  /** REPLACE: deletes existing rows with the key and inserts. */
  REPLACE(true),
  MERGE(true),
  /** Anything that changes the schema, TRUNCATE included. */
  DDL(true),
  /** A statement that is not parsed further: CALL, COPY, EXPLAIN, unknown SQL. */
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
