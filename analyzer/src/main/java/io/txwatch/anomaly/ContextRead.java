package io.txwatch.anomaly;

/**
 * A read of a row that its transaction then wrote: the value that the write may be based upon. No
 * dependency of the anomaly begins or ends at it. Reports show it, so that it can be seen that the
 * other transactions of a lost update read the row, too.
 *
 * @param statement the statement that read; it is none of the transaction's {@linkplain
 *     ObservedTransaction#statements() statements} of dependencies
 * @param write the number of the statement that replaced the version that was read
 * @param table the row's table
 * @param row the row
 * @param key the value of its primary key, for display; empty if it is not known
 */
public record ContextRead(
    ObservedStatement statement, int write, String table, long row, String key) {

  /** Whether another one is the same read, before another write. */
  boolean isSameRead(ContextRead other) {
    return statement.number() == other.statement.number()
        && row == other.row
        && table.equals(other.table);
  }
}
