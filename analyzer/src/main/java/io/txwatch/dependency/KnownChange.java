package io.txwatch.dependency;

import io.txwatch.history.WriterList;

/**
 * A change of a row that matters to a query that chose rows by a condition: the row matches it
 * before the change alone, afterwards alone, or both, and something of it changed that the query
 * uses.
 *
 * @param reader the transaction of the query
 * @param query the query's number
 * @param writer the transaction that made the change
 * @param table the table
 * @param row the row's id
 * @param writers the writers of the version that the change made; if it deleted the row, of the
 *     version that was deleted
 * @param deletion whether it deleted the row
 * @param before whether the query read after the change; otherwise, before it
 * @param chosen whether the query had chosen the row: the dependency is by item, not by predicate
 */
public record KnownChange(
    long reader,
    int query,
    long writer,
    String table,
    long row,
    WriterList writers,
    boolean deletion,
    boolean before,
    boolean chosen) {}
