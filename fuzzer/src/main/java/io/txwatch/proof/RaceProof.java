package io.txwatch.proof;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.IsolationLevel;
import io.txwatch.predict.RaceCandidate;
import io.txwatch.report.PredictedRaces;
import io.txwatch.testcase.TestCase;
import java.util.List;
import java.util.Optional;

/**
 * What the execution of a candidate has shown.
 *
 * @param candidate the candidate
 * @param result whether it is a race
 * @param phenomenon what the order that shows it is, or what was predicted if none does; empty if
 *     the order is a race, and neither its dependency graph nor its statements prove which
 * @param levels the level of each operation
 * @param reason in a sentence, why
 * @param executions how many orders were executed
 * @param schedule the calls of the order that shows it; empty if none does
 * @param anomalies what the dependency graph of that order shows
 * @param testCase the case, its steps in that order; empty if none shows it
 * @param assumptions what is not certain about the case, a sentence each
 * @param repairs which changes were tried, the cheapest first
 */
public record RaceProof(
    RaceCandidate candidate,
    Result result,
    Optional<Phenomenon> phenomenon,
    List<IsolationLevel> levels,
    String reason,
    int executions,
    List<String> schedule,
    List<Anomaly> anomalies,
    Optional<TestCase> testCase,
    List<String> assumptions,
    List<TriedRepair> repairs) {

  /**
   * A change that was tried.
   *
   * @param advice what to change, in words
   * @param removes whether no order shows the race any more
   * @param cost what operations have thrown in some orders, in words; empty if nothing
   */
  public record TriedRepair(String advice, boolean removes, String cost) {}

  /** The results. */
  public enum Result {
    /** An order of its statements shows the race. */
    CONFIRMED,
    /** No order does. */
    REFUTED,
    /** It could not be decided. */
    UNDECIDED
  }

  public RaceProof {
    levels = List.copyOf(levels);
    schedule = List.copyOf(schedule);
    anomalies = List.copyOf(anomalies);
    assumptions = List.copyOf(assumptions);
    repairs = List.copyOf(repairs);
  }

  /** The term of its phenomenon; without one, what every race is. */
  public String term() {
    return phenomenon.map(Phenomenon::term).orElse(PredictedRaces.UNNAMED);
  }
}
