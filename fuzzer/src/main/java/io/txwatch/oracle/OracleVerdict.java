package io.txwatch.oracle;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.testcase.Step;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What an oracle says of an execution.
 *
 * @param oracle the oracle's name: {@code writecheck}
 * @param result what it says
 * @param reason why, in a sentence for people; for a violation, what differs from what
 * @param statement the statement that shows it; empty if it is the final state, or none alone
 * @param anomalies what a dependency graph shows, ruled out or permitted
 */
public record OracleVerdict(
    String oracle,
    Result result,
    String reason,
    Optional<Step> statement,
    List<GraphAnomaly> anomalies) {

  /** One that no graph shows. */
  public OracleVerdict(String oracle, Result result, String reason, Optional<Step> statement) {
    this(oracle, result, reason, statement, List.of());
  }

  /** One that no statement alone shows. */
  public OracleVerdict(String oracle, Result result, String reason) {
    this(oracle, result, reason, Optional.empty());
  }

  /**
   * The phenomenon that it finds fault with; the first of several as {@link Phenomenon} has them.
   */
  public Optional<Phenomenon> phenomenon() {
    return anomalies.stream()
        .filter(GraphAnomaly::isForbidden)
        .map(anomaly -> anomaly.anomaly().phenomenon())
        .min(Comparator.naturalOrder());
  }

  /** True if it finds fault with what another verdict found fault with. */
  public boolean reproduces(OracleVerdict other) {
    Optional<Phenomenon> wanted = other.phenomenon();
    return result == Result.VIOLATION
        && (wanted.isEmpty()
            || anomalies.stream()
                .anyMatch(a -> a.isForbidden() && a.anomaly().phenomenon() == wanted.get()));
  }

  /** The text of that statement, or nothing. */
  String sql() {
    return statement.map(Step::sql).orElse("");
  }

  /** What an oracle may say. */
  public enum Result {
    /** The DBMS did what it must not. */
    VIOLATION,
    /** Nothing is wrong as far as this oracle can see. */
    CLEAN,
    /** It cannot be told. */
    UNDECIDED,
    /** The oracle does not apply to such a case. */
    UNSUPPORTED
  }
}
