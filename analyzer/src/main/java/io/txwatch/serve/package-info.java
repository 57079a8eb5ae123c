/**
 * One analyzer for many processes: {@code txwatch serve}.
 *
 * <p>Each client has a connection ({@link io.txwatch.serve.Connection}), whose threads decode what
 * arrives and put it into one bounded queue. When the queue is full they stop reading, and TCP's
 * flow control slows the client down. One thread takes messages from the queue ({@link
 * io.txwatch.serve.AnalysisServer}): it tracks the clients ({@link
 * io.txwatch.serve.ClientRegistry}), analyzes their events and writes them to the history ({@link
 * io.txwatch.serve.SharedAnalysis}), and acknowledges.
 *
 * <p>The streams are merged as they arrive. This defines no order between clients, and none is
 * needed: the rows' writers' lists order the transactions (IsoRel, §3.2), so a slow or a fast link
 * neither adds nor removes a dependency.
 */
@NullMarked
package io.txwatch.serve;

import org.jspecify.annotations.NullMarked;
