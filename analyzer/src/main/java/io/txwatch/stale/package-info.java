/**
 * Stale writes and stale reads.
 *
 * <p>Stale writes: a row that was read in one transaction and written in a later one of the same
 * trace or session, while another transaction wrote it in between. No transaction contains that
 * lost update, so no isolation level prevents it and no cycle shows it: it is the subject of
 * offline locks (Fowler 2002, Patterns of Enterprise Application Architecture, Optimistic Offline
 * Lock).
 *
 * <p>That the later transaction used what the earlier one had read is not known, only that both
 * belong together. So every finding is possible only. {@link io.txwatch.stale.StaleWrites} is a
 * function of the events, with bounded memory and apart from the graph.
 *
 * <p>Stale reads: a row that is read on a standby in an older version than an earlier transaction
 * of the same trace had written or read. They violate the session guarantees "read your writes" and
 * "monotonic reads" (Terry et al. 1994), which no isolation level contains. {@link
 * io.txwatch.stale.StaleReads} finds them.
 */
@NullMarked
package io.txwatch.stale;

import org.jspecify.annotations.NullMarked;
