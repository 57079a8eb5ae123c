/**
 * What a DBMS itself records of its changes: each changed row before and after, transaction by
 * transaction, in commit order, regardless of its writer.
 *
 * <p>A {@link io.txwatch.changes.ChangeSource} reads such a record and delivers plain values to a
 * {@link io.txwatch.changes.ChangeListener}: {@linkplain io.txwatch.changes.ChangedTransaction
 * transactions}, changes of schema, and {@linkplain io.txwatch.changes.ChangeGap gaps}. A gap is
 * what the source knows that it does not know; it is never filled by a guess.
 *
 * <p>Values are normalized ({@link io.txwatch.changes.ColumnType}) so that what a JDBC driver reads
 * from the column, normalized in the same way ({@link io.txwatch.changes.JdbcValues}), is equal
 * exactly if it is the same logical value. Where that is not certain, the value is {@link
 * io.txwatch.changes.UnknownValue#NOT_COMPARABLE}, which can only widen a choice of versions.
 */
@NullMarked
package io.txwatch.changes;

import org.jspecify.annotations.NullMarked;
