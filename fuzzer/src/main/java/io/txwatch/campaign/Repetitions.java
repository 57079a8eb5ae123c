package io.txwatch.campaign;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.reduction.CaseShape;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.SqlText;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Recognizes violations that were reported before. Reducing one case takes as long as executing a
 * hundred others, so only the first few of similar violations are reduced; of those that are
 * reduced to the same shape, whichever oracle found them, one is reported. Thread-safe.
 */
final class Repetitions {

  private static final int MAX_KNOWN = 2;
  private static final int MAX_PER_PHENOMENON = 5;
  private static final int MAX_UNKNOWN = 20;

  private final Map<String, Integer> reported = new ConcurrentHashMap<>();
  private final Set<CaseShape> shapes = ConcurrentHashMap.newKeySet();
  private final Set<IsolationLevel> weakened = ConcurrentHashMap.newKeySet();
  private final Map<SessionRoles, CampaignFinding> firsts = new ConcurrentHashMap<>();

  /** Counts the violation; true if enough similar ones were reported. */
  boolean isRepetition(
      CaseExecution execution, OracleVerdict verdict, Optional<KnownBehaviour> known) {
    if (verdict.phenomenon().isPresent()) {
      String signature = execution.level() + " " + verdict.phenomenon().get();
      return exceeds(MAX_PER_PHENOMENON, signature);
    }
    if (known.isPresent()) {
      return exceeds(MAX_KNOWN, execution.level() + " " + known.get().id());
    }
    return exceeds(MAX_UNKNOWN, signature(execution, verdict));
  }

  /** True if a violation that was reduced to this shape was reported. */
  boolean isReported(CaseShape shape) {
    return shapes.contains(shape);
  }

  /** Remembers that a violation was reported; false if one with this shape was. */
  boolean add(CaseShape shape) {
    return shapes.add(shape);
  }

  /**
   * Remembers that stronger levels are this one ({@link LevelProbes}); false if it was known. Every
   * anomaly that it permits shows this fault, at whichever of them.
   */
  boolean addWeakened(IsolationLevel asLevel) {
    return weakened.add(asLevel);
  }

  /**
   * The earlier finding whose sessions have the same roles as those of this one by the verdict of
   * the same oracle; empty if there is none, and then this one is remembered.
   */
  synchronized Optional<CampaignFinding> firstLike(CampaignFinding finding) {
    Set<SessionRoles> roles = SessionRoles.of(finding);
    for (SessionRoles each : roles) {
      CampaignFinding first = firsts.get(each);
      if (first != null) {
        return Optional.of(first);
      }
    }
    roles.forEach(each -> firsts.put(each, finding));
    return Optional.empty();
  }

  private boolean exceeds(int most, String signature) {
    return reported.merge(signature, 1, Integer::sum) > most;
  }

  /**
   * Violations without a known cause are similar if they have the same oracle, level, kinds of
   * effective statements, and blocked ones among these.
   */
  private static String signature(CaseExecution execution, OracleVerdict verdict) {
    TreeSet<String> kinds = new TreeSet<>();
    for (StepOutcome outcome : execution.outcomes()) {
      if (outcome.updateCount() > 0) {
        kinds.add((outcome.blocked() ? "waiting " : "") + kind(outcome.step().sql()));
      }
    }
    return String.join(
        " ",
        verdict.oracle(),
        execution.level().name(),
        verdict.statement().map(step -> kind(step.sql())).orElse(""),
        kinds.toString());
  }

  private static String kind(String sql) {
    return SqlText.of(sql).firstWord();
  }
}
