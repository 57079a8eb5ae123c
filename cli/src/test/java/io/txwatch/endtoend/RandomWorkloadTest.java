package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.endtoend.ApplicationLog.Access;
import io.txwatch.endtoend.ApplicationLog.Attempt;
import io.txwatch.endtoend.ApplicationLog.Id;
import io.txwatch.endtoend.ApplicationLog.LostUpdate;
import io.txwatch.endtoend.Watched.Afterwards;
import io.txwatch.history.Event;
import io.txwatch.history.Ids;
import io.txwatch.history.Outcome;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A random mixed workload on PostgreSQL, watched, and checked a second time against the
 * application's own log: at SERIALIZABLE there is nothing to find; at REPEATABLE READ every edge of
 * every reported anomaly is in the log; at READ COMMITTED also every lost update that the log
 * proves is found. Ten thousand transactions at each level by eight threads; with {@code
 * -Dworkload.transactions=1000000 -Dworkload.threads=4}, as many as that. With more threads than
 * processors a long run leaves the analyzer too little time, and events are lost.
 */
class RandomWorkloadTest {

  private static final int THREADS = Integer.getInteger("workload.threads", 8);
  private static final int TRANSACTIONS = Integer.getInteger("workload.transactions", 10_000);

  /** A completed run. */
  private record Run(String url, Watched watched, List<Attempt> attempts, ApplicationLog log) {}

  @Test
  void serializableHasNoAnomaly(@TempDir Path folder) throws Exception {
    Run run = run(Connection.TRANSACTION_SERIALIZABLE, folder);

    assertThat(run.log().committedCount()).isEqualTo(TRANSACTIONS);
    assertThat(run.log().tangles()).isEmpty();
    assertThat(run.watched().reported()).isEmpty();
    Afterwards afterwards = run.watched().analysedAfterwards();
    assertThat(afterwards.anomalies()).isEmpty();
    assertThat(afterwards.coverage().gaps()).isEmpty();
    assertThat(afterwards.coverage().committed()).isEqualTo(TRANSACTIONS + THREADS);
    assertThat(afterwards.coverage().transactions())
        .isEqualTo(run.attempts().size() + (long) THREADS);
    attemptsById(run);
  }

  @Test
  void readCommittedAnomaliesAreTrueAndLostUpdatesAreFound(@TempDir Path folder) throws Exception {
    Run run = run(Connection.TRANSACTION_READ_COMMITTED, folder);
    ApplicationLog log = run.log();
    Map<String, Id> attempts = attemptsById(run);
    List<ReportedAnomaly> reported = run.watched().reported();
    List<LostUpdate> lost = log.lostUpdates();

    assertThat(log.committedCount()).isEqualTo(TRANSACTIONS);
    assertAfterwardsIsTheSame(run, reported);
    assertThat(sumOfCounters(run.url())).isEqualTo(sumFromLog(run));
    assertThat(lost).isNotEmpty();

    assertEveryEdgeIsTrue(run, attempts);
    Set<Id> accused = new HashSet<>();
    Set<Set<Id>> lostUpdatePairs = new HashSet<>();
    for (ReportedAnomaly anomaly : reported) {
      Set<Id> transactions = new HashSet<>();
      anomaly.transactions().forEach(id -> transactions.add(attempts.get(id)));
      accused.addAll(transactions);
      if (anomaly.phenomenon().equals("LOST_UPDATE")) {
        lostUpdatePairs.add(transactions);
        assertThat(lost)
            .as("%s", anomaly)
            .anyMatch(
                update ->
                    transactions.contains(update.by()) && transactions.contains(update.first()));
      }
    }

    // Every lost update is found, and some anomaly for every cycle.
    for (LostUpdate update : lost) {
      if (update.count() == 1) {
        assertThat(lostUpdatePairs).contains(Set.of(update.by(), update.first()));
      } else {
        assertThat(accused).as("%s", update).contains(update.by());
      }
    }
    for (Set<Id> tangle : log.tangles()) {
      assertThat(accused).containsAnyElementsOf(tangle);
    }
    Map<String, Integer> phenomena = new TreeMap<>();
    reported.forEach(anomaly -> phenomena.merge(anomaly.phenomenon(), 1, Integer::sum));
    assertThat(phenomena).containsKeys("LOST_UPDATE", "READ_SKEW");
  }

  @Test
  void repeatableReadHasTrueWriteSkewsAndNoLostUpdate(@TempDir Path folder) throws Exception {
    Run run = run(Connection.TRANSACTION_REPEATABLE_READ, folder);
    Map<String, Id> attempts = attemptsById(run);
    List<ReportedAnomaly> reported = run.watched().reported();

    assertThat(run.log().committedCount()).isEqualTo(TRANSACTIONS);
    assertThat(run.log().lostUpdates()).isEmpty();
    Set<Id> accused = assertEveryEdgeIsTrue(run, attempts);
    for (Set<Id> tangle : run.log().tangles()) {
      assertThat(accused).containsAnyElementsOf(tangle);
    }
    assertThat(reported).noneMatch(anomaly -> anomaly.phenomenon().equals("LOST_UPDATE"));
    assertAfterwardsIsTheSame(run, reported);
  }

  /**
   * The recorded history yields the anomalies that were reported while it was recorded. The file
   * has a queue of its own, so only a history without losses is complete.
   */
  private static void assertAfterwardsIsTheSame(Run run, List<ReportedAnomaly> reported)
      throws Exception {
    Afterwards afterwards = run.watched().analysedAfterwards();
    assertThat(afterwards.coverage().gaps()).as("losses of the history").isEmpty();
    assertThat(afterwards.anomalies()).isEqualTo(reported);
  }

  /** Compares every edge of every reported cycle with the log; returns the transactions of all. */
  private static Set<Id> assertEveryEdgeIsTrue(Run run, Map<String, Id> attempts) throws Exception {
    Map<String, Map<Long, Long>> rows = applicationRows(run);
    Set<Id> accused = new HashSet<>();
    long edges = 0;
    for (ReportedAnomaly anomaly : run.watched().reported()) {
      assertThat(anomaly.verdict()).isEqualTo("HAZARD");
      for (ReportedAnomaly.Edge edge : anomaly.cycle()) {
        Id from = Objects.requireNonNull(attempts.get(edge.from()));
        Id to = Objects.requireNonNull(attempts.get(edge.to()));
        Optional<Long> row =
            Optional.ofNullable(rows.getOrDefault(edge.table(), Map.of()).get(edge.row()));
        assertThat(run.log().hasEdge(from, to, edge.kind(), row))
            .as("%s of %s", edge, anomaly)
            .isTrue();
        edges++;
      }
      anomaly.transactions().forEach(id -> accused.add(Objects.requireNonNull(attempts.get(id))));
    }
    System.out.printf(
        "%d anomalies with %d edges, each in the log of %d transactions%n",
        run.watched().reported().size(), edges, run.log().committedCount());
    return accused;
  }

  private static Run run(int level, Path folder) throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    Workload workload = new Workload(1000, 8, 25);
    try (Connection connection = DriverManager.getConnection(url)) {
      workload.setUp(connection);
    }
    // Room for every event: a disk that stalls for seconds must not turn into events dropped, which
    // are counted and reported but leave nothing to compare.
    Watched watched = new Watched(folder, Map.of("txwatch.queue", "4194304"));
    List<Attempt> attempts;
    try (watched) {
      attempts = workload.run(THREADS, TRANSACTIONS, level, () -> watched.connect(url));
    }
    return new Run(url, watched, attempts, new ApplicationLog(attempts));
  }

  /** The application's name for each transaction in the history; they agree on its outcome. */
  private static Map<String, Id> attemptsById(Run run) throws Exception {
    Map<Id, Attempt> attempts = new HashMap<>();
    run.attempts()
        .forEach(attempt -> attempts.put(new Id(attempt.worker(), attempt.number()), attempt));
    Map<Long, List<Long>> transactions = new HashMap<>();
    Map<Long, Integer> workers = new HashMap<>();
    Map<Long, Outcome> outcomes = new HashMap<>();
    run.watched()
        .forEachEvent(
            event -> {
              if (event instanceof Event.TransactionBegan began) {
                transactions
                    .computeIfAbsent(began.session(), session -> new ArrayList<>())
                    .add(began.transaction());
              } else if (event instanceof Event.StatementExecuted executed
                  && executed.sql().startsWith(Workload.MARK)) {
                workers.put(
                    executed.session(), Integer.parseInt(executed.sql().replaceAll("[^0-9]", "")));
              } else if (event instanceof Event.TransactionEnded ended) {
                outcomes.put(ended.transaction(), ended.outcome());
              }
            });
    Map<String, Id> byId = new HashMap<>();
    workers.forEach(
        (session, worker) -> {
          List<Long> ofSession = transactions.getOrDefault(session, List.of());
          // The first one is the mark.
          for (int number = 0; number < ofSession.size() - 1; number++) {
            long transaction = ofSession.get(number + 1);
            Id id = new Id(worker, number);
            Attempt attempt = Objects.requireNonNull(attempts.remove(id));
            assertThat(outcomes.get(transaction))
                .isEqualTo(attempt.committed() ? Outcome.COMMITTED : Outcome.ABORTED);
            byId.put(Ids.display(transaction), id);
          }
        });
    assertThat(attempts).isEmpty();
    return byId;
  }

  /** For each table, from txwatch's row ids to the application's, of the rows that are left. */
  private static Map<String, Map<Long, Long>> applicationRows(Run run) throws SQLException {
    Map<String, Map<Long, Long>> rows = new HashMap<>();
    for (String table : List.of("account", "counter")) {
      Map<Long, Long> ofTable = new HashMap<>();
      try (Connection connection = DriverManager.getConnection(run.url());
          Statement statement = connection.createStatement();
          ResultSet result = statement.executeQuery("SELECT id FROM " + table)) {
        while (result.next()) {
          ofTable.put(result.getLong(1), result.getLong(1));
        }
      }
      rows.put(table, ofTable);
    }
    return rows;
  }

  private static long sumOfCounters(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT sum(n) FROM counter")) {
      result.next();
      return result.getLong(1);
    }
  }

  /**
   * The sum of the counters according to the application's log: each write increments the counter
   * of the version that was read.
   */
  private static long sumFromLog(Run run) {
    Map<Long, TreeMap<Integer, Integer>> readFor = new HashMap<>();
    for (Attempt attempt : run.attempts()) {
      List<Access> accesses = attempt.accesses();
      if (attempt.committed() && accesses.get(0).row() < 0) {
        Access read = accesses.get(0);
        Access written = accesses.get(1);
        readFor
            .computeIfAbsent(read.row(), row -> new TreeMap<>())
            .put(written.version(), read.version());
      }
    }
    long sum = 0;
    for (TreeMap<Integer, Integer> counter : readFor.values()) {
      Map<Integer, Integer> value = new HashMap<>(Map.of(0, 0));
      counter.forEach((written, read) -> value.put(written, value.getOrDefault(read, -1) + 1));
      sum += value.getOrDefault(counter.lastKey(), -1);
    }
    return sum;
  }
}
