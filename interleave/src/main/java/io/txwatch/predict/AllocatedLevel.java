package io.txwatch.predict;

import io.txwatch.history.IsolationLevel;
import java.util.List;
import java.util.Optional;

/**
 * The weakest level that an operation may run at so that all operations stay serializable.
 *
 * @param operation the operation
 * @param level the level; empty if no level of the DBMS is strong enough
 * @param prevented why each weaker level is not enough, the weakest first
 */
public record AllocatedLevel(
    OperationTemplate operation, Optional<IsolationLevel> level, List<PreventedLevel> prevented) {

  /**
   * A level that is too weak.
   *
   * @param level the level
   * @param searchedAt the level whose search found the candidates: this one, or that of snapshot
   *     isolation
   * @param candidates the candidates that may happen if the operation runs at it
   * @param reason another reason; empty if the candidates are the reason
   */
  public record PreventedLevel(
      IsolationLevel level,
      IsolationLevel searchedAt,
      List<RaceCandidate> candidates,
      String reason) {

    public PreventedLevel {
      candidates = List.copyOf(candidates);
    }
  }

  public AllocatedLevel {
    prevented = List.copyOf(prevented);
  }
}
