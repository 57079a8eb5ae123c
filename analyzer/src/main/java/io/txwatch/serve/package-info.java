/**
 * One analyzer for many processes: {@code txwatch serve}.
 *
 * <p>Every client has a connection of its own ({@link io.txwatch.serve.Connection}), whose threads
 * decode what comes and put it into one bounded queue; when that is full they stop reading, and TCP
 * holds the client back. One thread takes from the queue ({@link io.txwatch.serve.AnalysisServer}):
 * it keeps the clients' books ({@link io.txwatch.serve.ClientRegistry}), has what they sent
 * analysed and written into the history ({@link io.txwatch.serve.SharedAnalysis}), and
 * acknowledges.
 *
 * <p>The streams are merged as they arrive. That is no order between clients, and need be none:
 * what orders transactions is what the rows themselves say, their writers' lists (IsoRel, §3.2), so
 * that a late or a quick link can neither make nor unmake a dependency.
 */
@NullMarked
package io.txwatch.serve;

import org.jspecify.annotations.NullMarked;
