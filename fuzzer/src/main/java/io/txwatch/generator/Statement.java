package io.txwatch.generator;

import java.util.Set;

/**
 * A generated statement.
 *
 * @param kind what campaigns count it as; empty for one that begins, marks or ends a transaction
 * @param sql its text
 * @param mayMeet the errors that the data may give it
 */
record Statement(String kind, String sql, Set<ExpectedError> mayMeet) {

  /** One that begins, marks or ends. */
  static Statement control(String sql) {
    return new Statement("", sql, Set.of());
  }
}
