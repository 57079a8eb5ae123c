package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.plan.StatementOptions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * A result of {@link java.sql.DatabaseMetaData}. Some drivers give it a statement, which must not
 * lead around us.
 */
class MetadataResultSet extends DelegatingResultSet {

  private final ExecutionContext context;

  MetadataResultSet(ResultSet delegate, ExecutionContext context) {
    super(delegate);
    this.context = context;
  }

  @Override
  public @Nullable Statement getStatement() throws SQLException {
    Statement behind = delegate.getStatement();
    return behind == null ? null : new WatchedStatement(behind, context, StatementOptions.PLAIN);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return Unwrap.unwrap(this, delegate, type, context);
  }
}
