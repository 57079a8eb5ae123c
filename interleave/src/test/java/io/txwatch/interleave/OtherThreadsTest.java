package io.txwatch.interleave;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.interleave.Interleaved.Verdict;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operations whose calls are made by threads that existed before. */
class OtherThreadsTest {

  private static final String UNLOCKED = "SELECT n FROM stock WHERE id = 1";
  private static final String LOCKED = UNLOCKED + " FOR UPDATE";

  private final String name = "mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
  private final ExecutorService executor = Executors.newFixedThreadPool(2);

  @BeforeEach
  void stock() throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:" + name);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE stock (id INT PRIMARY KEY, n INT)");
      statement.execute("INSERT INTO stock VALUES (1, 5), (2, 5)");
    }
    for (int i = 0; i < 2; i++) {
      executor.submit(() -> {}).get(); // so that its threads exist
    }
  }

  @AfterEach
  void stop() {
    executor.shutdownNow();
  }

  private Connection open() throws SQLException {
    return DriverManager.getConnection("jdbc:txwatch:h2:" + name + ";txwatch.analyzer=none");
  }

  private static int number(Statement statement, String select) throws SQLException {
    try (ResultSet row = statement.executeQuery(select)) {
      row.next();
      return row.getInt(1);
    }
  }

  /** Reads a value and writes it, less one. */
  private Object take(String select) throws SQLException {
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      int n = number(statement, select);
      statement.executeUpdate("UPDATE stock SET n = " + (n - 1) + " WHERE id = 1");
      connection.commit();
      return n;
    }
  }

  private static <T> T in(Executor executor, Callable<T> work) {
    return CompletableFuture.supplyAsync(
            () -> {
              try {
                return work.call();
              } catch (Exception e) {
                throw new CompletionException(e);
              }
            },
            executor)
        .join();
  }

  private static Interleaved twice(Callable<?> operation) throws InterruptedException {
    return new Interleaver().operation("take", operation).times(2).run();
  }

  @Test
  void theTaskOfAnExecutorIsFollowed() throws Exception {
    Interleaved race = twice(() -> in(executor, () -> take(UNLOCKED)));
    assertThat(race.verdict()).as(race.toString()).isEqualTo(Verdict.RACE);
    assertThat(race.schedule()).hasSize(6);
    Interleaved safe = twice(() -> in(executor, () -> take(LOCKED)));
    assertThat(safe.verdict()).as(safe.toString()).isEqualTo(Verdict.SAFE);
    assertThat(safe.executions()).isGreaterThan(1);
  }

  @Test
  void theTaskOfTheCommonPoolIsFollowed() throws Exception {
    Interleaved race = twice(() -> in(ForkJoinPool.commonPool(), () -> take(UNLOCKED)));
    assertThat(race.verdict()).as(race.toString()).isEqualTo(Verdict.RACE);
    Interleaved safe = twice(() -> in(ForkJoinPool.commonPool(), () -> take(LOCKED)));
    assertThat(safe.verdict()).as(safe.toString()).isEqualTo(Verdict.SAFE);
  }

  /** Each thread of the pool executes steps of both operations. */
  @Test
  void aWorkerChangesBetweenOperations() throws Exception {
    Interleaved race =
        twice(
            () -> {
              int n = in(executor, this::read);
              return in(executor, () -> n + write(n - 1));
            });
    assertThat(race.verdict()).as(race.toString()).isEqualTo(Verdict.RACE);
    assertThat(race.schedule()).hasSize(4);
  }

  private int write(int n) throws SQLException {
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      return statement.executeUpdate("UPDATE stock SET n = " + n + " WHERE id = 1");
    }
  }

  private int read() throws SQLException {
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      return number(statement, UNLOCKED);
    }
  }

  /** One write of a row that no operation uses, while an operation runs. */
  @Test
  void aWriteInTheBackgroundShowsNoRace() throws Exception {
    for (int when = 1; when < 10; when++) {
      int nth = when;
      AtomicInteger calls = new AtomicInteger();
      Interleaved found =
          twice(
              () -> {
                Object n = in(executor, () -> take(LOCKED));
                if (calls.incrementAndGet() == nth) {
                  in(executor, this::writeOther);
                }
                return n;
              });
      assertThat(found.verdict()).as(nth + " " + found).isNotEqualTo(Verdict.RACE);
    }
  }

  private int writeOther() throws SQLException {
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      return statement.executeUpdate("UPDATE stock SET n = n + 1 WHERE id = 2");
    }
  }
}
