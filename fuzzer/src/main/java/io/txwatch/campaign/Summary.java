package io.txwatch.campaign;

import io.txwatch.oracle.GraphAnomaly;
import java.util.Map;
import java.util.SortedMap;

/**
 * What a campaign did.
 *
 * @param seed its seed
 * @param cases cases executed, at whatever level
 * @param undecided those of which the outcome cannot be told
 * @param racing those of them in which sessions were set free at a time, so that another run may
 *     end otherwise
 * @param unsupported those that no oracle applies to
 * @param unreproduced violations that a fresh run did not show again
 * @param findings findings reported
 * @param repeated violations that look like several reported before, and were only counted
 * @param statements statements executed in transactions
 * @param rejected those that the DBMS refused for what they say, not for what they meet
 * @param kinds how many statements of each kind were made
 * @param anomalies in how many cases graphs showed anomalies of each kind, found fault with or not
 * @param seconds how long it took
 */
public record Summary(
    long seed,
    long cases,
    long undecided,
    long racing,
    long unsupported,
    long unreproduced,
    long findings,
    long repeated,
    long statements,
    long rejected,
    Map<String, Long> kinds,
    SortedMap<GraphAnomaly.Kind, Long> anomalies,
    double seconds) {

  /** Cases a second. */
  public double casesPerSecond() {
    return seconds == 0 ? 0 : cases / seconds;
  }

  /** The share of statements that the DBMS accepted, from 0 to 1. */
  public double accepted() {
    return statements == 0 ? 1 : 1 - (double) rejected / statements;
  }
}
