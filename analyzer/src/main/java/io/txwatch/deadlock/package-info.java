/**
 * Deadlocks that a DBMS ended, waits for locks, and transactions that were repeated after a
 * conflict. They are no anomalies of isolation, and have no place in the graph: {@link
 * io.txwatch.deadlock.Deadlocks} and {@link io.txwatch.deadlock.WaitCounter} are functions of the
 * events, with bounded memory.
 */
@NullMarked
package io.txwatch.deadlock;

import org.jspecify.annotations.NullMarked;
