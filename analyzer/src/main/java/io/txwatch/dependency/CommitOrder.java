package io.txwatch.dependency;

/**
 * An order of transactions that counts besides their dependencies, where somebody asks for it. What
 * is told without being asked rests on dependencies alone.
 */
public enum CommitOrder {
  /**
   * The transactions of one session, in their order: strong session serializability, strong session
   * snapshot isolation (Daudjee and Salem, VLDB 2006).
   */
  SESSION,
  /**
   * One ended before the other began: strict serializability (Adya 1999, PL-SS), strong snapshot
   * isolation. Only between transactions of one node, whose events pass one queue: the end is put
   * in after the COMMIT returned, the beginning before the first statement is sent. Clocks are not
   * looked at.
   */
  REAL_TIME
}
