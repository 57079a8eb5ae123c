package io.txwatch.jdbc.xa;

import io.txwatch.jdbc.session.WatchedSession;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;

/** A physical connection that takes part in distributed transactions. */
public final class WatchedXaConnection extends WatchedPooledConnection implements XAConnection {

  private final XAConnection xa;

  public WatchedXaConnection(
      XAConnection delegate,
      Function<Connection, Optional<WatchedSession>> opener,
      boolean endsWithHandle) {
    super(delegate, opener, endsWithHandle);
    this.xa = delegate;
  }

  @Override
  public XAResource getXAResource() throws SQLException {
    return new WatchedXaResource(xa.getXAResource(), this);
  }
}
