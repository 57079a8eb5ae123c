package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.value.RecordedResult;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A result of which rows are read before the application reads them.
 *
 * <p>{@code wasNull} is about the application's own getters. Until it calls one, the answer is the
 * one that the driver would have given without ours.
 */
class RecordedResultSet extends StatementResultSet {

  private final @Nullable RecordedResult recorded;

  /** True until the application calls a getter on the row that was read last. */
  private boolean isReadByUs;

  /** The same before the last getter was called. */
  private boolean wasReadByUs;

  /** What the driver stated of {@code wasNull} before the row was read. */
  private boolean wasNull;

  private @Nullable SQLException wasNullFailed;

  /**
   * Wraps a result.
   *
   * @param recorded where its rows are recorded; null if they are not
   */
  RecordedResultSet(ResultSet delegate, Origin origin, @Nullable RecordedResult recorded) {
    super(delegate, origin);
    this.recorded = recorded;
  }

  // ---------------------------------------------------------------- columns

  @Override
  protected int column(int index) {
    readByApplication();
    return index;
  }

  @Override
  protected String label(String label) {
    readByApplication();
    return label;
  }

  private void readByApplication() {
    wasReadByUs = isReadByUs;
    isReadByUs = false;
  }

  @Override
  protected SQLException shown(SQLException error, int index) {
    isReadByUs = wasReadByUs; // it has read nothing
    return error;
  }

  @Override
  protected SQLException shown(SQLException error, String label) {
    isReadByUs = wasReadByUs;
    return error;
  }

  @Override
  public int findColumn(String label) throws SQLException {
    return delegate.findColumn(label);
  }

  @Override
  public boolean wasNull() throws SQLException {
    if (!isReadByUs || delegate.isClosed()) {
      return delegate.wasNull();
    }
    if (wasNullFailed != null) {
      throw wasNullFailed;
    }
    return wasNull;
  }

  /** Keeps what {@code wasNull} returns; false if it cannot be known, and nothing is to be read. */
  final boolean isAboutToRead() {
    if (isReadByUs) {
      return true;
    }
    try {
      wasNull = delegate.wasNull();
      wasNullFailed = null;
    } catch (SQLException e) {
      wasNullFailed = e;
    } catch (RuntimeException e) {
      origin.context().fault(e);
      return false;
    }
    isReadByUs = true;
    return true;
  }

  // ---------------------------------------------------------------- rows

  @Override
  public boolean next() throws SQLException {
    boolean onRow = delegate.next();
    if (onRow) {
      record();
    } else {
      recordEnd();
    }
    return onRow;
  }

  /** Records the row that the application has moved to, of a result that it reads forwards. */
  final void record() {
    RecordedResult into = recorded;
    if (into != null && !origin.scrollable() && into.takesRow() && isAboutToRead()) {
      into.row(delegate, -1, index -> index);
    }
  }

  /** The application has read the last row. */
  final void recordEnd() {
    if (recorded != null) {
      recorded.ended(delegate, -1, index -> index);
    }
  }

  @Override
  public void close() throws SQLException {
    if (recorded != null) {
      recorded.closed();
    }
    delegate.close();
  }
}
