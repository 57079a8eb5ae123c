package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.execution.ExecutionContext;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The description of a database to which we have added nothing. It is wrapped all the same, so that
 * it does not lead the application around us to a connection on which transactions end unseen.
 */
class PlainDatabaseMetaData extends DelegatingDatabaseMetaData {

  final ExecutionContext context;

  PlainDatabaseMetaData(DatabaseMetaData delegate, ExecutionContext context) {
    super(delegate);
    this.context = context;
  }

  @Override
  public @Nullable Connection getConnection() throws SQLException {
    return delegate.getConnection() == null ? null : context.shown();
  }

  @Override
  protected ResultSet result(ResultSet result) {
    return new MetadataResultSet(result, context);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return Unwrap.unwrap(this, delegate, type, context);
  }
}
