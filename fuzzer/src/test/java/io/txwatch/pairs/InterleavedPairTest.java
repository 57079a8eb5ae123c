package io.txwatch.pairs;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.interleave.Interleaved;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.interleave.Interleaver;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The interleaver's verdict on each pair is the known one. */
class InterleavedPairTest {

  /** Each pair in each cell. */
  static Stream<Arguments> cells() {
    return Pairs.ALL.stream()
        .flatMap(pair -> Stream.of(Cell.values()).map(cell -> Arguments.of(pair, cell)));
  }

  @ParameterizedTest
  @MethodSource("cells")
  void theVerdictIsTheKnownOne(Pair pair, Cell cell) throws Exception {
    demandKnownVerdict(pair, cell);
  }

  /** InnoDB locks deleted rows, too, until they are purged: while a snapshot may read them. */
  @RepeatedTest(5)
  void theVerdictDoesNotDependOnWhatIsPurged() throws Exception {
    Pair pair =
        Pairs.ALL.stream()
            .filter(any -> any.name().equals("all are deleted and new ones inserted"))
            .findFirst()
            .orElseThrow();
    String url = TestServers.freshDatabase(ServerKind.MARIADB);
    CompletableFuture<Void> stopped = new CompletableFuture<>();
    CompletableFuture<Void> snapshots =
        CompletableFuture.runAsync(() -> keepSnapshots(url, stopped));
    try {
      demandKnownVerdict(pair, Cell.MARIADB_RR);
    } finally {
      stopped.complete(null);
    }
    snapshots.get();
  }

  /** Half of the time a snapshot exists, for up to 40 ms each. */
  private static void keepSnapshots(String url, CompletableFuture<Void> stopped) {
    Random random = new Random(1);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      while (!stopped.isDone()) {
        statement.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT");
        TimeUnit.MILLISECONDS.sleep(random.nextInt(40));
        statement.execute("ROLLBACK");
        TimeUnit.MILLISECONDS.sleep(random.nextInt(40));
      }
    } catch (SQLException | InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  private static void demandKnownVerdict(Pair pair, Cell cell) throws Exception {
    try (PairDatabase database = new PairDatabase(pair, cell, true)) {
      Interleaved found =
          new Interleaver()
              .operation("A", database.operation(0))
              .operation("B", database.operation(1))
              .limit(Duration.ofSeconds(20))
              .run();
      assertThat(found.verdict())
          .as("%s (%s)", found, pair.about())
          .isEqualTo(pair.isRacy(cell) ? Verdict.RACE : Verdict.SAFE);
    }
  }
}
