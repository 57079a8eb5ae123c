package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.execution.Execution;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A result whose rows are known by their values: what stands in each row that the application
 * reaches is read once, before the application reads it.
 */
class ValueResultSet extends RecordedResultSet {

  private final Execution execution;

  /** Rows noted, by number, if the application can come back to a row. */
  private final @Nullable BitSet noted;

  /** Whether it may have fewer rows than the query chose. */
  private final boolean isCut;

  private static final int MAX_ROWS_ASKED = 4;

  /** Whether the application may leave it without asking for the row behind the last one. */
  private boolean mayEndUnasked;

  private int rows;

  ValueResultSet(ResultSet delegate, Origin origin, Execution execution, boolean isCut) {
    super(delegate, origin, execution.recorded());
    this.execution = execution;
    this.isCut = isCut;
    this.noted = origin.scrollable() ? new BitSet() : null;
    this.mayEndUnasked =
        noted == null
            && !isCut
            && execution.choosesRows()
            && origin.context().sql().driver().showsLastRow();
  }

  // ---------------------------------------------------------------- rows

  @Override
  public boolean next() throws SQLException {
    boolean onRow;
    try {
      onRow = delegate.next();
    } catch (SQLException e) {
      if (!delegate.isClosed()) {
        execution.failed(e);
      }
      throw e;
    }
    if (onRow) {
      execution.rowSeen();
      record();
      note();
      if (mayEndUnasked && isLastRow()) {
        execution.readToEnd();
      }
    } else {
      recordEnd();
    }
    if (!onRow && noted == null) {
      if (!isCut) {
        execution.readToEnd();
      }
      execution.succeeded(true);
    }
    return onRow;
  }

  /**
   * Whether the row is the last one, which an application that expects one row does not ask.
   * Answered for the first rows, where the driver has all of them already.
   */
  private boolean isLastRow() {
    if (++rows >= MAX_ROWS_ASKED) {
      mayEndUnasked = false;
    }
    try {
      return delegate.isLast();
    } catch (SQLException | RuntimeException e) {
      mayEndUnasked = false; // it does not have them
      return false;
    }
  }

  private void note() {
    if (!execution.readsValues() || !isNew()) {
      return;
    }
    if (isAboutToRead()) {
      execution.valuesOfRow(delegate);
    }
  }

  /** True if the row was not reached before. */
  private boolean isNew() {
    if (noted == null) {
      return true;
    }
    try {
      int row = delegate.getRow();
      boolean isNew = row > 0 && !noted.get(row);
      noted.set(Math.max(0, row));
      return isNew;
    } catch (SQLException | RuntimeException e) {
      return false;
    }
  }

  private boolean moved(boolean onRow) {
    if (onRow) {
      note();
    }
    return onRow;
  }

  @Override
  public boolean previous() throws SQLException {
    return moved(delegate.previous());
  }

  @Override
  public boolean first() throws SQLException {
    return moved(delegate.first());
  }

  @Override
  public boolean last() throws SQLException {
    return moved(delegate.last());
  }

  @Override
  public boolean absolute(int row) throws SQLException {
    return moved(delegate.absolute(row));
  }

  @Override
  public boolean relative(int rows) throws SQLException {
    return moved(delegate.relative(rows));
  }

  @Override
  public void close() throws SQLException {
    execution.over();
    super.close();
  }
}
