package io.txwatch.dbms;

/**
 * An error of a statement, by its kind and by what it does to the transaction (WriteCheck, section
 * 5.3.2).
 *
 * @param kind what happened
 * @param effect what has become of the transaction
 */
public record Failure(Kind kind, Effect effect) {

  /** What happened. */
  public enum Kind {
    /** An error that the statement would have had alone: a duplicate key, a division by zero. */
    STATEMENT,
    /** The DBMS chose this transaction to break a circle of waiters. */
    DEADLOCK,
    /** SQLSTATE 40001: the transaction cannot go on beside another one. */
    SERIALIZATION,
    /** MariaDB's 1020: the row was changed since it was read. */
    RECORD_CHANGED,
    /** It waited for a lock as long as it was allowed to. */
    LOCK_TIMEOUT,
    /** What it needs is locked, and this DBMS does not wait (SQLite, DuckDB). */
    BUSY,
    /** Nothing but ROLLBACK is accepted after an error before (PostgreSQL's 25P02). */
    TRANSACTION_ABORTED,
    /** The connection is gone. */
    CONNECTION_LOST
  }

  /** What has become of the transaction. */
  public enum Effect {
    /** The statement did nothing; the transaction goes on. */
    CONTINUES,
    /** The transaction is still there and has to be rolled back. */
    MUST_ROLL_BACK,
    /** The DBMS has rolled the transaction back. */
    ROLLED_BACK
  }

  /** True if the transaction does not go on. */
  public boolean endsTransaction() {
    return effect != Effect.CONTINUES;
  }

  /** True if it came from what other transactions did at the same time. */
  public boolean isConcurrencyRelated() {
    return kind != Kind.STATEMENT && kind != Kind.CONNECTION_LOST;
  }
}
