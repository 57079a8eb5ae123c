package io.txwatch.anomaly;

import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.util.List;
import java.util.Optional;

/**
 * An anomaly with its evidence and its verdict.
 *
 * @param phenomenon its name
 * @param cycleClass the class of its cycle; empty if it is not a cycle (G1a, G1b, internal)
 * @param verdict whose fault it is
 * @param confidence whether all its transactions have ended
 * @param database the DBMS
 * @param isolation the level it is judged at
 * @param transactions its transactions; for a cycle, in the order of the cycle
 * @param cycle the edges: {@code cycle[i]} leads from {@code transactions[i]} to the next, the last
 *     back to the first; for G1a, G1b and internal, the one dependency that is wrong; for a stale
 *     write the two dependencies that it consists of
 * @param advice what would prevent it, in a sentence or two
 */
public record Anomaly(
    Phenomenon phenomenon,
    Optional<CycleClass> cycleClass,
    Verdict verdict,
    Confidence confidence,
    Database database,
    IsolationLevel isolation,
    List<ObservedTransaction> transactions,
    List<Dependency> cycle,
    String advice) {

  /**
   * The class of its cycle, as reports print it: {@code G-single}; {@code G-single-process} if it
   * needs session order, {@code G-single-realtime} if it needs real-time order. Empty if it is not
   * a cycle.
   */
  public Optional<String> cycleTerm() {
    return cycleClass.map(
        of ->
            of.term()
                + (has(DependencyKind.RT)
                    ? "-realtime"
                    : has(DependencyKind.SO) ? "-process" : ""));
  }

  private boolean has(DependencyKind kind) {
    return cycle.stream().anyMatch(edge -> edge.kind() == kind);
  }

  /**
   * Whether one of its dependencies is only possible: a predicate may not have read a row, or a
   * side read may have returned another version. Every stale write is: the writer may not have used
   * what the reader read. Such an anomaly is never a violation.
   */
  public boolean possible() {
    return phenomenon == Phenomenon.STALE_WRITE
        || cycle.stream().anyMatch(edge -> edge.evidence().possible());
  }

  /** The same anomaly with another verdict. */
  public Anomaly with(Verdict other) {
    return new Anomaly(
        phenomenon,
        cycleClass,
        other,
        confidence,
        database,
        isolation,
        transactions,
        cycle,
        advice);
  }

  /** When the last of its transactions ended, in microseconds since 1970; 0 if unknown. */
  public long micros() {
    return transactions.stream().mapToLong(ObservedTransaction::endedMicros).max().orElse(0);
  }
}
