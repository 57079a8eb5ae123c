package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.error.Places;
import io.txwatch.plan.RewritePlan;
import java.sql.ParameterMetaData;
import java.sql.SQLException;

/** The description of a statement's parameters: the application's, by the application's indexes. */
class WatchedParameterMetaData extends DelegatingParameterMetaData {

  private final RewritePlan plan;

  WatchedParameterMetaData(ParameterMetaData delegate, RewritePlan plan) {
    super(delegate);
    this.plan = plan;
  }

  @Override
  public int getParameterCount() throws SQLException {
    return delegate.getParameterCount() - plan.addedParameters();
  }

  @Override
  protected int place(int index) {
    return Places.behind(plan, index);
  }

  @Override
  protected SQLException shown(SQLException error, int index) {
    return Places.shown(error, plan, index);
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return Unwrap.unwrap(this, delegate, type);
  }
}
