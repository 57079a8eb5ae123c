package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.execution.GatedStatements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A result of a watched statement: {@code getStatement()} does not lead the application around us,
 * what is written through it is noticed, and it is equal to the driver's own.
 */
abstract class StatementResultSet extends DelegatingResultSet {

  /**
   * Where results come from.
   *
   * @param statement the watched statement
   * @param context of its connection
   * @param scrollable true if its results can be moved in both directions
   */
  record Origin(Statement statement, ExecutionContext context, boolean scrollable) {}

  final Origin origin;

  StatementResultSet(ResultSet delegate, Origin origin) {
    super(delegate);
    this.origin = origin;
  }

  @Override
  public Statement getStatement() throws SQLException {
    delegate.getStatement(); // for the driver's own error if it is closed
    return origin.statement();
  }

  @Override
  public void insertRow() throws SQLException {
    GatedStatements.beforeRow(origin.context(), "insertRow");
    delegate.insertRow();
    origin.context().writtenThrough();
  }

  @Override
  public void updateRow() throws SQLException {
    GatedStatements.beforeRow(origin.context(), "updateRow");
    delegate.updateRow();
    origin.context().writtenThrough();
  }

  @Override
  public void deleteRow() throws SQLException {
    GatedStatements.beforeRow(origin.context(), "deleteRow");
    delegate.deleteRow();
    origin.context().writtenThrough();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return Unwrap.unwrap(this, delegate, type, origin.context());
  }
}
