/**
 * The oracle of Troc (Dou et al., "Detecting Isolation Bugs via Transaction Oracle Construction",
 * ICSE 2023). It splits transactions into their statements, executes each one by itself on the view
 * of the database that its level grants (section III-E), and compares the result with the
 * concurrent execution: whether it may have completed at all, its rows, its count, and the final
 * state.
 *
 * <p>{@link io.txwatch.oracle.troc.ChangeHistory} is the paper's change history; {@link
 * io.txwatch.dbms.Semantics} is its Table II for each DBMS, version and setting; {@link
 * io.txwatch.oracle.troc.ViewExecutor} executes the statements; {@link
 * io.txwatch.oracle.troc.ExecutionReplay} goes through an execution; {@link
 * io.txwatch.oracle.troc.StatementChecker} checks each step.
 */
@NullMarked
package io.txwatch.oracle.troc;

import org.jspecify.annotations.NullMarked;
