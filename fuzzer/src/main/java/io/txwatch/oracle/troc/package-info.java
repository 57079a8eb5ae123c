/**
 * The oracle of Troc (Dou et al., "Detecting Isolation Bugs via Transaction Oracle Construction",
 * ICSE 2023): a transaction is taken apart into its statements, each is executed by itself on the
 * view of the database that its level grants it (section III-E), and what comes out is compared
 * with what came of it beside the others: whether it may have completed at all, its rows, its
 * count, and the final state.
 *
 * <p>{@link io.txwatch.oracle.troc.ChangeHistory} is the paper's change history, {@link
 * io.txwatch.oracle.troc.Semantics} its Table II for each DBMS, version and setting, {@link
 * io.txwatch.oracle.troc.Scratch} the place where the statements are executed, {@link
 * io.txwatch.oracle.troc.Walk} the way through an execution, {@link
 * io.txwatch.oracle.troc.Expectation} what is expected at each step of it.
 */
@NullMarked
package io.txwatch.oracle.troc;

import org.jspecify.annotations.NullMarked;
