package io.txwatch.comparison;

/**
 * How much a run has observed.
 *
 * @param transactions transactions that ended
 * @param executed statements that were executed
 * @param observed those whose rows were observed
 * @param lost events that are known to be missing
 */
public record Traffic(long transactions, long executed, long observed, long lost) {

  /** The percentage of the statements whose rows were observed; 100 if there are none. */
  public double observedPercent() {
    return executed == 0 ? 100 : 100.0 * observed / executed;
  }

  /** This and another traffic together. */
  public Traffic plus(Traffic other) {
    return new Traffic(
        transactions + other.transactions,
        executed + other.executed,
        observed + other.observed,
        lost + other.lost);
  }
}
