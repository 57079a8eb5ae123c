package io.txwatch.prepare;

import io.txwatch.history.BackgroundThreads;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bounds the wait of a statement that has nothing to do but to get its locks, where the DBMS's own
 * bounds are whole seconds: it is cancelled.
 */
public final class CancelTimeout {

  /** InnoDB's code of a lock wait that took too long: what a cancelled wait is reported as. */
  private static final int LOCK_WAIT_TIMEOUT = 1205;

  private CancelTimeout() {}

  /** Something that executes a statement. */
  public interface Execution {
    public void run() throws SQLException;
  }

  /**
   * Executes it.
   *
   * @throws SQLException its own, or a lock wait timeout if it was cancelled
   */
  public static void run(Statement statement, Duration bound, Execution execution)
      throws SQLException {
    CountDownLatch done = new CountDownLatch(1);
    AtomicBoolean cancelled = new AtomicBoolean();
    Thread watch =
        BackgroundThreads.create(
            "txwatch-prepare-lock-wait",
            () -> {
              try {
                if (!done.await(bound.toMillis(), TimeUnit.MILLISECONDS)) {
                  cancelled.set(true);
                  statement.cancel();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (SQLException e) {
                // It waits as long as the DBMS's own bound lets it.
              }
            });
    watch.start();
    SQLException failure = null;
    try {
      execution.run();
    } catch (SQLException e) {
      failure = e;
    } finally {
      done.countDown();
      join(watch); // a late cancel must not meet the next statement
    }
    if (failure != null) {
      // The driver may report this of a statement that was just done: the catalog knows.
      throw cancelled.get() && !DdlErrors.isConnectionLost(failure)
          ? new SQLException("Lock wait timeout exceeded", "HYT00", LOCK_WAIT_TIMEOUT, failure)
          : failure;
    }
  }

  private static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
