package io.txwatch.jdbc.plan;

/**
 * What the executions of a plan have shown, on all connections.
 *
 * <p>A rewritten text is on probation until the DBMS has executed it once: as long as it is, what
 * is needed to send the application's own text instead is kept at hand. After an error it is on
 * probation again.
 */
public final class PlanUsage {

  private static final int MAX_LEAD = 512;

  /** Of so many transactions that begin with the text the values are recorded. */
  private static final int MAX_RECORDED = 200;

  /** Of the further ones, every so many. A power of two. */
  private static final int RECORDED_EVERY = 16;

  private final boolean isRewritten;
  private volatile boolean proven;
  private volatile boolean batched;
  private volatile int lead;
  private volatile boolean outgrown;
  private int begun;

  PlanUsage(boolean isRewritten) {
    this.isRewritten = isRewritten;
    this.proven = !isRewritten;
  }

  /** True if the DBMS has executed this very text, or if it is the application's own. */
  public boolean isProven() {
    return proven;
  }

  /** The DBMS has executed the text. */
  public void prove() {
    if (!proven) {
      proven = true;
    }
  }

  /** The text, which the DBMS has executed before, has failed. */
  public void disprove() {
    proven = !isRewritten;
  }

  /** True if the text was used in a batch. */
  public boolean isBatched() {
    return batched;
  }

  public void batched() {
    if (!batched) {
      batched = true;
    }
  }

  /**
   * How many statements its transactions usually execute while a batch of it is collected, items of
   * other batches among them: their number, or somewhat more.
   */
  public int lead() {
    return lead;
  }

  /** With that lead a batch of it would have been given the right tokens at once. */
  public void leadWouldHold(int wanted) {
    if (wanted > lead && wanted <= MAX_LEAD) {
      lead = Math.min(MAX_LEAD, 2 * Integer.highestOneBit(wanted));
    }
  }

  /**
   * A transaction begins with the text: returns whether the values of its statements are recorded.
   * Transactions that begin at the same time may count as one.
   */
  public boolean recordsNext() {
    int count = begun + 1;
    begun = count;
    return count <= MAX_RECORDED || (count & (RECORDED_EVERY - 1)) == 0;
  }

  /** Notes that a table is larger than the plan supposed; false if that was noted before. */
  public boolean outgrow() {
    boolean first = !outgrown;
    outgrown = true;
    return first;
  }
}
