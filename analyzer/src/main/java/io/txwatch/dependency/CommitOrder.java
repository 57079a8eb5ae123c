package io.txwatch.dependency;

/**
 * An order of transactions that counts besides their dependencies, if requested. By default only
 * dependencies count.
 */
public enum CommitOrder {
  /**
   * The transactions of one session, in their order: strong session serializability, strong session
   * snapshot isolation (Daudjee and Salem, VLDB 2006).
   */
  SESSION,
  /**
   * One ended before the other began: strict serializability (Adya 1999, PL-SS), strong snapshot
   * isolation. Only between transactions of one node, whose events pass through one queue: the end
   * is queued after COMMIT returned, the beginning before the first statement is sent. Clocks are
   * not used.
   */
  REAL_TIME
}
