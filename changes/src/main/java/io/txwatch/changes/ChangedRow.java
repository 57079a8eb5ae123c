package io.txwatch.changes;

import org.jspecify.annotations.Nullable;

/**
 * One changed row.
 *
 * <p>The images are arrays that are parallel to {@link ChangedTable#columns()}; they must not be
 * modified. An element is a value as its {@link ColumnType} states, null for NULL, or an {@link
 * UnknownValue}.
 *
 * @param before the row before; null for an INSERT
 * @param after the row after; null for a DELETE. Where the record has only what an UPDATE changed
 *     (minimal images), the other columns are taken from {@code before}, if they are known there
 * @param statement the ordinal, from 0, of the statement within the transaction; what its triggers
 *     and cascades change has the same ordinal
 * @param text the statement, if the record has it. On MariaDB and MySQL it is the text that the
 *     client sent, for rows of a trigger, too
 */
@SuppressWarnings("ArrayRecordComponent") // one of these per changed row
public record ChangedRow(
    Kind kind,
    ChangedTable table,
    @Nullable Object @Nullable [] before,
    @Nullable Object @Nullable [] after,
    int statement,
    @Nullable String text) {

  /** What happened to the row. */
  public enum Kind {
    INSERT,
    UPDATE,
    DELETE
  }
}
