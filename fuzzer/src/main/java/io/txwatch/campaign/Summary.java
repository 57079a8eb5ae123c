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
 * @param cases the executed cases, at any level
 * @param undecided the cases whose outcome is undecided
 * @param racing the cases in which several sessions were released at a time, so that another
 *     execution may differ
 * @param unsupported the cases to which no oracle applies
 * @param unreproduced the violations that a second execution did not reproduce
 * @param findings the reported findings
 * @param classes the number of reported findings of each class
 * @param repeated the violations that are similar to several reported ones and were only counted
 * @param statements the statements executed in transactions
 * @param rejected the statements that the DBMS rejected for reasons other than the data
 * @param kinds the number of generated statements of each kind
 * @param anomalies the number of cases with anomalies of each kind, forbidden or permitted
 * @param patterns the number of cases by what became of the pattern that they follow
 * @param oracles the verdicts of each oracle, by its name
 * @param rejections the errors with which the DBMS rejected statements, the most frequent one first
 * @param coverage how many different things of each kind the cases have shown
 * @param freeThreads what executions with freely threaded sessions have shown
 * @param seconds the duration
 */
public record Summary(
    long seed,
    long cases,
    long undecided,
    long racing,
    long unsupported,
    long unreproduced,
    long findings,
    SortedMap<FindingClass, Long> classes,
    long repeated,
    long statements,
    long rejected,
    Map<String, Long> kinds,
    SortedMap<GraphAnomaly.Kind, Long> anomalies,
    SortedMap<PatternCount, Long> patterns,
    Map<String, OracleCounts> oracles,
    List<Rejection> rejections,
    Map<NoveltyKind, Integer> coverage,
    FreeThreads freeThreads,
    double seconds) {

  /**
   * Executions with freely threaded sessions.
   *
   * @param executions the number of these
   * @param furtherAnomalies the kinds of anomalies that they showed and the execution of the same
   *     case by its schedule did not, summed over all cases
   */
  public record FreeThreads(long executions, long furtherAnomalies) {}

  public double casesPerSecond() {
    return seconds == 0 ? 0 : cases / seconds;
  }

  /**
   * True if it states nothing about the DBMS: most of its cases are undecided, or no oracle decided
   * any of them.
   */
  public boolean isUndecided() {
    return cases > 0 && (2 * undecided > cases || undecided + unsupported >= cases);
  }

  /** The proportion of statements that the DBMS accepted, from 0 to 1. */
  public double accepted() {
    return statements == 0 ? 1 : 1 - (double) rejected / statements;
  }
}
