package io.txwatch.bench.nested;

import java.util.List;

/** The rows of each table that a query sees. */
@FunctionalInterface
interface TableRows {
  List<long[]> of(String table);

  /**
   * Notes what a subquery in a condition returned, the values of which a subquery anywhere returned
   * the greatest, or which rows the outermost block returned.
   */
  default void operand(String values) {}
}
