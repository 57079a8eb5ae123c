package io.txwatch.jdbc.wrap;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.PooledConnection;

/** A handle that closes the pooled connection that it is of: no one else has that. */
public class OwningConnection extends DelegatingConnection {

  private final PooledConnection owned;

  /** The handle of a pooled connection. */
  public OwningConnection(Connection handle, PooledConnection owned) {
    super(handle);
    this.owned = owned;
  }

  @Override
  public void close() throws SQLException {
    delegate.close();
    owned.close();
  }
}
