package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.plan.RewritePlan;

/**
 * What a DBMS and its driver take in one statement. Where the application's own statement is near a
 * limit, ours stay out of it.
 */
final class Limits {

  private Limits() {}

  /** True if a text has too many parameters, for what of it is ours. */
  static boolean exceeds(RewritePlan plan, DialectSql sql) {
    int added = plan.addedParameters();
    return added > 0 && plan.parameterCount() + added > sql.maxParameters();
  }
}
