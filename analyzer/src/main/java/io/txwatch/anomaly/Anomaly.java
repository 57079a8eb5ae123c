package io.txwatch.anomaly;

import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.util.List;
import java.util.Optional;

/**
 * One anomaly with its evidence and the verdict on it.
 *
 * @param phenomenon its name
 * @param cycleClass the class of its cycle; empty if it is not a cycle (G1a, G1b, internal)
 * @param verdict whose fault it is
 * @param confidence whether all its transactions have ended
 * @param database the DBMS
 * @param isolation the level it is judged at: the weakest of its transactions'
 * @param transactions its transactions; for a cycle, in the order of the cycle
 * @param cycle the edges: {@code cycle[i]} leads from {@code transactions[i]} to the next, the last
 *     back to the first. For G1a, G1b and internal the one dependency that is wrong
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
   * The class of its cycle, as reports print it: {@code G-single}; {@code G-single-process} where
   * it takes the order of a session, {@code G-single-realtime} where it takes that of time. Empty
   * if it is no cycle.
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
   * Whether it rests on a dependency that may not be one: a predicate may not have looked at a row,
   * or a read beside a statement may have seen another version. Such an anomaly is never a
   * violation and never confirmed.
   */
  public boolean possible() {
    return cycle.stream().anyMatch(edge -> edge.evidence().possible());
  }

  /**
   * When it was complete, in microseconds since 1970: the end of the last of its transactions; 0 if
   * that is not known.
   */
  public long micros() {
    return transactions.stream().mapToLong(ObservedTransaction::endedMicros).max().orElse(0);
  }
}
