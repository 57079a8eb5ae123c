package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Verdict;
import io.txwatch.format.ElleExport;
import io.txwatch.format.ForeignFormat;
import io.txwatch.format.ForeignHistory;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.IsolationLevel;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.h2.engine.Constants;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What was recorded on a DBMS and exported for Elle shows the anomalies of the recording, at every
 * isolation level of the DBMS: pairs of transactions on rows of their own, some with savepoints,
 * some that use different columns, some that roll back.
 *
 * <p>Compared is, for each kind of anomaly, how many sets of transactions have one that is certain,
 * with all transactions judged as SERIALIZABLE by Adya's definitions. Which transactions they are
 * is not: they have other numbers in the export.
 */
class ElleExportTest {

  private static final int PAIRS = 6;

  private static final List<Integer> LEVELS =
      List.of(
          Connection.TRANSACTION_READ_UNCOMMITTED,
          Connection.TRANSACTION_READ_COMMITTED,
          Connection.TRANSACTION_REPEATABLE_READ,
          Constants.TRANSACTION_SNAPSHOT,
          Connection.TRANSACTION_SERIALIZABLE);

  /** How long the first writer may wait for a lock before the second writes, too. */
  private static final long HEAD_START_MILLIS = 30;

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#kinds")
  void exportShowsTheAnomaliesOfTheHistory(ServerKind kind, @TempDir Path folder) throws Exception {
    List<String> settings =
        kind == ServerKind.POSTGRESQL
            ? List.of("inline", "items", "predicates")
            : List.of("inline", "predicates");
    for (String setting : settings) {
      Path place = Files.createDirectories(folder.resolve(setting));
      run(kind, setting, place);
      Path history = place.resolve("history.txw");
      Map<String, Integer> found = anomalies(history);
      assertThat(exported(history)).as("%s %s", kind, setting).isEqualTo(found);
      if (kind != ServerKind.SQLITE) { // which lets the first alone write
        assertThat(found).as("%s %s", kind, setting).containsKeys("LOST_UPDATE", "WRITE_SKEW");
      }
    }
  }

  private static void run(ServerKind kind, String level, Path folder) throws Exception {
    String url = TestServers.freshDatabase(kind);
    List<Integer> levels = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE pair (id INT PRIMARY KEY, n INT, m INT)");
      Watched.prepare(connection);
      for (int each : LEVELS) {
        if (connection.getMetaData().supportsTransactionIsolationLevel(each)) {
          levels.add(each);
        }
      }
    }
    assertThat(levels).contains(Connection.TRANSACTION_SERIALIZABLE);
    int pairs = levels.size() * PAIRS;
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Watched watched = new Watched(folder, Map.of("txwatch.instrument", level));
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      try (Statement statement = one.createStatement()) {
        one.setAutoCommit(false);
        for (int row = 0; row < 2 * pairs; row++) {
          statement.execute("INSERT INTO pair VALUES (" + row + ", 0, 0)");
        }
        one.commit();
      }
      other.setAutoCommit(false);
      if (kind == ServerKind.SQLITE) {
        for (Connection each : List.of(one, other)) {
          each.setAutoCommit(true);
          try (Statement statement = each.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 20");
          }
          each.setAutoCommit(false);
        }
      }
      for (int pair = 0; pair < pairs; pair++) {
        for (Connection each : List.of(one, other)) {
          each.setTransactionIsolation(levels.get(pair / PAIRS));
        }
        pair(one, other, pair, thread);
      }
    } finally {
      thread.shutdown();
    }
  }

  /**
   * Two transactions: each reads both rows, then writes one of them, by the pair's number. Where
   * reads lock, the first waits for the second, and one of them is the victim of a deadlock.
   */
  private static void pair(Connection one, Connection other, int pair, ExecutorService thread)
      throws Exception {
    int shape = pair % PAIRS;
    boolean skew = shape % 2 == 1;
    boolean savepoints = shape == 2 || shape == 3;
    read(one, 2 * pair);
    read(one, 2 * pair + 1);
    read(other, 2 * pair);
    read(other, 2 * pair + 1);
    Future<?> first =
        thread.submit(
            () -> {
              write(one, 2 * pair, "n", savepoints, shape != 4);
              return null;
            });
    try {
      first.get(HEAD_START_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // It waits for a lock of the other one.
    }
    write(other, 2 * pair + (skew ? 1 : 0), shape == 5 ? "m" : "n", savepoints, true);
    first.get();
    read(one, 2 * pair);
    read(one, 2 * pair + 1);
    one.commit();
  }

  private static void read(Connection connection, int row) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT n FROM pair WHERE id = " + row)) {
      assertThat(rows.next()).isTrue();
    }
  }

  /** Writes, and commits if it should and the DBMS lets it. */
  private static void write(
      Connection connection, int row, String column, boolean savepoints, boolean commit)
      throws SQLException {
    String set = "UPDATE pair SET " + column + " = " + column + " + ";
    try (Statement statement = connection.createStatement()) {
      if (savepoints) {
        Savepoint undone = connection.setSavepoint();
        statement.execute(set + "5 WHERE id = " + row);
        connection.rollback(undone);
        statement.execute(set + "3 WHERE id = " + row);
        connection.setSavepoint();
      }
      statement.execute(set + "1 WHERE id = " + row);
      if (savepoints) {
        statement.execute(set + "1 WHERE id = " + row);
      }
      if (commit) {
        connection.commit();
        return;
      }
    } catch (SQLException e) { // the level does not allow it
    }
    connection.rollback();
  }

  /** The number of sets of transactions with a certain anomaly, by its kind. */
  private static Map<String, Integer> anomalies(Path history) throws IOException {
    Map<String, Set<Set<Long>>> found = new TreeMap<>();
    try (HistoryReader reader = HistoryReader.open(history);
        Analyzer analyzer = new Analyzer(Judge.ADYA, anomaly -> count(found, anomaly))) {
      reader.forEach(event -> analyzer.accept(asSerializable(event)));
    }
    return sizes(found);
  }

  private static Event asSerializable(Event event) {
    return event instanceof Event.TransactionBegan began
        ? new Event.TransactionBegan(
            began.session(), began.transaction(), IsolationLevel.SERIALIZABLE, began.micros())
        : event;
  }

  private static void count(Map<String, Set<Set<Long>>> found, Anomaly anomaly) {
    if (anomaly.verdict() != Verdict.DEADLOCK // which is no anomaly of isolation
        && anomaly.cycle().stream().noneMatch(edge -> edge.evidence().possible())) {
      Set<Long> pair = new HashSet<>();
      anomaly.transactions().forEach(transaction -> pair.add(transaction.id()));
      found.computeIfAbsent(anomaly.phenomenon().name(), name -> new HashSet<>()).add(pair);
    }
  }

  private static Map<String, Integer> sizes(Map<String, Set<Set<Long>>> found) {
    Map<String, Integer> sizes = new TreeMap<>();
    found.forEach((name, pairs) -> sizes.put(name, pairs.size()));
    return sizes;
  }

  private static Map<String, Integer> exported(Path history) throws IOException {
    Path edn = history.resolveSibling("history.edn");
    try (Writer out = Files.newBufferedWriter(edn)) {
      ElleExport.write(history, out);
    }
    Map<String, Set<Set<Long>>> found = new TreeMap<>();
    ForeignHistory.check(
        edn,
        ForeignFormat.ELLE_APPEND,
        new ForeignHistory.CheckOptions(
            IsolationLevel.SERIALIZABLE,
            Optional.empty(),
            false,
            OptionalLong.empty(),
            Set.of(),
            Duration.ofSeconds(20)),
        anomaly -> count(found, anomaly));
    return sizes(found);
  }
}
