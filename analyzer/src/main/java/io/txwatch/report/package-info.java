/**
 * How anomalies are told: {@link io.txwatch.report.TextReport a block for people}, {@link
 * io.txwatch.report.JsonReport a line of JSON for tools}.
 *
 * <p>The block has an {@link io.txwatch.report.Interleaving} with a column for each transaction, in
 * an order that the dependencies themselves give (clocks never do), and an {@link
 * io.txwatch.report.Explanation}, a clause for each edge, in the manner of Elle's explainers
 * (Kingsbury and Alvaro, VLDB 2020, §4.2). All text that came from an application or a DBMS, SQL
 * above all, is made harmless on the way ({@link io.txwatch.report.TerminalText}, and the escapes
 * of {@link io.txwatch.report.JsonReport}).
 */
@NullMarked
package io.txwatch.report;

import org.jspecify.annotations.NullMarked;
