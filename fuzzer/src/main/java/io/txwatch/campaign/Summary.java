package io.txwatch.campaign;

import io.txwatch.oracle.GraphAnomaly;
import io.txwatch.oracle.known.FindingClass;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * The results of a campaign.
 *
 * @param seed its seed
 * @param cases its cases
 * @param findings the violations in them
 * @param statements the statements of the cases
 * @param oracles the verdicts of each oracle, by its name
 * @param observed what the cases have shown, whether forbidden or permitted
 * @param seconds the duration
 */
public record Summary(
    long seed,
    Cases cases,
    Findings findings,
    Statements statements,
    Map<String, OracleCounts> oracles,
    Observed observed,
    double seconds) {

  /**
   * The cases.
   *
   * @param executed those executed, at any level
   * @param undecided those whose outcome is undecided
   * @param racing those in which several sessions were released at a time, so that another
   *     execution may differ
   * @param unsupported those to which no oracle applies
   */
  public record Cases(long executed, long undecided, long racing, long unsupported) {}

  /**
   * The violations.
   *
   * @param reported the reported findings
   * @param classes the number of reported findings of each class
   * @param repeated the violations that are similar to several reported ones and were only counted
   * @param unreproduced the violations that a second execution did not reproduce
   */
  public record Findings(
      long reported, SortedMap<FindingClass, Long> classes, long repeated, long unreproduced) {}

  /**
   * The statements of the cases.
   *
   * @param executed those executed in transactions
   * @param rejected those that the DBMS rejected for reasons other than the data
   * @param kinds the number of generated statements of each kind
   * @param rejections the errors with which the DBMS rejected statements, the most frequent one
   *     first
   */
  public record Statements(
      long executed, long rejected, Map<String, Long> kinds, List<Rejection> rejections) {

    /** The proportion of statements that the DBMS accepted, from 0 to 1. */
    public double accepted() {
      return executed == 0 ? 1 : 1 - (double) rejected / executed;
    }
  }

  /**
   * What the cases have shown.
   *
   * @param anomalies the number of cases with anomalies of each kind, forbidden or permitted
   * @param patterns the number of cases by what became of the pattern that they follow
   * @param coverage how many different things of each kind the cases have shown
   * @param freeThreads what executions with freely threaded sessions have shown
   * @param furtherOrders how many orders were executed beside the generated ones
   */
  public record Observed(
      SortedMap<GraphAnomaly.Kind, Long> anomalies,
      SortedMap<PatternCount, Long> patterns,
      Map<NoveltyKind, Integer> coverage,
      FreeThreads freeThreads,
      long furtherOrders) {}

  /**
   * Executions with freely threaded sessions.
   *
   * @param executions the number of these
   * @param furtherAnomalies the kinds of anomalies that they showed and the execution of the same
   *     case by its schedule did not, summed over all cases
   */
  public record FreeThreads(long executions, long furtherAnomalies) {}

  public double casesPerSecond() {
    return seconds == 0 ? 0 : cases.executed() / seconds;
  }

  /**
   * True if it states nothing about the DBMS: most of its cases are undecided, or no oracle decided
   * any of them.
   */
  public boolean isUndecided() {
    return cases.executed() > 0
        && (2 * cases.undecided() > cases.executed()
            || cases.undecided() + cases.unsupported() >= cases.executed());
  }
}
