package io.txwatch.changes;

/**
 * Changes that are not delivered, or may not have been.
 *
 * @param schema of the table; empty if it may be any
 * @param table whose changes are missing; empty if it may be any
 * @param detail one line for people
 */
public record ChangeGap(Reason reason, String schema, String table, String detail) {

  /** Why changes are missing. */
  public enum Reason {
    /** The record was removed before it was read, or is damaged. */
    RECORD_LOST,
    /** Another server answers now, or the same one with another record. */
    OTHER_SERVER,
    /** The record has a statement's text instead of its rows ({@code binlog_format}). */
    STATEMENT_FORMAT,
    /** The transaction changed more rows than are held, or its events are too large. */
    TOO_LARGE,
    /** The table is not as the catalog describes it: it was changed since, or cannot be read. */
    TABLE_UNKNOWN,
    /** Rows of the table may have been written, and committed, before it was watched. */
    WRITTEN_BEFORE,
    /** Events of a kind, or with values, that are not understood. */
    NOT_UNDERSTOOD,
    /** Rows of an XA transaction that was prepared before the source began to read. */
    PREPARED_BEFORE,
    /** Rows of a table without transactions, within a transaction that was rolled back. */
    ROLLED_BACK,
    /** The listener threw an exception. */
    LISTENER_FAILED
  }
}
