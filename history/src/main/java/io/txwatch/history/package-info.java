/**
 * The events of a history, their encoding, and the sinks and sources of histories.
 *
 * <p>A history is the sequence of events of many sessions. Events of one session arrive in the
 * order in which they happened. Between sessions no order is guaranteed, and consumers must not
 * infer one, since clocks and queues are unreliable. Transactions are ordered only by the
 * {@linkplain io.txwatch.history.WriterList writer list} that each row version carries. The model
 * is that of IsoRel (Yang et al., ISSTA 2025, §2.2–§3.2), with tokens that identify the statement
 * and not only the transaction.
 */
@NullMarked
package io.txwatch.history;

import org.jspecify.annotations.NullMarked;
