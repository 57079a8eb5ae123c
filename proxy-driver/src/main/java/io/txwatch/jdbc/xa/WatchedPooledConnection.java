package io.txwatch.jdbc.xa;

import io.txwatch.capture.SessionTracker;
import io.txwatch.history.IsolationLevel;
import io.txwatch.jdbc.execution.ExecutionContext;
import io.txwatch.jdbc.session.Levels;
import io.txwatch.jdbc.session.WatchedSession;
import io.txwatch.jdbc.wrap.DriverInterfaces;
import io.txwatch.jdbc.wrap.WatchedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.PooledConnection;
import javax.sql.StatementEventListener;
import org.jspecify.annotations.Nullable;

/**
 * A physical connection whose handles are watched: one session, however many handles there are one
 * after another.
 *
 * <p>The session begins on the first handle that the application takes, before it gets it. No
 * handle is taken for a look and closed again: a listener of the driver's own pool would take the
 * physical connection for free and give it to somebody else. Only a branch of a distributed
 * transaction may begin before the first handle; then the handle is taken a moment earlier and is
 * the one that the application gets when it wants it.
 */
public class WatchedPooledConnection implements PooledConnection {

  private final PooledConnection delegate;

  /** Begins a session on a handle; empty if it cannot be watched. */
  private final Function<Connection, Optional<WatchedSession>> opener;

  /**
   * True if the data source is a pool: with its handle, a physical connection goes back to it, and
   * may come again in another pooled connection.
   */
  private final boolean endsWithHandle;

  private final Map<ConnectionEventListener, ConnectionEventListener> listeners =
      new IdentityHashMap<>();

  private @Nullable WatchedSession session;

  /** True once {@link #session} has ended: it is only notified of the outcome of its branches. */
  private boolean ended;

  /** True if a handle could not be watched: none is. */
  private boolean unwatched;

  private @Nullable Connection untaken;

  /** That of the handle that was taken last. */
  private @Nullable ExecutionContext context;

  /** Identifies the handle that the application has; null if it has none. */
  private @Nullable Object handedOut;

  public WatchedPooledConnection(
      PooledConnection delegate,
      Function<Connection, Optional<WatchedSession>> opener,
      boolean endsWithHandle) {
    this.delegate = delegate;
    this.opener = opener;
    this.endsWithHandle = endsWithHandle;
  }

  @Override
  public synchronized Connection getConnection() throws SQLException {
    boolean isFirst = untaken != null || session == null || ended;
    Connection handle = untaken == null ? delegate.getConnection() : untaken;
    untaken = null;
    WatchedSession known = begun(handle);
    if (known == null) {
      return handle;
    }
    known.catalog().uses(handle);
    if (!known.tracker().inBranch()) {
      known.tracker().handedOut(handle.getAutoCommit(), levelOf(handle, known, isFirst));
    }
    Object number = new Object();
    handedOut = number;
    WatchedConnection shown =
        new WatchedConnection(
            handle,
            known,
            () -> {
              known.tracker().handedBack();
              handleClosed(number);
            });
    context = shown.context();
    return DriverInterfaces.show(shown);
  }

  /** The level of a handle; that of a later one is not known where the session is not queried. */
  private static IsolationLevel levelOf(Connection handle, WatchedSession session, boolean isFirst)
      throws SQLException {
    if (!session.database().versions().areByValue()) {
      return Levels.of(handle.getTransactionIsolation());
    }
    return isFirst ? session.tracker().level() : IsolationLevel.UNKNOWN;
  }

  private @Nullable WatchedSession begun(Connection handle) {
    if ((session == null || ended) && !unwatched) {
      Optional<WatchedSession> opened = opener.apply(handle);
      unwatched = opened.isEmpty();
      session = opened.orElse(null);
      ended = false;
    }
    return session;
  }

  /** A branch of a distributed transaction is about to begin: there is a session from now on. */
  synchronized void beforeBranch() {
    if (session == null || ended) {
      beginUntaken();
    }
  }

  private void beginUntaken() {
    if (!unwatched) {
      try {
        Connection handle = delegate.getConnection();
        untaken = handle;
        begun(handle);
      } catch (SQLException | RuntimeException e) {
        // The driver reports it again to the one who takes a handle.
      }
    }
  }

  /**
   * Who is notified of branches, also of their outcome after the session has ended. A transaction
   * manager that recovers decides branches through a connection of which it takes no handle: it
   * gets a session then.
   *
   * @return null if this connection is not watched
   */
  synchronized @Nullable SessionTracker tracker() {
    if (session == null) {
      beginUntaken();
    }
    return session == null ? null : session.tracker();
  }

  /** A handle was closed; an older one than the application has is closed by the driver. */
  private synchronized void handleClosed(Object handle) {
    if (handedOut == handle) {
      handedOut = null;
      endIfGivenBack();
    }
  }

  /** The work of a branch is about to end. A handle that the application closed did this then. */
  synchronized void beforeBranchEnds() {
    ExecutionContext last = context;
    if (last != null && handedOut != null) {
      last.beforeBranchEnds();
    }
  }

  /** A branch was ended: what follows does not belong to it. */
  synchronized void branchEnded() {
    endIfGivenBack();
  }

  private void endIfGivenBack() {
    WatchedSession known = session;
    if (endsWithHandle && handedOut == null && untaken == null && known != null && !ended) {
      ended = known.givenBack();
    }
  }

  @Override
  public void close() throws SQLException {
    try {
      delegate.close();
    } finally {
      closed();
    }
  }

  private synchronized void closed() {
    untaken = null;
    if (session != null && !ended) {
      ended = true;
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
