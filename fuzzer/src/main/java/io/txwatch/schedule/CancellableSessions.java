package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.interleave.product.InterleavedProduct;
import io.txwatch.interleave.product.registry.InterleavedProducts;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Sessions whose statements are cancelled by another session if they do not end. Thread-safe.
 *
 * <p>Drivers wait for a statement when its connection is closed, or leave it to the server, which
 * executes it to its end.
 */
final class CancellableSessions {

  private static final int MAX_CANCELS = 5;
  private static final long CANCEL_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Workspace workspace;
  private final Optional<InterleavedProduct> product;
  private final List<Long> ids = new ArrayList<>();

  CancellableSessions(Dbms dbms, Workspace workspace) {
    this.workspace = workspace;
    this.product = InterleavedProducts.find(dbms.database().product());
  }

  /** Registers a session, and returns its connection. */
  synchronized Connection add(Connection session) throws SQLException {
    if (product.isPresent()) {
      ids.add(WaitMonitor.number(session, product.get().sessionIdQuery()));
    }
    return session;
  }

  /** Cancels statements while something is executed; if that does not help, ends the sessions. */
  void cancelWhile(BooleanSupplier isExecuted) {
    for (int i = 0; i <= MAX_CANCELS && isExecuted.getAsBoolean(); i++) {
      product.ifPresent(i < MAX_CANCELS ? this::cancel : this::end);
      long begin = System.nanoTime();
      while (isExecuted.getAsBoolean() && System.nanoTime() - begin < CANCEL_INTERVAL_NANOS) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private synchronized void cancel(InterleavedProduct by) {
    ids.forEach(id -> execute(by.cancelStatement(id)));
  }

  private synchronized void end(InterleavedProduct by) {
    ids.forEach(id -> execute(by.endSession(id)));
  }

  private void execute(String sql) {
    try (Connection other = workspace.connect();
        Statement statement = other.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      // It has ended meanwhile, or the server is not reachable.
    }
  }
}
