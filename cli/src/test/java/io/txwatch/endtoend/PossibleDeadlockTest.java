package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.coverage.PossibleDeadlock;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Transfers in both directions between two accounts: executed one after the other they are shown as
 * a possible deadlock, and executed at the same time they deadlock.
 */
class PossibleDeadlockTest {

  /** What a transfer does between its two statements. */
  private interface Pause {
    Pause NONE = () -> {};

    void pause() throws Exception;
  }

  static Stream<ServerKind> kinds() {
    return TestServers.concurrentKinds();
  }

  private static String create(ServerKind kind) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.executeUpdate("INSERT INTO account VALUES (1, 100), (2, 100), (3, 100)");
    }
    return url;
  }

  private static void transfer(Connection connection, int from, int to, Pause pause)
      throws Exception {
    connection.setAutoCommit(false);
    try (PreparedStatement withdraw =
            connection.prepareStatement("UPDATE account SET balance = balance - 5 WHERE id = ?");
        PreparedStatement deposit =
            connection.prepareStatement("UPDATE account SET balance = balance + 5 WHERE id = ?")) {
      withdraw.setInt(1, from);
      deposit.setInt(1, to);
      withdraw.executeUpdate();
      pause.pause();
      deposit.executeUpdate();
      connection.commit();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void transfersInBothDirectionsCanDeadlock(ServerKind kind, @TempDir Path folder)
      throws Exception {
    String url = create(kind);
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      transfer(one, 1, 2, Pause.NONE);
      transfer(other, 2, 1, Pause.NONE);
      transfer(other, 2, 3, Pause.NONE);
    }
    assertThat(watched.reported()).isEmpty();
    assertThat(watched.analysedAfterwards().coverage().possibleDeadlocks())
        .singleElement()
        .satisfies(
            possible -> {
              assertThat(possible.count()).isEqualTo(1);
              assertSides(
                  possible, kind == ServerKind.POSTGRESQL ? List.of("", "") : List.of("1", "2"));
            });
  }

  /** The rows have no names where no record of changes is read: on this PostgreSQL server. */
  private static void assertSides(PossibleDeadlock possible, List<String> rows) {
    for (PossibleDeadlock.Side side : List.of(possible.one(), possible.other())) {
      assertThat(side.operation()).isEqualTo("PossibleDeadlockTest.java");
      assertThat(side.first().table()).isEqualToIgnoringCase("account");
      assertThat(side.first().sql()).contains("balance - 5");
      assertThat(side.then().sql()).contains("balance + 5");
      assertThat(line(side.then())).isEqualTo(line(side.first()) + 2);
    }
    assertThat(List.of(possible.one().first().row(), possible.one().then().row()))
        .containsExactly(possible.other().then().row(), possible.other().first().row())
        .containsExactlyInAnyOrderElementsOf(rows);
  }

  private static int line(PossibleDeadlock.Lock lock) {
    return Integer.parseInt(
        lock.callSite().replaceFirst("(?s).*PossibleDeadlockTest.java:(\\d+).*", "$1"));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void transfersInOneDirectionCannot(ServerKind kind, @TempDir Path folder) throws Exception {
    String url = create(kind);
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      transfer(one, 1, 2, Pause.NONE);
      transfer(other, 1, 2, Pause.NONE);
      transfer(other, 2, 3, Pause.NONE);
      transfer(one, 1, 3, Pause.NONE);
    }
    assertThat(watched.analysedAfterwards().coverage().possibleDeadlocks()).isEmpty();
  }

  /** What was shown as possible happens; from then on it is shown as the deadlock that it is. */
  @ParameterizedTest
  @MethodSource("kinds")
  void theyDeadlockAtTheSameTime(ServerKind kind, @TempDir Path folder) throws Exception {
    String url = create(kind);
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      transfer(one, 1, 2, Pause.NONE);
      transfer(other, 2, 1, Pause.NONE);
      CyclicBarrier barrier = new CyclicBarrier(2);
      CompletableFuture<Boolean> second =
          CompletableFuture.supplyAsync(() -> isRolledBack(other, 2, 1, barrier));
      boolean isFirst = isRolledBack(one, 1, 2, barrier);
      assertThat(isFirst || second.get(20, TimeUnit.SECONDS)).isTrue();
    }
    Watched.Afterwards afterwards = watched.analysedAfterwards();
    assertThat(afterwards.anomalies())
        .isNotEmpty()
        .allSatisfy(
            anomaly -> assertThat(anomaly.json().get("phenomenon").asText()).isEqualTo("DEADLOCK"));
    assertThat(afterwards.coverage().possibleDeadlocks()).isEmpty();
  }

  /** Whether the DBMS ended a transfer to end a deadlock. */
  private static boolean isRolledBack(
      Connection connection, int from, int to, CyclicBarrier barrier) {
    try {
      transfer(connection, from, to, () -> barrier.await(20, TimeUnit.SECONDS));
      return false;
    } catch (SQLException e) {
      assertThat(e.getSQLState()).isIn("40001", "40P01");
      try {
        connection.rollback();
      } catch (SQLException suppressed) {
        e.addSuppressed(suppressed);
      }
      return true;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
