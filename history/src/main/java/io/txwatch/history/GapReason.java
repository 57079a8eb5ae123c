package io.txwatch.history;

/**
 * Why something was not observed. The list is closed, so that coverage can be counted by reason.
 */
public enum GapReason {
  /** SQL of this shape is not instrumented at the selected level. */
  SHAPE,
  /** The scanner and the parser disagree on the statement, or neither recognizes it. */
  NOT_UNDERSTOOD,
  /** A table without auxiliary columns. */
  NOT_PREPARED,
  /** A table whose auxiliary columns the user may not read or write. */
  NO_RIGHTS,
  /** A view, a foreign table or a system table, which has no auxiliary columns. */
  NOT_A_BASE_TABLE,
  /** A catalog lookup failed or timed out. It is retried soon afterwards. */
  LOOKUP_FAILED,
  /** A callable statement, COPY, LOAD DATA or a script, whose rows cannot be observed. */
  OPAQUE,
  /** Work done through an unwrapped vendor object. */
  BYPASS,
  /**
   * A table with more rows than {@code txwatch.version-set-rows}: its version set was not read, so
   * predicate dependencies on it are unknown.
   */
  TOO_LARGE,
  /**
   * The version set of a statement was not read, because the read would have taken a lock, fixed a
   * snapshot, or exceeded the time budget for version sets. The statement's predicate dependencies
   * are unknown.
   */
  NO_VERSION_SET,
  /** The queue to the analyzer or to the file was full. */
  OVERFLOW,
  /** A fault in txwatch; the application's statement was sent unchanged. */
  FAULT,
  /** The file ended within a record, or a record's checksum failed. */
  TORN_RECORD,
  /**
   * The link to a shared analyzer broke permanently: what the process did afterwards is unknown,
   * and so is the outcome of its running transaction.
   */
  CUT_OFF,
  /**
   * The analyzer's memory was full and a transaction was discarded, or a statement had more rows
   * than fit: it is part of no further anomaly.
   */
  FORGOTTEN,
  /**
   * More events arose than could be processed: a statement on rows that are not observed meanwhile,
   * as a whole or in part. See {@link RowShare}.
   */
  SHED,
  /**
   * What is read of the DBMS's record of changes, its log or by triggers, does not show all of
   * them: what is known of rows does not continue.
   */
  NOT_RECORDED;

  /** True if the gap concerns one statement and immediately precedes that statement's event. */
  public boolean isOfStatement() {
    return switch (this) {
      case SHAPE,
          NOT_UNDERSTOOD,
          NOT_PREPARED,
          NO_RIGHTS,
          NOT_A_BASE_TABLE,
          LOOKUP_FAILED,
          OPAQUE,
          TOO_LARGE ->
          true;
      case NO_VERSION_SET,
          BYPASS,
          OVERFLOW,
          FAULT,
          TORN_RECORD,
          CUT_OFF,
          FORGOTTEN,
          SHED,
          NOT_RECORDED ->
          false;
    };
  }
}
