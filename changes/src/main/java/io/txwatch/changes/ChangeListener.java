package io.txwatch.changes;

/**
 * Receives what a {@link ChangeSource} reads, on the thread of the source, one call at a time, in
 * the order of the record. While a call lasts, the source reads nothing more. An exception is
 * reported back as a {@linkplain ChangeGap gap} and does not end the source.
 */
public interface ChangeListener {

  /** A transaction that committed and changed rows. */
  void transaction(ChangedTransaction transaction);

  /** Changes that have happened, or may have happened, and are not delivered. */
  void gap(ChangeGap gap);

  /** A statement that changed the schema, or emptied a table ({@code TRUNCATE}). */
  void schemaChange(SchemaChange change);

  /**
   * All transactions that end at or before this position have been delivered.
   *
   * @param caughtUp true if the DBMS has just stated that there is nothing beyond it
   */
  default void position(LogPosition position, boolean caughtUp) {}
}
