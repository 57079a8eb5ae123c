package io.txwatch.jdbc.wrap;

import java.sql.ResultSetMetaData;
import java.sql.SQLException;

/** The description of a result's columns, as far as the application sees them. */
class WatchedResultSetMetaData extends DelegatingResultSetMetaData {

  private final ColumnMask mask;

  WatchedResultSetMetaData(ResultSetMetaData delegate, ColumnMask mask) {
    super(delegate);
    this.mask = mask;
  }

  @Override
  public int getColumnCount() {
    return mask.visible();
  }

  @Override
  protected int column(int index) {
    return mask.behind(index);
  }

  @Override
  protected SQLException shown(SQLException error, int index) {
    return mask.shown(error, index);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return Unwrap.unwrap(this, delegate, type);
  }
}
