/**
 * What was observed: the events of a history and the places that histories go to and come from.
 *
 * <p>A history is the sequence of events of many sessions. Events of one session arrive in the
 * order in which they happened; between sessions no order is promised, and nothing downstream may
 * read one into it (clocks and queues lie). What orders transactions is only what the rows
 * themselves say: the {@linkplain io.txwatch.history.WriterList writers' list} that came with each
 * version. The model is that of IsoRel (Yang et al., ISSTA 2025, §2.2–§3.2), with tokens that name
 * the statement and not only the transaction.
 */
@NullMarked
package io.txwatch.history;

import org.jspecify.annotations.NullMarked;
