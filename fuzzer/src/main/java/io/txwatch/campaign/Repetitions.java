package io.txwatch.campaign;

import io.txwatch.oracle.KnownBehaviour;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a campaign has found before. To make one case short takes as long as to try a hundred
 * others, so of those that look alike only the first few are. Thread-safe.
 */
final class Repetitions {

  private static final int MAX_KNOWN = 2;
  private static final int MAX_PER_PHENOMENON = 5;
  private static final int MAX_UNKNOWN = 20;

  private final Map<String, Integer> reported = new ConcurrentHashMap<>();

  /** True if enough of its like was reported; notes it if not. */
  boolean isRepetition(
      CaseExecution execution, OracleVerdict verdict, Optional<KnownBehaviour> known) {
    if (verdict.phenomenon().isPresent()) {
      String signature = execution.level() + " " + verdict.phenomenon().get();
      return exceeds(MAX_PER_PHENOMENON, signature);
    }
    return exceeds(
        known.isPresent() ? MAX_KNOWN : MAX_UNKNOWN, signature(execution, verdict, known));
  }

  private boolean exceeds(int most, String signature) {
    return reported.merge(signature, 1, Integer::sum) > most;
  }

  /**
   * Who found it where, what it is known as, which kinds of statement met, which of them waited.
   */
  private static String signature(
      CaseExecution execution, OracleVerdict verdict, Optional<KnownBehaviour> known) {
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
        known.map(KnownBehaviour::id).orElse("unknown"),
        verdict.statement().map(step -> kind(step.sql())).orElse(""),
        kinds.toString());
  }

  private static String kind(String sql) {
    return sql.strip().split("\\s+", 2)[0].toUpperCase(Locale.ROOT);
  }
}
