package io.txwatch.history;

/**
 * A write as far as the statement itself and its result state it.
 *
 * @param access {@link Access#INSERT}, {@link Access#UPDATE} or {@link Access#DELETE}
 * @param rows the rows that it wrote, with the values that it assigned to their columns. Without a
 *     row, it wrote none if {@code complete}; else nothing is stated but the table
 * @param complete true if {@code rows} are all rows of that table that the statement wrote itself,
 *     apart from triggers and cascades
 */
public record StatedWrite(Access access, RowValues rows, boolean complete) {}
