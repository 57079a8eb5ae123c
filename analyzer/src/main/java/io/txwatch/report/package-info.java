/**
 * Reports: {@link io.txwatch.report.TextReport a block of text}, {@link
 * io.txwatch.report.JsonReport a line of JSON for tools}, and the writers that send them to a
 * {@link io.txwatch.report.ReportFile file}, the {@link io.txwatch.report.ConsoleReporter console}
 * or the {@link io.txwatch.report.ApplicationLog application's log}.
 *
 * <p>The block has an {@link io.txwatch.report.PossibleOrder} with a column for each transaction,
 * ordered by the dependencies (never by clocks), and an {@link io.txwatch.report.Explanation} with
 * a clause for each edge, after Elle's explainers (Kingsbury and Alvaro, VLDB 2020, §4.2). All text
 * from an application or a DBMS, SQL above all, is escaped ({@link io.txwatch.report.TerminalText},
 * and the escapes of {@link io.txwatch.report.JsonReport}).
 */
@NullMarked
package io.txwatch.report;

import org.jspecify.annotations.NullMarked;
