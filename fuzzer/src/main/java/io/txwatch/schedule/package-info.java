/**
 * Executes a case: each session a thread and a connection, each statement sent once, in the order
 * of the case; who is blocked is what the DBMS says, never what a timer guesses. What comes back is
 * an {@link io.txwatch.schedule.CaseExecution}: every outcome, the order in which statements really
 * completed, the transactions with their ends, the final state.
 */
@NullMarked
package io.txwatch.schedule;

import org.jspecify.annotations.NullMarked;
