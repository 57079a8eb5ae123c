package io.txwatch.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A result of a watched statement: {@code getStatement()} does not lead the application around us,
 * what is written through it is noticed, and it is equal to the driver's own.
 */
abstract class StatementResultSet extends DelegatingResultSet {

  final ExecutingStatement statement;

  StatementResultSet(ResultSet delegate, ExecutingStatement statement) {
    super(delegate);
    this.statement = statement;
  }

  @Override
  public Statement getStatement() throws SQLException {
    delegate.getStatement(); // for the driver's own error if it is closed
    return statement;
  }

  @Override
  public void insertRow() throws SQLException {
    delegate.insertRow();
    statement.writtenThrough();
  }

  @Override
  public void updateRow() throws SQLException {
    delegate.updateRow();
    statement.writtenThrough();
  }

  @Override
  public void deleteRow() throws SQLException {
    delegate.deleteRow();
    statement.writtenThrough();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return Unwrap.unwrap(this, delegate, type, statement.connection);
  }
}
