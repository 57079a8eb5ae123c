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
 * @param patterns the anomaly patterns of the execution; empty unless they were searched
 */
public record OracleVerdict(
    String oracle,
    Result result,
    String reason,
    Optional<Step> statement,
    List<GraphAnomaly> anomalies,
    Optional<Patterns> patterns) {

  /**
   * The anomaly patterns that an execution shows.
   *
   * @param forbidden the ids of those that the level rules out
   * @param permitted the ids of the others
   * @param outcome what became of the pattern that the case was generated from; empty if it was not
   *     generated from one
   */
  public record Patterns(
      List<String> forbidden, List<String> permitted, Optional<PatternOutcome> outcome) {

    /** Copies its arguments. */
    public Patterns {
      forbidden = List.copyOf(forbidden);
      permitted = List.copyOf(permitted);
    }
  }

  /** What became of the pattern that a case was generated from, the most informative one first. */
  public enum PatternOutcome {
    /** The execution shows it although the level rules it out. */
    VIOLATED,
    /** The execution shows it, and the level permits it. */
    SHOWN,
    /** The DBMS ended a transaction with an error. */
    ABORTED,
    /** A statement had to wait. */
    BLOCKED,
    /** The statements were executed in the pattern's order and accessed other versions. */
    AVOIDED
  }

  /** Creates a verdict without patterns. */
  public OracleVerdict(
      String oracle,
      Result result,
      String reason,
      Optional<Step> statement,
      List<GraphAnomaly> anomalies) {
    this(oracle, result, reason, statement, anomalies, Optional.empty());
  }

  /** The same verdict with the patterns of the execution. */
  public OracleVerdict with(Patterns found) {
    return new OracleVerdict(oracle, result, reason, statement, anomalies, Optional.of(found));
  }

  /** The same verdict with words before its reason. */
  public OracleVerdict withReason(String before) {
    return new OracleVerdict(oracle, result, before + reason, statement, anomalies, patterns);
  }

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
    List<String> wantedPatterns = other.patterns.map(Patterns::forbidden).orElse(List.of());
    return result == Result.VIOLATION
        && (wantedPatterns.isEmpty()
            || patterns.map(Patterns::forbidden).orElse(List.of()).contains(wantedPatterns.get(0)))
        && (wanted.isEmpty()
            || anomalies.stream()
                .anyMatch(a -> a.isForbidden() && a.anomaly().phenomenon() == wanted.get()));
  }

  /** The possible results. */
  public enum Result {
    /** The DBMS behaved incorrectly. */
    VIOLATION("V"),
    /** The oracle found no violation. */
    CLEAN("C"),
    /** The outcome does not allow a decision. */
    UNDECIDED("U"),
    /** The oracle does not apply to this case. */
    UNSUPPORTED(".");

    private final String letter;

    Result(String letter) {
      this.letter = letter;
    }

    /** For tables. */
    public String letter() {
      return letter;
    }
  }
}
