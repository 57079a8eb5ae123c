/**
 * Deadlocks that a DBMS ended, and transactions that were repeated after a conflict. They are no
 * anomalies of isolation, and have no place in the graph: {@link io.txwatch.deadlock.Deadlocks} is
 * a function of the events, with bounded memory.
 */
@NullMarked
package io.txwatch.deadlock;

import org.jspecify.annotations.NullMarked;
