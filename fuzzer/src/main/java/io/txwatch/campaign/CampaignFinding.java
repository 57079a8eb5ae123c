package io.txwatch.campaign;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.testcase.TestCase;
import java.util.List;
import java.util.Optional;

/**
 * A finding of a campaign.
 *
 * @param verdict the oracle's verdict on {@code execution}
 * @param level the isolation level
 * @param original the case as generated
 * @param reduced the reduced case
 * @param execution an execution of the reduced case
 * @param reproduced how many of {@code runs} fresh executions of the reduced case reproduced the
 *     violation
 * @param runs the number of these executions
 * @param known the known behaviour that matches
 * @param others the verdicts of the campaign's other oracles on the reduced case
 * @param behavesLike the strongest weaker level at which the reduced case has the same outcome and
 *     the oracle reports no violation; empty if there is none, or if it was not determined
 * @param comparisons what other DBMSs do with the reduced case; empty if it was not compared
 */
public record CampaignFinding(
    OracleVerdict verdict,
    IsolationLevel level,
    TestCase original,
    TestCase reduced,
    CaseExecution execution,
    int reproduced,
    int runs,
    Optional<KnownBehaviour> known,
    List<OracleVerdict> others,
    Optional<IsolationLevel> behavesLike,
    List<DbmsComparison> comparisons) {

  /** Copies its arguments. */
  public CampaignFinding {
    others = List.copyOf(others);
    comparisons = List.copyOf(comparisons);
  }

  /** Creates a finding that was not compared with weaker levels and other DBMSs. */
  public CampaignFinding(
      OracleVerdict verdict,
      IsolationLevel level,
      TestCase original,
      TestCase reduced,
      CaseExecution execution,
      int reproduced,
      int runs,
      Optional<KnownBehaviour> known,
      List<OracleVerdict> others) {
    this(
        verdict,
        level,
        original,
        reduced,
        execution,
        reproduced,
        runs,
        known,
        others,
        Optional.empty(),
        List.of());
  }

  /** The same finding with the weaker level that it behaves like. */
  CampaignFinding behavingLike(Optional<IsolationLevel> weaker) {
    return new CampaignFinding(
        verdict,
        level,
        original,
        reduced,
        execution,
        reproduced,
        runs,
        known,
        others,
        weaker,
        comparisons);
  }

  /** The same finding with the verdicts of other oracles. */
  CampaignFinding with(List<OracleVerdict> verdicts) {
    return new CampaignFinding(
        verdict,
        level,
        original,
        reduced,
        execution,
        reproduced,
        runs,
        known,
        verdicts,
        behavesLike,
        comparisons);
  }

  /** The same finding with what other DBMSs do with the reduced case. */
  public CampaignFinding comparedWith(List<DbmsComparison> compared) {
    return new CampaignFinding(
        verdict,
        level,
        original,
        reduced,
        execution,
        reproduced,
        runs,
        known,
        others,
        behavesLike,
        compared);
  }

  /** In a line each, what other DBMSs do with the reduced case. */
  public List<String> comparisonLines() {
    return comparisons.stream().flatMap(each -> each.sentences().stream()).toList();
  }

  /**
   * The oracles that judged the reduced case and found no violation in it. They examine something
   * else, or they or this finding are wrong.
   */
  public List<String> disagreeing() {
    return others.stream()
        .filter(other -> other.result() == OracleVerdict.Result.CLEAN)
        .map(OracleVerdict::oracle)
        .toList();
  }

  /** Whether it is by design. */
  public FindingClass findingClass() {
    return KnownBehaviour.classOf(known);
  }

  /** In a sentence, the weaker level that it behaves like. */
  public Optional<String> likeness() {
    return behavesLike.map(
        weaker ->
            "The outcome is the same at %s, where it is no violation."
                .formatted(weaker.name().replace('_', ' ')));
  }

  /** True if every fresh execution reproduced it. */
  public boolean isReproduced() {
    return reproduced == runs;
  }

  /** The oracle that reported it. */
  public String oracle() {
    return verdict.oracle();
  }

  /** The oracle's reason. */
  public String reason() {
    return verdict.reason();
  }
}
