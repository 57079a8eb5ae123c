package io.txwatch.history;

import java.util.List;

/**
 * The values that a column of a table's key has in the rows that a statement chooses or inserts:
 * {@code WHERE id = ?}, {@code WHERE id IN (?, ?)}, {@code INSERT … VALUES (?, …)}. It chooses and
 * inserts no row with another value, whether or not it finds any.
 *
 * <p>Values are {@linkplain ValueHash hashed} with a key of the process. So they are compared
 * within a process alone: there, values with different hashes are different values. Values that the
 * DBMS may compare as equal have equal hashes; values that are not equal may.
 *
 * @param table the table's name, as in {@link RowAccess#table}
 * @param column the column, in lower case
 * @param hashes the values' hashes, without duplicates and in order; not empty
 */
public record KeyValues(String table, String column, List<Long> hashes) {

  public KeyValues {
    hashes = hashes.stream().distinct().sorted().toList();
  }
}
