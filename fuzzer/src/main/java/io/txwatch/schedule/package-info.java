/**
 * Executes a case: each session has a thread and a connection; each statement is sent once, in the
 * order of the case. The DBMS reports which sessions are blocked; no timer guesses it. The result
 * is a {@link io.txwatch.schedule.CaseExecution}: every outcome, the order in which statements
 * completed, the transactions and how they ended, and the final state.
 */
@NullMarked
package io.txwatch.schedule;

import org.jspecify.annotations.NullMarked;
