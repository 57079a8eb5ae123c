package io.txwatch.catalog;

import io.txwatch.history.BackgroundThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to a server, and waits for each only for a bounded time.
 *
 * <p>A driver can take minutes to connect: the server may be gone while the application's own
 * connection is idle, and a URL of several hosts is tried host by host, and again. The thread that
 * waits here is the application's. So the driver connects on another thread; one that is late is
 * closed when it arrives, and until then no further one is opened. An interrupt does not shorten
 * the wait, as it does not that of a driver: what is decided on the connection holds for other
 * threads.
 */
final class BoundedConnectionSource implements ConnectionSource {

  /** {@code SQLState} of a server that cannot be reached. */
  private static final String UNREACHABLE = "08001";

  private final ConnectionSource source;
  private final Duration limit;

  /** The one that is late; null if there is none. */
  private @Nullable Opening late;

  BoundedConnectionSource(ConnectionSource source, Duration limit) {
    this.source = source;
    this.limit = limit;
  }

  /**
   * Opens a connection.
   *
   * @throws SQLTimeoutException if that takes too long, or an earlier one has not been opened yet
   */
  @Override
  public Connection open() throws SQLException {
    Opening opening = start();
    try {
      return Uninterrupted.get(opening, limit);
    } catch (TimeoutException e) {
      throw tooLate(opening);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException error) {
        throw error;
      }
      throw new SQLException(e.getCause());
    }
  }

  private synchronized Opening start() throws SQLTimeoutException {
    if (late != null && !late.isDone()) {
      throw new SQLTimeoutException("an earlier connection is not open yet", UNREACHABLE);
    }
    late = null;
    Opening opening = new Opening(source);
    BackgroundThreads.create("txwatch-connect", opening).start();
    return opening;
  }

  private synchronized SQLTimeoutException tooLate(Opening opening) {
    late = opening;
    opening.abandon();
    return new SQLTimeoutException("no connection within " + limit.toMillis() + " ms", UNREACHABLE);
  }

  /**
   * A connection that is being opened.
   *
   * <p>No {@code CompletableFuture}: a thread of a {@code ForkJoinPool} that waits for one makes
   * its pool start another thread, and the pool is the application's.
   */
  private static final class Opening extends FutureTask<Connection> {
    private boolean isAbandoned;

    Opening(ConnectionSource source) {
      super(source::open);
    }

    /** No one waits for it any more. */
    synchronized void abandon() {
      isAbandoned = true;
      if (isDone()) {
        close();
      }
    }

    @Override
    protected synchronized void done() {
      if (isAbandoned) {
        close();
      }
    }

    private void close() {
      try {
        get().close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException | SQLException e) {
        // it was not opened, or is lost
      }
    }
  }
}
