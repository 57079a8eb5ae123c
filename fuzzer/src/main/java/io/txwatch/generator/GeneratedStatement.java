package io.txwatch.generator;

import java.util.Set;

/**
 * A generated statement.
 *
 * @param kind its kind, for statistics; empty for transaction control
 * @param sql its text
 * @param expectedErrors the errors that the data may cause
 */
record GeneratedStatement(String kind, String sql, Set<ExpectedError> expectedErrors) {

  /** A statement that begins or ends a transaction, or handles a savepoint. */
  static GeneratedStatement control(String sql) {
    return new GeneratedStatement("", sql, Set.of());
  }
}
