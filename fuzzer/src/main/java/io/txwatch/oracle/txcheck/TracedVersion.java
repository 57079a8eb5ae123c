package io.txwatch.oracle.txcheck;

/**
 * A version of a row.
 *
 * @param row the row
 * @param value the statement that wrote it, by its version key, and the row's values
 */
record TracedVersion(Row row, String value) {

  /**
   * A row, from its insertion to its deletion.
   *
   * @param table its table
   * @param key its primary key of ours, which never changes
   */
  record Row(String table, String key) {}
}
