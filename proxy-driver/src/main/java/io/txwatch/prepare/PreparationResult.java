package io.txwatch.prepare;

import java.util.List;

/**
 * What became of a plan.
 *
 * @param changed the tables that were changed
 * @param failed the tables that could not be and are as they were, each with the reason
 */
public record PreparationResult(List<String> changed, List<Failure> failed) {

  /** A table and why it could not be changed. */
  public record Failure(String table, String reason) {}

  /** True if everything planned was done. */
  public boolean complete() {
    return failed.isEmpty();
  }
}
