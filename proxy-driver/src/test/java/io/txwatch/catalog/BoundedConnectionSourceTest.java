package io.txwatch.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Connections that a driver opens slowly. */
class BoundedConnectionSourceTest {

  private static final Duration LIMIT = Duration.ofMillis(50);

  @Test
  void givesTheConnectionOrTheDriversError() throws SQLException {
    try (Connection connection =
        new BoundedConnectionSource(
                () -> DriverManager.getConnection("jdbc:h2:mem:"), Duration.ofMinutes(1))
            .open()) {
      assertThat(connection.isClosed()).isFalse();
    }
    SQLException error = new SQLException("no", "28000");
    ConnectionSource refusing =
        new BoundedConnectionSource(
            () -> {
              throw error;
            },
            Duration.ofMinutes(1));
    assertThatThrownBy(refusing::open).isSameAs(error);
  }

  @Test
  void aLateConnectionIsClosedAndNoOtherIsOpenedUntilThen() throws Exception {
    CountDownLatch reachable = new CountDownLatch(1);
    AtomicInteger opened = new AtomicInteger();
    AtomicReference<Connection> first = new AtomicReference<>();
    ConnectionSource slow =
        new BoundedConnectionSource(
            () -> {
              opened.incrementAndGet();
              awaitUninterrupted(reachable);
              Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
              first.compareAndSet(null, connection);
              return connection;
            },
            LIMIT);

    assertThatThrownBy(slow::open).isInstanceOf(SQLTimeoutException.class);
    assertThatThrownBy(slow::open).isInstanceOf(SQLTimeoutException.class);
    assertThat(opened).hasValue(1);

    reachable.countDown();
    await().until(() -> first.get() != null && first.get().isClosed());
    await().ignoreException(SQLTimeoutException.class).until(() -> closed(slow.open()));
  }

  @Test
  void waitingInAPoolOfTheApplicationMakesItStartNoThread() throws Exception {
    ForkJoinPool pool = new ForkJoinPool(1);
    try {
      AtomicInteger threads = new AtomicInteger();
      ConnectionSource source =
          new BoundedConnectionSource(
              () -> {
                Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
                for (int i = 0; i < 10; i++) { // meanwhile the other thread has begun to wait
                  awaitUninterrupted(new CountDownLatch(1), Duration.ofMillis(5));
                  threads.accumulateAndGet(pool.getPoolSize(), Math::max);
                }
                return connection;
              },
              Duration.ofMinutes(1));
      assertThat(pool.submit(() -> closed(source.open())).get()).isTrue();
      assertThat(threads).hasValue(1);
    } finally {
      pool.shutdownNow();
    }
  }

  private static boolean closed(Connection connection) throws SQLException {
    connection.close();
    return true;
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    awaitUninterrupted(latch, Duration.ofMinutes(1));
  }

  private static void awaitUninterrupted(CountDownLatch latch, Duration limit) {
    try {
      boolean unused = latch.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
