package io.txwatch.catalog;

/** Receives lines for the operator of the application. */
@FunctionalInterface
public interface CatalogLog {

  /** Something to know that is no fault, such as a table that is not watched. */
  void notice(String line);

  /** Something that failed; it contains no SQL. */
  default void fault(String line) {
    notice(line);
  }

  /** A line whose rate is limited already; it contains no SQL. */
  default void repeated(String line) {
    fault(line);
  }
}
