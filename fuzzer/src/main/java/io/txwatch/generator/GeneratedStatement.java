package io.txwatch.generator;

import java.util.Set;

/**
 * A generated statement.
 *
 * @param kind what campaigns count it as; empty for one that begins, marks or ends a transaction
 * @param sql its text
 * @param expectedErrors the errors that the data may give it
 */
record GeneratedStatement(String kind, String sql, Set<ExpectedError> expectedErrors) {

  /** One that begins, marks or ends. */
  static GeneratedStatement control(String sql) {
    return new GeneratedStatement("", sql, Set.of());
  }
}
