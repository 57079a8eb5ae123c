package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** HSQLDB in memory, whose promises depend on its transaction model. */
class HsqldbTest {

  private static final AtomicInteger COUNT = new AtomicInteger();

  @TempDir private Path folder = Path.of("");

  private static String bank(String model) throws SQLException {
    String url = "jdbc:hsqldb:mem:hsqldb%d;hsqldb.tx=%s".formatted(COUNT.incrementAndGet(), model);
    try (Connection raw = DriverManager.getConnection(url);
        Statement statement = raw.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)");
      statement.execute("INSERT INTO account VALUES (1, 100), (2, 100)");
    }
    return url;
  }

  private static Connection session(Watched watched, String url, int level) throws SQLException {
    Connection session = watched.connect(url);
    session.setTransactionIsolation(level);
    session.setAutoCommit(false);
    return session;
  }

  private static int balance(Connection session, int id) throws SQLException {
    try (Statement read = session.createStatement();
        ResultSet row = read.executeQuery("SELECT balance FROM account WHERE id = " + id)) {
      assertThat(row.next()).isTrue();
      return row.getInt(1);
    }
  }

  private static void set(Connection session, int id, int balance) throws SQLException {
    try (Statement update = session.createStatement()) {
      update.execute("UPDATE account SET balance = " + balance + " WHERE id = " + id);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "locks, LOST_UPDATE, an UPDATE before it",
    "mvcc, LOST_UPDATE, at REPEATABLE READ and retry on SQLSTATE 40001"
  })
  void aLostUpdateAtReadCommittedIsAHazard(String model, String phenomenon, String advice)
      throws Exception {
    String url = bank(model);
    Watched watched = new Watched(folder, Map.of());
    try (Connection one = session(watched, url, Connection.TRANSACTION_READ_COMMITTED);
        Connection other = session(watched, url, Connection.TRANSACTION_READ_COMMITTED)) {
      int seenByOne = balance(one, 1);
      int seenByOther = balance(other, 1);
      set(one, 1, seenByOne - 10);
      one.commit();
      set(other, 1, seenByOther - 20);
      other.commit();
    }
    watched.close();
    assertIsHazard(watched, phenomenon).contains(advice);
    assertThat(watched.events())
        .filteredOn(Event.SessionOpened.class::isInstance)
        .isNotEmpty()
        .allSatisfy(
            event ->
                assertThat(((Event.SessionOpened) event).database().settings())
                    .containsEntry("hsqldb.tx", model.toUpperCase(Locale.ROOT)));
  }

  /** Snapshot isolation, to which MVCC translates SERIALIZABLE, permits it. */
  @ParameterizedTest
  @CsvSource({"2", "4", "8"})
  void aWriteSkewWithMvccIsAHazard(int level) throws Exception {
    String url = bank("mvcc");
    Watched watched = new Watched(folder, Map.of());
    try (Connection one = session(watched, url, level);
        Connection other = session(watched, url, level)) {
      int sumOfOne = balance(one, 1) + balance(one, 2);
      int sumOfOther = balance(other, 1) + balance(other, 2);
      set(one, 1, 100 - sumOfOne);
      set(other, 2, 100 - sumOfOther);
      one.commit();
      other.commit();
    }
    watched.close();
    assertIsHazard(watched, "WRITE_SKEW").contains("SELECT balance FROM account WHERE id = 2");
  }

  private static AbstractStringAssert<?> assertIsHazard(Watched watched, String phenomenon)
      throws Exception {
    List<ReportedAnomaly> reported = watched.reported();
    assertThat(reported)
        .singleElement()
        .satisfies(
            anomaly -> {
              assertThat(anomaly.phenomenon()).isEqualTo(phenomenon);
              assertThat(anomaly.possible()).isFalse();
            });
    return assertThat(reported.get(0).json().toString())
        .contains("HAZARD", "HSQLDB 2.", "ACCOUNT", "UPDATE account SET balance = ");
  }

  /** Transfers in two threads: no level breaks what it promises, and SERIALIZABLE locks. */
  @ParameterizedTest
  @CsvSource({
    "locks, 2",
    "locks, 4",
    "locks, 8",
    "mvlocks, 2",
    "mvlocks, 8",
    "mvcc, 2",
    "mvcc, 4",
    "mvcc, 8"
  })
  void noLevelBreaksItsPromise(String model, int level) throws Exception {
    String url = bank(model);
    Watched watched = new Watched(folder, Map.of());
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (Connection one = session(watched, url, level);
        Connection other = session(watched, url, level)) {
      List<Callable<Integer>> work = List.of(() -> transfer(one, 1), () -> transfer(other, 2));
      int committed = 0;
      for (Future<Integer> done : threads.invokeAll(work)) {
        committed += done.get();
      }
      assertThat(committed).isGreaterThan(20);
    } finally {
      threads.shutdownNow();
    }
    watched.close();
    List<ReportedAnomaly> reported = watched.reported();
    assertThat(reported).noneMatch(anomaly -> anomaly.verdict().equals("VIOLATION"));
    if (level > Connection.TRANSACTION_READ_COMMITTED && model.endsWith("locks")) {
      assertThat(reported).isEmpty();
    }
  }

  private static int transfer(Connection session, long seed) throws SQLException {
    Random random = new Random(seed);
    int committed = 0;
    for (int i = 0; i < 60; i++) {
      try {
        int from = 1 + random.nextInt(2);
        int sum = balance(session, from) + balance(session, 3 - from);
        set(session, from, sum - 100 + i);
        session.commit();
        committed++;
      } catch (SQLException e) {
        assertThat(e.getSQLState()).startsWith("40");
        session.rollback();
      }
    }
    return committed;
  }
}
