package io.txwatch.proof;

import io.txwatch.history.IsolationLevel;
import io.txwatch.predict.OperationTemplate;
import java.util.List;
import java.util.Optional;

/**
 * The weakest level of an operation at which the observed operations stay serializable, and what
 * was executed to test that.
 *
 * @param operation the operation
 * @param level the level; empty if no level of the DBMS is strong enough
 * @param withoutExecutions the level by tables, columns and keys alone. If it is another one, the
 *     level rests on executions that showed no race, which is a test and not a proof
 * @param preventedBy why the next weaker level is not enough, a sentence each
 * @param allowedBy the changes that together would allow it, as far as tried changes do; empty if
 *     they do not
 * @param tested with how many operations it was executed at these levels, itself included
 * @param untested with how many that was not possible or not decided
 * @param contradictedBy the races that were executed at these levels
 */
public record CertifiedLevel(
    OperationTemplate operation,
    Optional<IsolationLevel> level,
    Optional<IsolationLevel> withoutExecutions,
    List<String> preventedBy,
    List<String> allowedBy,
    int tested,
    int untested,
    List<String> contradictedBy) {

  public CertifiedLevel {
    preventedBy = List.copyOf(preventedBy);
    allowedBy = List.copyOf(allowedBy);
    contradictedBy = List.copyOf(contradictedBy);
  }

  /** Whether candidates that no execution has shown would exclude the level. */
  public boolean restsOnExecutions() {
    return !level.equals(withoutExecutions);
  }

  /** Whether an execution contradicts the level. */
  public boolean isContradicted() {
    return !contradictedBy.isEmpty();
  }
}
