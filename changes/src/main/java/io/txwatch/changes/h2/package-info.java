/**
 * Triggers of H2 in memory as a source of changes.
 *
 * <p>An in-memory database lives in this JVM, so that a trigger can be a Java object of txwatch:
 * {@link io.txwatch.changes.h2.TriggerSource} installs one for each row on each table, through H2's
 * own system session: nothing is executed on a connection of the application, no credentials are
 * needed, and the database is not kept open. The triggers are dropped when the source is closed.
 * Databases in files and on servers are refused: there the triggers would outlive the process, and
 * other processes lack their class.
 *
 * <p>A trigger runs in the application's thread and transaction: it appends the row to a list and
 * never waits, executes SQL, or throws. When a transaction has ended is read from H2's own
 * transaction object, by the thread of the source. The triggers also fire for each row that a
 * rollback restores (whole, to a savepoint, or of a failed statement), so that the rows that are
 * left when a transaction has ended are those that it committed.
 *
 * <p>Order: transactions are delivered in the order of their last changes. A transaction changes a
 * row only after the previous writer of that row has ended (H2 locks rows that are written), so all
 * changes of that writer precede its own: for each row, this is the order of commits. Transactions
 * without a common row may be delivered in another order than they committed in.
 */
@NullMarked
package io.txwatch.changes.h2;

import org.jspecify.annotations.NullMarked;
