package io.txwatch.catalog;

import io.txwatch.history.BackgroundThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to a server, and waits for each only for a bounded time.
 *
 * <p>A driver can take minutes to connect: the server may be gone while the application's own
 * connection is idle, and a URL of several hosts is tried host by host, and again. The thread that
 * waits here is the application's. So the driver connects on another thread; one that is late is
 * closed when it arrives, and until then no further one is opened.
 */
final class BoundedConnectionSource implements ConnectionSource {

  /** {@code SQLState} of a server that cannot be reached. */
  private static final String UNREACHABLE = "08001";

  private final ConnectionSource source;
  private final Duration limit;

  /** The one that is late; null if there is none. */
  private @Nullable CompletableFuture<Connection> late;

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
    CompletableFuture<Connection> opening = start();
    try {
      return opening.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw tooLate(opening);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw tooLate(opening);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException error) {
        throw error;
      }
      throw new SQLException(e.getCause());
    }
  }

  private synchronized CompletableFuture<Connection> start() throws SQLTimeoutException {
    if (late != null && !late.isDone()) {
      throw new SQLTimeoutException("an earlier connection is not open yet", UNREACHABLE);
    }
    late = null;
    CompletableFuture<Connection> opening = new CompletableFuture<>();
    BackgroundThreads.create(
            "txwatch-connect",
            () -> {
              try {
                opening.complete(source.open());
              } catch (SQLException | RuntimeException | LinkageError e) {
                opening.completeExceptionally(e);
              }
            })
        .start();
    return opening;
  }

  private synchronized SQLTimeoutException tooLate(CompletableFuture<Connection> opening) {
    late = opening;
    CompletableFuture<Void> unused = opening.thenAccept(BoundedConnectionSource::close);
    return new SQLTimeoutException("no connection within " + limit.toMillis() + " ms", UNREACHABLE);
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      // nobody has used it
    }
  }
}
