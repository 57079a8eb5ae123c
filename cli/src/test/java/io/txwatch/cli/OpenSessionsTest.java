package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class OpenSessionsTest {

  /** The call that waits for the DBMS must not keep the thread that ends it. */
  @Test
  void sessionsAreEndedWhileTheDbmsDoesNotRespond() throws Exception {
    CountDownLatch sent = new CountDownLatch(1);
    CountDownLatch responds = new CountDownLatch(1);
    try (Connection real = DriverManager.getConnection("jdbc:h2:mem:")) {
      Connection slow =
          (Connection)
              Proxy.newProxyInstance(
                  Connection.class.getClassLoader(),
                  new Class<?>[] {Connection.class},
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("getMetaData")) {
                      sent.countDown();
                      responds.await();
                    }
                    return method.invoke(real, arguments);
                  });
      OpenSessions sessions = new OpenSessions();
      FutureTask<Void> opening =
          new FutureTask<>(
              () -> {
                sessions.add(slow, () -> real);
                return null;
              });
      new Thread(opening).start();
      sent.await();
      try {
        assertTimeoutPreemptively(
            Duration.ofSeconds(20),
            () -> {
              sessions.cancelStatements();
              sessions.end();
              assertThat(sessions.wasUsed()).isTrue();
            });
      } finally {
        responds.countDown();
      }
      assertThatThrownBy(opening::get)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(SQLException.class)
          .hasMessageContaining("the command has to end");
      assertThat(real.isClosed()).isTrue();
    }
  }
}
