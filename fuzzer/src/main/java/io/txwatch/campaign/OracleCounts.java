package io.txwatch.campaign;

import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * An oracle's verdicts on the cases of a campaign.
 *
 * @param decided the cases that it decided
 * @param undecided the reasons for which it could not decide cases, and how many; the most frequent
 *     first
 * @param notApplicable the reasons for which it did not apply to cases, and how many; the most
 *     frequent first
 */
public record OracleCounts(
    long decided, Map<String, Long> undecided, Map<String, Long> notApplicable) {

  /** After so many different reasons, further ones are counted together. */
  private static final int MAX_REASONS = 200;

  /** The number of cases that it could not decide. */
  public long undecidedCases() {
    return sum(undecided);
  }

  /** The number of cases to which it did not apply. */
  public long notApplicableCases() {
    return sum(notApplicable);
  }

  private static long sum(Map<String, Long> reasons) {
    return reasons.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Counts verdicts. */
  static final class Counter {
    private long decided;
    private final Map<String, Long> undecided = new LinkedHashMap<>();
    private final Map<String, Long> notApplicable = new LinkedHashMap<>();

    synchronized void add(OracleVerdict verdict, TestCase testCase) {
      if (verdict.result() == Result.UNDECIDED) {
        add(undecided, reason(verdict, testCase));
      } else if (verdict.result() == Result.UNSUPPORTED) {
        add(notApplicable, reason(verdict, testCase));
      } else {
        decided++;
      }
    }

    private static void add(Map<String, Long> reasons, String reason) {
      boolean isFull = reasons.size() >= MAX_REASONS && !reasons.containsKey(reason);
      reasons.merge(isFull ? "other reasons" : reason, 1L, Long::sum);
    }

    synchronized OracleCounts counts() {
      return new OracleCounts(decided, sorted(undecided), sorted(notApplicable));
    }

    private static Map<String, Long> sorted(Map<String, Long> reasons) {
      Map<String, Long> sorted = new LinkedHashMap<>();
      reasons.entrySet().stream()
          .sorted(
              Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                  .thenComparing(Map.Entry.comparingByKey()))
          .forEach(each -> sorted.put(each.getKey(), each.getValue()));
      return sorted;
    }
  }

  /** The reason without what is specific to the case: its statements, and details. */
  private static String reason(OracleVerdict verdict, TestCase testCase) {
    String reason = verdict.reason();
    for (Step step : testCase.steps()) {
      reason =
          reason
              .replace(step.session() + ": " + step.sql() + ": ", "")
              .replace("'" + step.sql() + "'", "a statement");
    }
    return reason.split("; |: ", 2)[0];
  }
}
