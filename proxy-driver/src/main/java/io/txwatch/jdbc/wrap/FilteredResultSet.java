package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.execution.ExecutionContext;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A result of {@link java.sql.DatabaseMetaData} without the rows that name something of ours. Row
 * numbers are those of the rows that are left.
 */
class FilteredResultSet extends MetadataResultSet {

  /** Tests whether the row that a result stands on names something of ours. */
  interface Ours {
    boolean test(ResultSet row) throws SQLException;
  }

  private final Ours ours;
  private int row;

  FilteredResultSet(ResultSet delegate, ExecutionContext context, Ours ours) {
    super(delegate, context);
    this.ours = ours;
  }

  /** Whether a row of this result, or of another of the same columns, names something of ours. */
  final boolean isOurs(ResultSet any) throws SQLException {
    return ours.test(any);
  }

  @Override
  public boolean next() throws SQLException {
    while (delegate.next()) {
      if (!isOurs(delegate)) {
        row++;
        return true;
      }
    }
    row = 0;
    return false;
  }

  @Override
  public boolean previous() throws SQLException {
    while (delegate.previous()) {
      if (!isOurs(delegate)) {
        row = Math.max(0, row - 1);
        return true;
      }
    }
    row = 0;
    return false;
  }

  @Override
  public void beforeFirst() throws SQLException {
    delegate.beforeFirst();
    row = 0;
  }

  @Override
  public boolean first() throws SQLException {
    beforeFirst();
    return next();
  }

  @Override
  public boolean last() throws SQLException {
    return absolute(-1);
  }

  @Override
  public boolean absolute(int wanted) throws SQLException {
    int target = wanted;
    if (wanted < 0) {
      int count = 0;
      for (beforeFirst(); next(); ) {
        count++;
      }
      target = count + 1 + wanted;
    }
    beforeFirst();
    while (target > 0 && next()) {
      target--;
      if (target == 0) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean relative(int rows) throws SQLException {
    if (delegate.getType() == TYPE_FORWARD_ONLY) {
      return delegate.relative(rows); // for the driver's own error
    }
    boolean onRow = row > 0;
    for (int i = 0; i < rows; i++) {
      onRow = next();
    }
    for (int i = 0; i > rows; i--) {
      onRow = previous();
    }
    return onRow;
  }

  @Override
  public int getRow() {
    return row;
  }
}
