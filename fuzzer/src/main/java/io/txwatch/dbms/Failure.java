package io.txwatch.dbms;

/**
 * The classification of a statement's error: its kind and its effect on the transaction
 * (WriteCheck, section 5.3.2).
 *
 * @param kind what happened
 * @param effect the effect on the transaction
 */
public record Failure(Kind kind, Effect effect) {

  /** An error of the statement alone: the transaction continues. */
  public static final Failure OF_STATEMENT = new Failure(Kind.STATEMENT, Effect.CONTINUES);

  /** The connection is lost, and with it the transaction. */
  public static final Failure CONNECTION_LOST =
      new Failure(Kind.CONNECTION_LOST, Effect.ROLLED_BACK);

  /** What happened. */
  public enum Kind {
    /** An error that does not depend on concurrency: a duplicate key, a division by zero. */
    STATEMENT,
    /** The DBMS chose this transaction as a deadlock victim. */
    DEADLOCK,
    /** SQLSTATE 40001: the transaction cannot be serialized with a concurrent one. */
    SERIALIZATION,
    /** MariaDB's 1020: the row was changed since it was read. */
    RECORD_CHANGED,
    /** The lock wait timed out. */
    LOCK_TIMEOUT,
    /** A needed row or table is locked, and this DBMS does not wait (SQLite, DuckDB). */
    BUSY,
    /** After an earlier error only ROLLBACK is accepted (PostgreSQL's 25P02). */
    TRANSACTION_ABORTED,
    /** The connection is lost. */
    CONNECTION_LOST
  }

  /** The effect on the transaction. */
  public enum Effect {
    /** The statement had no effect; the transaction continues. */
    CONTINUES,
    /** The transaction is still open and has to be rolled back. */
    MUST_ROLL_BACK,
    /** The DBMS has rolled the transaction back. */
    ROLLED_BACK
  }

  /** True if the transaction cannot continue. */
  public boolean endsTransaction() {
    return effect != Effect.CONTINUES;
  }

  /** True if concurrent transactions caused it. */
  public boolean isConcurrencyRelated() {
    return kind != Kind.STATEMENT && kind != Kind.CONNECTION_LOST;
  }
}
