package io.txwatch.campaign;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.KnownBehaviour;
import io.txwatch.schedule.Execution;
import io.txwatch.testcase.TestCase;
import java.util.Optional;

/**
 * What a campaign found.
 *
 * @param oracle who found it
 * @param level at which level
 * @param original the case that showed it
 * @param reduced the same, made short
 * @param execution a run of the reduced case
 * @param reason what the oracle says of it
 * @param reproduced in how many of {@code runs} fresh runs of the reduced case it showed
 * @param runs how many there were
 * @param known the behaviour on record that it fits
 */
public record Finding(
    String oracle,
    IsolationLevel level,
    TestCase original,
    TestCase reduced,
    Execution execution,
    String reason,
    int reproduced,
    int runs,
    Optional<KnownBehaviour> known) {}
