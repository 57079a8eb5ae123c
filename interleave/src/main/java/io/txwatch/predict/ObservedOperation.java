package io.txwatch.predict;

import java.util.List;

/**
 * An operation, and transactions of it with their values.
 *
 * @param template the operation
 * @param samples some of its transactions, the first ones and the last ones in their order; empty
 *     where values are not recorded
 */
public record ObservedOperation(OperationTemplate template, List<OperationSample> samples) {

  public ObservedOperation {
    samples = List.copyOf(samples);
  }
}
