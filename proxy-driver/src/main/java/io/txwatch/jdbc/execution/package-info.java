/**
 * One execution of a statement, from the plan to the event: what is sent around it, what its rows
 * show, what becomes of it. {@link io.txwatch.jdbc.execution.ExecutionContext} is what an execution
 * needs of its connection. Nothing that goes wrong here reaches the application; it is counted.
 */
@NullMarked
package io.txwatch.jdbc.execution;

import org.jspecify.annotations.NullMarked;
