package io.txwatch.campaign;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.KnownBehaviour;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.testcase.TestCase;
import java.util.Optional;

/**
 * What a campaign found.
 *
 * @param verdict what the oracle says of {@code execution}
 * @param level at which level
 * @param original the case that showed it
 * @param reduced the same, made short
 * @param execution a run of the reduced case
 * @param reproduced in how many of {@code runs} fresh runs of the reduced case it showed
 * @param runs how many there were
 * @param known the behaviour on record that it fits
 */
public record Finding(
    OracleVerdict verdict,
    IsolationLevel level,
    TestCase original,
    TestCase reduced,
    CaseExecution execution,
    int reproduced,
    int runs,
    Optional<KnownBehaviour> known) {

  /** Who found it. */
  public String oracle() {
    return verdict.oracle();
  }

  /** What the oracle says of it. */
  public String reason() {
    return verdict.reason();
  }
}
