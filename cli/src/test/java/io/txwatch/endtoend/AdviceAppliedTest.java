package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.guarantee.Judge;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is advised on an anomaly is applied, and the same schedule executed with it. */
class AdviceAppliedTest {

  private static final String[] SETUP = {
    "CREATE TABLE account (id INT PRIMARY KEY, v INT)",
    "INSERT INTO account (id, v) VALUES (1, 0), (2, 0), (3, 0)"
  };

  /** What a schedule left: the two reads of the first transaction, and the rows. */
  private record Outcome(boolean bothCommitted, int first, int second, List<Integer> rows) {

    /** The first transaction reads both accounts as they are, and writes 1 more to one of them. */
    boolean isSerial(int written) {
      int expected = written == 1 ? 11 : first + 1;
      return !bothCommitted || first == second && rows.get(written - 1) == expected;
    }
  }

  @ParameterizedTest
  @CsvSource({"POSTGRESQL, 1", "POSTGRESQL, 3", "MYSQL, 1", "MYSQL, 3", "MARIADB, 1", "MARIADB, 3"})
  void theSameScheduleHasASerialOutcome(ServerKind kind, int written, @TempDir Path folder)
      throws Exception {
    String url = TestServers.freshDatabase(kind);
    try (Connection raw = DriverManager.getConnection(url)) {
      run(raw, SETUP);
      if (kind != ServerKind.POSTGRESQL) {
        Watched.prepare(raw);
      }
    }
    Watched watched = new Watched(folder, Map.of());
    Outcome before;
    try (watched) {
      before =
          execute(() -> watched.connect(url), written, Connection.TRANSACTION_READ_COMMITTED, "");
    }
    assertThat(before.isSerial(written)).isFalse();
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      watched.forEachEvent(analyzer::accept);
    }
    assertThat(found).isNotEmpty();
    for (Anomaly anomaly : found) {
      String advice = anomaly.advice();
      if (advice.contains("FOR UPDATE")) {
        assertSerial(url, written, Connection.TRANSACTION_READ_COMMITTED, " FOR UPDATE", advice);
      }
      if (advice.contains("at REPEATABLE READ")) {
        assertSerial(url, written, Connection.TRANSACTION_REPEATABLE_READ, "", advice);
      } else {
        assertThat(advice).contains("at SERIALIZABLE");
      }
      assertSerial(url, written, Connection.TRANSACTION_SERIALIZABLE, "", advice);
    }
  }

  private static void assertSerial(String url, int written, int level, String lock, String advice)
      throws Exception {
    try (Connection raw = DriverManager.getConnection(url)) {
      run(raw, "UPDATE account SET v = 0");
    }
    Outcome outcome = execute(() -> DriverManager.getConnection(url), written, level, lock);
    assertThat(outcome.isSerial(written))
        .as("%s by %s%s: %s", outcome, level, lock, advice)
        .isTrue();
  }

  private static Outcome execute(Opening opening, int written, int level, String lock)
      throws Exception {
    try (Connection one = opening.open();
        Connection other = opening.open()) {
      for (Connection connection : List.of(one, other)) {
        connection.setTransactionIsolation(level);
        connection.setAutoCommit(false);
      }
      boolean committed = true;
      int first = 0;
      int second = 0;
      CompletableFuture<Boolean> writer = CompletableFuture.completedFuture(true);
      try {
        first = read(one, 1, lock);
        writer = CompletableFuture.supplyAsync(() -> writesBoth(other));
        try {
          writer.get(300, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          // It waits for a lock.
        }
        second = read(one, 2, lock);
        run(one, "UPDATE account SET v = " + (first + 1) + " WHERE id = " + written);
        one.commit();
      } catch (SQLException e) {
        one.rollback();
        committed = false;
      }
      committed &= writer.get(10, TimeUnit.SECONDS);
      List<Integer> rows = new ArrayList<>();
      other.rollback();
      for (int id = 1; id <= 3; id++) {
        rows.add(read(other, id, ""));
      }
      other.rollback();
      return new Outcome(committed, first, second, rows);
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  private interface Opening {
    Connection open() throws SQLException;
  }

  private static void run(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  private static boolean writesBoth(Connection connection) {
    try {
      run(
          connection,
          "UPDATE account SET v = v + 10 WHERE id = 1",
          "UPDATE account SET v = v + 10 WHERE id = 2");
      connection.commit();
      return true;
    } catch (SQLException e) {
      try {
        connection.rollback();
      } catch (SQLException again) {
        throw new AssertionError(again);
      }
      return false;
    }
  }

  private static int read(Connection connection, int id, String lock) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT v FROM account WHERE id = " + id + lock)) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
