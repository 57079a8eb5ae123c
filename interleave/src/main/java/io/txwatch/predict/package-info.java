/**
 * Races that have not happened yet, derived from what one client did. Pure: nothing here opens a
 * connection.
 *
 * <p>{@link io.txwatch.predict.TemplateCollector} makes templates of a history: transactions with
 * the same name that executed the same statements at the same places are instances of one {@link
 * io.txwatch.predict.OperationTemplate}, whose keys are variables. {@link
 * io.txwatch.predict.CandidateSearch} instantiates templates side by side and derives which
 * dependencies would form a cycle if keys were equal, at a level of a DBMS. It uses two theorems:
 *
 * <ul>
 *   <li>Snapshot isolation (Fekete et al., TODS 2005): a cycle has a transaction, its pivot, with
 *       an rw edge in and one out, each between transactions that run at the same time. So they
 *       write no row in common.
 *   <li>READ COMMITTED with versions (Vandevoort et al., VLDB 2021): if there is a cycle, there is
 *       one in which a first transaction stops behind a read, the others run one after the other,
 *       and the first continues: a split schedule.
 * </ul>
 *
 * <p>A {@link io.txwatch.predict.RaceCandidate} may happen as far as tables, columns and keys show.
 * Values can forbid it; only an execution proves it. Where a history contains values, {@link
 * io.txwatch.predict.OperationSample} has those of a transaction, {@link
 * io.txwatch.predict.ValueOrigins} finds where they came from, and {@link
 * io.txwatch.predict.CoincidingKeys} makes keys equal. {@link io.txwatch.predict.LevelAllocation}
 * gives each operation the weakest level at which there is no candidate. What can not happen is
 * kept as {@link io.txwatch.predict.RuledOut}, with the reason.
 */
@NullMarked
package io.txwatch.predict;

import org.jspecify.annotations.NullMarked;
