package io.txwatch.jdbc;

import java.sql.SQLException;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;

/** A physical connection that takes part in distributed transactions. */
final class WatchedXaConnection extends WatchedPooledConnection implements XAConnection {

  private final XAConnection xa;

  WatchedXaConnection(XAConnection delegate, WatchedSession session) {
    super(delegate, session);
    this.xa = delegate;
  }

  @Override
  public XAResource getXAResource() throws SQLException {
    return new WatchedXaResource(xa.getXAResource(), session.tracker());
  }
}
