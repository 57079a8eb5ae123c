package io.txwatch.analyzer;

import io.txwatch.history.Event;

/**
 * Counts, roughly and from above, the bytes that the events so far take up in the analyzer.
 *
 * <p>The weights are upper bounds of what a transaction, a statement and a row access become there:
 * a node with its lists; a statement's record; a version, a read, their places in tables, and the
 * edges that follow from them.
 */
final class MemoryBudget {

  private static final long TRANSACTION = 600;
  private static final long STATEMENT = 100;
  private static final long ROW = 500;

  private final long bytes;
  private long used;
  private long transactions;

  MemoryBudget(long bytes) {
    this.bytes = bytes;
  }

  /** Counts an event; true if the budget is used up with it. */
  boolean isUsedUpBy(Event event) {
    if (event instanceof Event.StatementExecuted statement) {
      used += STATEMENT + ROW * statement.rows().size();
    } else if (event instanceof Event.TransactionBegan) {
      used += TRANSACTION;
      transactions++;
    }
    return used > bytes;
  }

  /** How many transactions began since the last {@link #clear}. */
  long transactions() {
    return transactions;
  }

  void clear() {
    used = 0;
    transactions = 0;
  }
}
