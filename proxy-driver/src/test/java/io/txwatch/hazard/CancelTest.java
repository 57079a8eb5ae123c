package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.jdbc.Transcript;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;

/** Statements that are stopped, while they work and while they wait. */
class CancelTest {

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL, ServerKind.H2})
  @DisplayName("59 timeouts and cancel stop the application's statement")
  void cancelled(Place place) throws SQLException {
    String sleep =
        switch (place.kind()) {
          case POSTGRESQL -> "UPDATE item SET qty = 1 WHERE id = 1 AND pg_sleep(60) IS NOT NULL";
          case H2 ->
              "UPDATE item SET qty = (SELECT COUNT(*) FROM SYSTEM_RANGE(1, 100000000) a,"
                  + " SYSTEM_RANGE(1, 1000) b WHERE a.X + b.X = id) WHERE id = 1";
          default -> "UPDATE item SET qty = SLEEP(60) + 1 WHERE id = 1";
        };
    place
        .shop()
        .run(
            (connection, transcript) -> {
              try (Statement statement = connection.createStatement()) {
                statement.setQueryTimeout(1);
                transcript.step("timeout", () -> statement.executeUpdate(sleep));
              }
              try (PreparedStatement statement = connection.prepareStatement(sleep)) {
                cancelled(place, statement, "cancel", statement::executeUpdate, transcript);
              }
              try (Statement statement = connection.createStatement()) {
                transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
              }
            });
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL, ServerKind.H2})
  @DisplayName("59 cancel stops a statement that waits for a lock, and leaves the session of use")
  void cancelledInAWait(Place place) throws SQLException {
    List<String> waiting =
        List.of("DELETE FROM item WHERE id = 1", "SELECT * FROM item WHERE id = 1 FOR UPDATE");
    place
        .shop()
        .serve(
            (connections, transcript) -> {
              try (Connection holder = connections.open();
                  Connection waiter = connections.open()) {
                holder.setAutoCommit(false);
                if (place.is(ServerKind.H2)) { // which waits on, whoever cancels
                  try (Statement statement = waiter.createStatement()) {
                    statement.execute("SET LOCK_TIMEOUT 500");
                  }
                }
                waiter.setAutoCommit(false);
                try (Statement statement = holder.createStatement()) {
                  statement.executeUpdate("UPDATE item SET qty = 0 WHERE id = 1");
                }
                for (String sql : waiting) {
                  cancelled(place, waiter, sql, transcript);
                  waiter.rollback();
                }
                holder.rollback();
                try (Statement statement = waiter.createStatement()) {
                  transcript.line("deleted " + statement.executeUpdate(waiting.get(0)));
                  transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                }
                waiter.rollback();
              }
            });
  }

  private static void cancelled(
      Place place, Connection connection, String sql, Transcript transcript) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      cancelled(place, statement, sql, () -> statement.execute(sql), transcript);
    }
  }

  private static void cancelled(
      Place place,
      Statement statement,
      String name,
      Transcript.Step execution,
      Transcript transcript)
      throws SQLException {
    CountDownLatch returned = new CountDownLatch(1);
    CompletableFuture<Void> cancel =
        CompletableFuture.runAsync(() -> cancelUntil(returned, statement));
    if (place.is(ServerKind.MYSQL)) { // its driver gives one of two errors, as it happens
      assertThatThrownBy(execution::run).isInstanceOf(SQLException.class);
    } else {
      transcript.step(name, execution);
    }
    returned.countDown();
    cancel.join();
  }

  /** Once is not enough if the statement is sent later than that. */
  private static void cancelUntil(CountDownLatch returned, Statement statement) {
    try {
      while (!returned.await(300, TimeUnit.MILLISECONDS)) {
        statement.cancel();
      }
    } catch (SQLException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
