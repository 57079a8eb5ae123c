package io.txwatch.predict;

import java.util.List;

/**
 * A transaction of a template as it was observed, with its values.
 *
 * @param statements what it executed, the statements of loops as often as they were
 */
public record OperationSample(List<SampledStatement> statements) {

  public OperationSample {
    statements = List.copyOf(statements);
  }
}
