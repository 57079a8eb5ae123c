package io.txwatch.jdbc;

import java.sql.CallableStatement;

/** A call: opaque, but a statement of its transaction all the same. */
final class WatchedCallableStatement extends DelegatingCallableStatement {

  WatchedCallableStatement(
      CallableStatement delegate,
      WatchedConnection connection,
      StatementOptions options,
      CachedPlan plan) {
    super(delegate, connection, options, plan, plan);
  }
}
