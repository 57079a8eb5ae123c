package io.txwatch.interleave.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.interleave.state.TestDatabases;
import io.txwatch.interleave.state.UsedDatabases;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Which operations can go on before a call. */
class GatedProgramTest {

  private static final String READ = "SELECT n FROM stock WHERE id = 1";
  private static final int A = 0;
  private static final int B = 1;
  private static final int C = 2;

  @Test
  void anOperationIsNotBlockedByTheWaitOfAConnectionThatItHasReturned() throws Exception {
    String url = database();
    try (UsedDatabases databases = new UsedDatabases(TestDatabases.all(), 10);
        Connection shared = watched(url);
        Connection other = watched(url);
        Connection locking = watched(url)) {
      locking.setAutoCommit(false);
      List<Operation> operations =
          List.of(
              new Operation(
                  "A",
                  () -> {
                    execute(shared, READ);
                    return execute(other, "CALL PAUSE(200)", READ);
                  }),
              new Operation("B", () -> execute(shared, "UPDATE stock SET n = 6 WHERE id = 1")),
              new Operation(
                  "C",
                  () -> {
                    execute(locking, "UPDATE stock SET n = 7 WHERE id = 1");
                    locking.commit();
                    return "committed";
                  }));
      GatedProgram program =
          new GatedProgram(
              operations, () -> {}, databases::blocked, databases::touch, Duration.ofSeconds(20));
      int[] order = {A, C, B, A};
      List<Long> enabled = new ArrayList<>();
      program.execute(
          (step, now, last) -> {
            enabled.add(now);
            return step < order.length ? order[step] : Long.numberOfTrailingZeros(now);
          });
      assertThat(enabled).element(order.length).isEqualTo(1L << A | 1L << C);
    }
  }

  @Test
  void anOperationThatIsReleasedWhileWaitsAreReadCanGoOn() throws Exception {
    String url = database();
    try (Connection first = watched(url);
        Connection second = watched(url)) {
      List<Operation> operations =
          List.of(
              new Operation("A", () -> execute(first, "CALL PAUSE(500)", READ)),
              new Operation("B", () -> execute(second, "CALL PAUSE(50)", READ)));
      List<Long> connections = new ArrayList<>();
      AtomicBoolean isReleased = new AtomicBoolean();
      Waits waits =
          () -> {
            if (isReleased.get() || connections.isEmpty()) {
              return Set.of();
            }
            if (connections.size() == 2) {
              pause(200); // meanwhile, B's call returns
              isReleased.set(true);
            }
            return Set.of(connections.get(A));
          };
      GatedProgram program =
          new GatedProgram(
              operations,
              () -> {},
              waits,
              call -> connections.add(call.connection().number()),
              Duration.ofSeconds(20));
      List<Long> enabled = new ArrayList<>();
      program.execute(
          (step, now, last) -> {
            enabled.add(now);
            return Long.numberOfTrailingZeros(now);
          });
      assertThat(enabled).startsWith(1L << A | 1L << B, 1L << B, 1L << A | 1L << B);
    }
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String database() throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.H2);
    try (Connection connection = DriverManager.getConnection(url)) {
      execute(
          connection,
          "CREATE TABLE stock (id INT PRIMARY KEY, n INT)",
          "INSERT INTO stock VALUES (1, 5)",
          "CREATE ALIAS PAUSE FOR 'java.lang.Thread.sleep(long)'");
    }
    return url;
  }

  private static Connection watched(String url) throws SQLException {
    Properties settings = new Properties();
    settings.setProperty("txwatch.analyzer", "none");
    return DriverManager.getConnection(url.replaceFirst("jdbc:", "jdbc:txwatch:"), settings);
  }

  private static Object execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
      return "executed";
    }
  }
}
