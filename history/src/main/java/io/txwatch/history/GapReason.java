package io.txwatch.history;

/** Why something was not observed: a closed list, so that coverage can be counted by reason. */
public enum GapReason {
  /**
   * The SQL has a shape that is passed through untouched at the chosen level of instrumentation.
   */
  SHAPE,
  /**
   * The tokenizer's scanner and the parser do not agree on the statement, or no grammar knows it.
   */
  NOT_UNDERSTOOD,
  /** A table without auxiliary columns. */
  NOT_PREPARED,
  /** A table whose auxiliary columns this user may not read or write. */
  NO_RIGHTS,
  /** A view, a foreign table, a system table: nothing that carries auxiliary columns. */
  NOT_A_BASE_TABLE,
  /**
   * The DBMS did not say what a table is: the look-up failed or took too long. It is asked again
   * soon after.
   */
  LOOKUP_FAILED,
  /** A callable statement, COPY, LOAD DATA, a script: opaque by nature. */
  OPAQUE,
  /** Work done through an unwrapped vendor object. */
  BYPASS,
  /**
   * A table with more rows than {@code txwatch.version-set-rows}: its version set was not read, and
   * nothing is known of predicates on it.
   */
  TOO_LARGE,
  /**
   * The version set of a statement was not read, because the application could have noticed: the
   * read would have taken a lock, or fixed a snapshot, or so many rows were read for others just
   * before that it would have taken too long. Nothing is known of the statement's predicates.
   */
  NO_VERSION_SET,
  /** The queue to the analyzer or to the file was full. */
  OVERFLOW,
  /** A fault of ours, after which the application's statement went on as it was. */
  FAULT,
  /** The file ended in the middle of a record, or a record's check failed. */
  TORN_RECORD,
  /**
   * The link to a shared analyzer broke for good: what the process did afterwards is not known, and
   * what became of the transaction that ran neither.
   */
  CUT_OFF,
  /**
   * The analyzer's memory was full, and a transaction was given up, or a statement had more rows
   * than there is room for: it takes part in no anomaly any more.
   */
  FORGOTTEN;

  /** True if it is said of one statement, just before that statement's own event. */
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
      case NO_VERSION_SET, BYPASS, OVERFLOW, FAULT, TORN_RECORD, CUT_OFF, FORGOTTEN -> false;
    };
  }
}
