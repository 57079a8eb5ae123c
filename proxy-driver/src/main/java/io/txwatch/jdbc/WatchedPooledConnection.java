package io.txwatch.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.Map;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.PooledConnection;
import javax.sql.StatementEventListener;

/**
 * A physical connection whose handles are watched: one session, however many handles there are one
 * after another.
 */
class WatchedPooledConnection implements PooledConnection {

  private final PooledConnection delegate;
  final WatchedSession session;
  private final Map<ConnectionEventListener, ConnectionEventListener> listeners =
      new IdentityHashMap<>();

  WatchedPooledConnection(PooledConnection delegate, WatchedSession session) {
    this.delegate = delegate;
    this.session = session;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection handle = delegate.getConnection();
    session.catalog().uses(handle);
    if (!session.tracker().inBranch()) {
      session
          .tracker()
          .handedOut(handle.getAutoCommit(), Levels.orDefault(handle.getTransactionIsolation()));
    }
    return new WatchedConnection(handle, session, true);
  }

  @Override
  public void close() throws SQLException {
    try {
      delegate.close();
    } finally {
      session.close();
    }
  }

  /** A pool knows a connection by the object that it got, which is this one. */
  @Override
  public void addConnectionEventListener(ConnectionEventListener listener) {
    ConnectionEventListener behind = new Renaming(listener);
    synchronized (listeners) {
      listeners.put(listener, behind);
    }
    delegate.addConnectionEventListener(behind);
  }

  @Override
  public void removeConnectionEventListener(ConnectionEventListener listener) {
    ConnectionEventListener behind;
    synchronized (listeners) {
      behind = listeners.remove(listener);
    }
    delegate.removeConnectionEventListener(behind == null ? listener : behind);
  }

  @Override
  public void addStatementEventListener(StatementEventListener listener) {
    delegate.addStatementEventListener(listener);
  }

  @Override
  public void removeStatementEventListener(StatementEventListener listener) {
    delegate.removeStatementEventListener(listener);
  }

  /** Passes events on with the wrapper as their source. */
  private final class Renaming implements ConnectionEventListener {
    private final ConnectionEventListener listener;

    Renaming(ConnectionEventListener listener) {
      this.listener = listener;
    }

    @Override
    public void connectionClosed(ConnectionEvent event) {
      listener.connectionClosed(renamed(event));
    }

    @Override
    public void connectionErrorOccurred(ConnectionEvent event) {
      listener.connectionErrorOccurred(renamed(event));
    }

    private ConnectionEvent renamed(ConnectionEvent event) {
      return new ConnectionEvent(WatchedPooledConnection.this, event.getSQLException());
    }
  }
}
