package io.txwatch.cli;

import io.txwatch.history.Product;
import io.txwatch.interleave.product.InterleavedProduct;
import io.txwatch.interleave.product.registry.InterleavedProducts;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * The sessions that a command has opened, which another thread can end, also while they execute
 * statements. Thread-safe.
 *
 * <p>A connection of its own does so by the ids of the sessions: a driver that closes a connection
 * does not end the statement that the server executes for it.
 */
final class OpenSessions {

  /** Connects once more to the database of a session. */
  interface Opener {
    Connection open() throws SQLException;
  }

  private record Session(
      Connection connection, long id, InterleavedProduct product, Opener opener) {}

  private final List<Session> sessions = new ArrayList<>();
  private volatile boolean hasEnded;
  private volatile boolean wasUsed;

  /**
   * Registers a session that has not executed anything yet. Its id is read without a lock: others
   * can be ended while the DBMS does not respond.
   *
   * @throws SQLException if the command has to end; the connection is closed then
   */
  void add(Connection connection, Opener opener) throws SQLException {
    try {
      requireNotEnded();
      wasUsed = true;
      Product product = new Product(connection.getMetaData().getDatabaseProductName(), "");
      Optional<InterleavedProduct> known = InterleavedProducts.find(product);
      if (known.isPresent()) {
        long id = WaitMonitor.number(connection, known.get().sessionIdQuery());
        add(new Session(connection, id, known.get(), opener));
      }
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  private synchronized void add(Session session) throws SQLException {
    requireNotEnded();
    sessions.removeIf(OpenSessions::isClosed);
    sessions.add(session);
  }

  private void requireNotEnded() throws SQLException {
    if (hasEnded) {
      throw new SQLException("the command has to end");
    }
  }

  /** Whether the command has opened any session. */
  boolean wasUsed() {
    return wasUsed;
  }

  /** Cancels the statements that are executed now. */
  void cancelStatements() {
    execute(InterleavedProduct::cancelStatement);
  }

  /** Ends all sessions, and those that are opened later. */
  void end() {
    synchronized (this) {
      hasEnded = true;
    }
    execute(InterleavedProduct::endSession);
  }

  private void execute(BiFunction<InterleavedProduct, Long, String> sql) {
    for (Session session : open()) {
      try (Connection other = session.opener().open();
          Statement statement = other.createStatement()) {
        statement.execute(sql.apply(session.product(), session.id()));
      } catch (SQLException e) {
        // It has ended meanwhile, or the server is not reachable.
      }
    }
  }

  private synchronized List<Session> open() {
    sessions.removeIf(OpenSessions::isClosed); // its id may be another session's
    return List.copyOf(sessions);
  }

  private static boolean isClosed(Session session) {
    try {
      return session.connection().isClosed();
    } catch (SQLException e) {
      return true;
    }
  }
}
