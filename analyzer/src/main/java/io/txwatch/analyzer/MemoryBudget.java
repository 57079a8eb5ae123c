package io.txwatch.analyzer;

import io.txwatch.history.Event;

/**
 * Counts, roughly and from above, the bytes that the events so far take up in the analyzer.
 *
 * <p>The weights are what a transaction, a statement and a row access become there: a node with its
 * lists; a statement's record; a version, a read, their places in tables, and the edges that follow
 * from them. Measured as the heap that 100 000 transactions took on a 64-bit JVM: 539 bytes each
 * with one statement and no row, 973 with a row read and one written, 2964 with ten read and two
 * written.
 */
final class MemoryBudget {

  private static final long TRANSACTION = 500;
  private static final long STATEMENT = 50;
  private static final long ROW = 220;

  /** So many transactions begin between two times of forgetting. */
  static final long TOGETHER = 256;

  private final long bytes;
  private long used;
  private long sinceForgetting;

  MemoryBudget(long bytes) {
    this.bytes = bytes;
  }

  /** Counts an event; true if the budget is used up with it. */
  boolean isUsedUpBy(Event event) {
    if (event instanceof Event.StatementExecuted statement) {
      used += STATEMENT + ROW * statement.rows().size();
    } else if (event instanceof Event.TransactionBegan) {
      used += TRANSACTION;
      sinceForgetting++;
    }
    return used > bytes;
  }

  /** Whether so many came that it is worth looking for what may be forgotten. */
  boolean isTimeToForget() {
    return sinceForgetting >= TOGETHER;
  }

  /** Takes note of what is left. */
  void forgot(int transactions, int versions) {
    // Never so much that what runs would have everything else forgotten at each event.
    used = Math.min(transactions * TRANSACTION + versions * ROW, bytes / 2);
    sinceForgetting = 0;
  }
}
