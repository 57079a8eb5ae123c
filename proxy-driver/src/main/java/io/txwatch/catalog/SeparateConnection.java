package io.txwatch.catalog;

import io.txwatch.history.BackgroundThreads;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The one connection of txwatch's own to a database, for what it asks the DBMS where nothing of
 * ours may be sent on the application's connections: opened as the application has opened one of
 * its own, in autocommit, with bounds on what it may wait for. Thread-safe; one use at a time.
 *
 * <p>To a server it stays open between uses, and is closed when it was not used for {@value
 * #IDLE_SECONDS} seconds. To a database that is part of this process it is closed after each use,
 * so that it keeps none in memory alive.
 */
final class SeparateConnection implements AutoCloseable {

  private static final Duration WORK = Duration.ofSeconds(2);
  private static final Duration LOCK = Duration.ofMillis(400);
  private static final int IDLE_SECONDS = 2;
  private static final long IDLE_NANOS = IDLE_SECONDS * 1_000_000_000L;

  /** Its thread ends when nothing waits; of its own, so that it keeps no application's loader. */
  private static final ScheduledExecutorService LATER = later();

  private ConnectionSource opener;
  private ConnectionSource source;
  private volatile ConnectionSource newest;
  private @Nullable Connection open;
  private @Nullable SchemaReader reader;
  private boolean stays = true;
  private boolean isWatched;
  private long usedAt;

  SeparateConnection(ConnectionSource opener) {
    this.opener = opener;
    this.newest = opener;
    this.source = new BoundedConnectionSource(opener, WORK);
  }

  /**
   * Another session is opened in this way. It is used once the present way has failed, for which
   * options of that session, or a password that has expired, may be the reason.
   */
  void alsoOpenedBy(ConnectionSource another) {
    newest = another;
  }

  private void openAsNewest() {
    ConnectionSource another = newest;
    if (opener != another) {
      opener = another;
      source = new BoundedConnectionSource(another, WORK);
    }
  }

  /** Its DBMS is known. */
  synchronized void of(SchemaReader ofDbms) throws SQLException {
    reader = ofDbms;
    stays = !ofDbms.sql().driver().isEmbedded();
    if (!stays) {
      close();
    } else if (open != null) {
      CatalogQueries.run(open, bounds());
    }
  }

  private List<String> bounds() {
    return reader == null ? List.of() : reader.bounds(LOCK, WORK);
  }

  /**
   * Uses it. If it was open and has failed, as when the server was restarted, it is opened and used
   * once more.
   *
   * @throws SQLException if it cannot be opened, or the use failed
   */
  synchronized <T> T use(DedicatedConnection.Use<T> use) throws SQLException {
    boolean isFresh = open == null;
    try {
      return useOnce(use);
    } catch (SQLException e) {
      close();
      openAsNewest();
      if (isFresh) {
        throw e;
      }
      return useOnce(use);
    }
  }

  private <T> T useOnce(DedicatedConnection.Use<T> use) throws SQLException {
    try {
      return use.with(opened());
    } finally {
      usedAt = System.nanoTime();
      if (!stays) {
        close();
      } else if (!isWatched && open != null && reader != null) {
        isWatched = true;
        closeLater();
      }
    }
  }

  /** Closes it when it is idle, without keeping it, and so its driver, until then. */
  private void closeLater() {
    WeakReference<SeparateConnection> kept = new WeakReference<>(this);
    Future<?> unused =
        LATER.schedule(
            () -> {
              SeparateConnection connection = kept.get();
              if (connection != null) {
                connection.closeIfIdle();
              }
            },
            IDLE_SECONDS,
            TimeUnit.SECONDS);
  }

  private static ScheduledExecutorService later() {
    ScheduledThreadPoolExecutor later =
        new ScheduledThreadPoolExecutor(
            1, closing -> BackgroundThreads.create("txwatch-idle-connections", closing));
    later.setKeepAliveTime(1, TimeUnit.SECONDS);
    later.allowCoreThreadTimeOut(true);
    return later;
  }

  private Connection opened() throws SQLException {
    Connection known = open;
    if (known != null) {
      return known;
    }
    Connection opening = source.open();
    open = opening;
    opening.setAutoCommit(true);
    CatalogQueries.run(opening, bounds());
    return opening;
  }

  private synchronized void closeIfIdle() {
    if (open != null && System.nanoTime() - usedAt < IDLE_NANOS) {
      closeLater();
      return;
    }
    isWatched = false;
    close();
  }

  /** Closes it; a later use opens another one. */
  @Override
  public synchronized void close() {
    Connection closing = open;
    open = null;
    if (closing != null) {
      try {
        closing.close();
      } catch (SQLException e) {
        // it is lost
      }
    }
  }
}
