package io.txwatch.bench.nested;

import java.util.List;

/** The rows of each table that a query sees. */
@FunctionalInterface
interface TableRows {
  List<long[]> of(String table);

  /**
   * Notes what a subquery in a condition returned, or the values of which a subquery anywhere
   * returned the greatest.
   */
  default void operand(String values) {}
}
