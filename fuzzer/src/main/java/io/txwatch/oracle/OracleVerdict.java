package io.txwatch.oracle;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.testcase.Step;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * An oracle's verdict on an execution.
 *
 * @param oracle the oracle's name: {@code writecheck}
 * @param result the result
 * @param reason the reason, a sentence; for a violation, the difference
 * @param statement the statement that shows the violation; empty if it is the final state or more
 *     than one statement
 * @param anomalies the anomalies of the dependency graph, forbidden or permitted
 */
public record OracleVerdict(
    String oracle,
    Result result,
    String reason,
    Optional<Step> statement,
    List<GraphAnomaly> anomalies) {

  /** Creates a verdict without a dependency graph. */
  public OracleVerdict(String oracle, Result result, String reason, Optional<Step> statement) {
    this(oracle, result, reason, statement, List.of());
  }

  /** Creates a verdict without a statement. */
  public OracleVerdict(String oracle, Result result, String reason) {
    this(oracle, result, reason, Optional.empty());
  }

  /** The forbidden phenomenon; of several, the first by declaration order. */
  public Optional<Phenomenon> phenomenon() {
    return anomalies.stream()
        .filter(GraphAnomaly::isForbidden)
        .map(anomaly -> anomaly.anomaly().phenomenon())
        .min(Comparator.naturalOrder());
  }

  /** True if it reports the same violation as another verdict. */
  public boolean reproduces(OracleVerdict other) {
    Optional<Phenomenon> wanted = other.phenomenon();
    return result == Result.VIOLATION
        && (wanted.isEmpty()
            || anomalies.stream()
                .anyMatch(a -> a.isForbidden() && a.anomaly().phenomenon() == wanted.get()));
  }

  /** The possible results. */
  public enum Result {
    /** The DBMS behaved incorrectly. */
    VIOLATION,
    /** The oracle found no violation. */
    CLEAN,
    /** The outcome does not allow a decision. */
    UNDECIDED,
    /** The oracle does not apply to this case. */
    UNSUPPORTED
  }
}
