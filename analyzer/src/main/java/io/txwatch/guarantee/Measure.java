package io.txwatch.guarantee;

/**
 * A way of preventing an anomaly, as {@link Advice} gives it. A test of its own applies each to a
 * schedule that shows the anomaly, on each DBMS.
 */
public enum Measure {
  /** Lock the row of a lost update where it is read. */
  LOCK_READ("Lock the read"),
  /** Let the UPDATE compute the value that the application computed. */
  COMPUTE_IN_UPDATE("compute the new value in the UPDATE itself (SET x = x + ?)"),
  /** The same of the columns that it does not compute. */
  COMPUTE_REST_IN_UPDATE("in the UPDATE itself, too"),
  /** Let the UPDATE check what the application had checked. */
  CONDITION_IN_UPDATE("Put its condition into the UPDATE's WHERE and look at the update count"),
  /** Lock a read, since the UPDATE itself loses nothing. */
  LOCK_WHAT_ELSE_IS_READ("may be stale: lock that read"),
  /** Let the DELETE check what the application had checked. */
  CONDITION_IN_DELETE("put the condition that it checks into the DELETE's WHERE"),
  /** Lock what a decision rests on. */
  LOCK_DECISION("Lock the rows that the decision rests on where they are read"),
  /** Forbid what a predicate did not find. */
  CONSTRAINT("let a constraint forbid it (unique, exclusion)"),
  /**
   * Write one row for all that a predicate may find. To lock it is not enough where the query reads
   * a snapshot that the wait for the lock does not renew.
   */
  WRITE_REPRESENTATIVE("let each first update a row that stands for all of them"),
  /** Lock what a reader reads that writes as well. */
  LOCK_READS_OF_WRITER("lock the rows that its writes rest on where they are read"),
  /** The same of two transactions that read and write. */
  LOCK_READS_OF_BOTH(
      "lock the rows that their writes rest on where they are read, in each of them"),
  /** Where no level helps. */
  LOCK_ALL_READS("No level prevents it here: lock the rows where they are read"),
  /** Run at a level that prevents it. */
  LEVEL(" at ");

  private final String text;

  Measure(String text) {
    this.text = text;
  }

  /** What the advice contains if it gives this one. */
  public String text() {
    return text;
  }
}
