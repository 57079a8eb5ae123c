package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.StatementOptions;
import java.sql.CallableStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A call: opaque, but a statement of its transaction all the same. */
class WatchedCallableStatement extends DelegatingCallableStatement {

  WatchedCallableStatement(
      CallableStatement delegate,
      ExecutionContext context,
      StatementOptions options,
      CachedPlan plan) {
    super(delegate, context, options, plan, plan);
  }

  @Override
  public @Nullable Object getObject(int index) throws SQLException {
    return shown(callable.getObject(index));
  }

  @Override
  public @Nullable Object getObject(String name) throws SQLException {
    return shown(callable.getObject(name));
  }

  /** A cursor that a call gives out leads back to its statement. */
  private @Nullable Object shown(@Nullable Object value) {
    return value instanceof ResultSet result ? new PlainResultSet(result, results()) : value;
  }
}
