package io.txwatch.oracle.troc;

import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.Step;
import java.util.Optional;

/** Ends the replay of an execution with a verdict. */
final class EarlyVerdictException extends Exception {
  private static final long serialVersionUID = 1;
  private final Result result;
  private final String reason;
  private final transient Optional<Step> statement;

  EarlyVerdictException(Result result, String reason, Optional<Step> statement) {
    super(reason);
    this.result = result;
    this.reason = reason;
    this.statement = statement;
  }

  /** A statement whose result differs from the one on its view. */
  static EarlyVerdictException mismatch(StepOutcome outcome, String expected) {
    return violation(outcome, ", its view gives " + expected);
  }

  /** A statement that did what the level forbids. */
  static EarlyVerdictException violation(StepOutcome outcome, String what) {
    return new EarlyVerdictException(
        Result.VIOLATION,
        describe(outcome) + what,
        Optional.of(outcome.step()).filter(step -> step.id() > 0));
  }

  /** A statement whose correct result cannot be determined. */
  static EarlyVerdictException undecided(StepOutcome outcome, String why) {
    return new EarlyVerdictException(
        Result.UNDECIDED,
        outcome.step().session() + ": " + outcome.step().sql() + ": " + why,
        Optional.of(outcome.step()));
  }

  private static String describe(StepOutcome outcome) {
    return "'"
        + outcome.step().session()
        + ": "
        + outcome.step().sql()
        + "' gave "
        + (outcome.isQuery() ? Values.bag(outcome.rows()) : "#" + outcome.updateCount());
  }

  boolean isViolation() {
    return result == Result.VIOLATION;
  }

  OracleVerdict verdict(String oracle) {
    return new OracleVerdict(oracle, result, reason, statement);
  }
}
