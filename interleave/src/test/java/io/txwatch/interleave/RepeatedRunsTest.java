package io.txwatch.interleave;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs of the same operations with one seed have one outcome, however busy the machine is. Not in
 * each build: {@code -Dinterleave.runs=100} sets how many runs there are.
 */
@EnabledIfSystemProperty(named = "interleave.runs", matches = "\\d+")
class RepeatedRunsTest {

  /** What must be the same in each run. */
  private record Outcome(Verdict verdict, List<String> schedule, String bound, int executions) {}

  private static void execute(String url, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Takes one of each of two stocks that it has read before. */
  private static Object take(String url, String lock) throws SQLException {
    String watched = url.replaceFirst("jdbc:", "jdbc:txwatch:");
    char separator = url.startsWith("jdbc:h2:") ? ';' : '&';
    try (Connection connection =
            DriverManager.getConnection(watched + separator + "txwatch.analyzer=none");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      int sum = 0;
      for (int id = 1; id <= 2; id++) {
        try (ResultSet row =
            statement.executeQuery("SELECT n FROM stock WHERE id = " + id + lock)) {
          row.next();
          sum += row.getInt(1);
        }
      }
      if (sum == 0) {
        throw new IllegalStateException("out of stock");
      }
      for (int id = 1; id <= 2; id++) {
        statement.executeUpdate("UPDATE stock SET n = n - 1 WHERE id = " + id);
      }
      connection.commit();
      return sum;
    }
  }

  private static Outcome run(String url, String lock) throws Exception {
    Interleaved found =
        new Interleaver()
            .operation("A", () -> take(url, lock))
            .operation("B", () -> take(url, lock))
            .sampled(20, 42)
            .run();
    return new Outcome(found.verdict(), found.schedule(), found.bound(), found.executions());
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRESQL"})
  void oneSeedHasOneOutcome(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    execute(
        url,
        "CREATE TABLE stock (id INT PRIMARY KEY, n INT)",
        "INSERT INTO stock VALUES (1, 1), (2, 1)");
    for (String lock : List.of("", " FOR UPDATE")) {
      long begin = System.nanoTime();
      Map<Outcome, Integer> outcomes = new HashMap<>();
      for (int i = 0; i < Integer.getInteger("interleave.runs"); i++) {
        outcomes.merge(run(url, lock), 1, Integer::sum);
      }
      System.out.printf(
          "%s%s: %s in %d ms%n", kind, lock, outcomes, (System.nanoTime() - begin) / 1_000_000);
      assertThat(outcomes).hasSize(1);
      assertThat(outcomes.keySet())
          .extracting(Outcome::verdict)
          .containsExactly(lock.isEmpty() ? Verdict.RACE : Verdict.SAFE);
    }
  }
}
