package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.format.ElleExport;
import io.txwatch.format.ForeignFormat;
import io.txwatch.format.ForeignHistory;
import io.txwatch.guarantee.Judge;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What was recorded on a DBMS and exported for Elle shows the lost updates and write skews of the
 * recording: pairs of transactions on rows of their own, some with savepoints, some that roll back.
 */
class ElleExportTest {

  private static final int PAIRS = 12;

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void exportShowsTheAnomaliesOfTheHistory(ServerKind kind, @TempDir Path folder) throws Exception {
    List<String> settings = new ArrayList<>(List.of("columns/inline", "columns/predicates"));
    if (kind == ServerKind.POSTGRESQL) {
      settings.addAll(List.of("system/inline", "system/items", "system/predicates"));
    }
    for (String setting : settings) {
      Path place = Files.createDirectories(folder.resolve(setting));
      String[] parts = setting.split("/");
      run(kind, parts[0], parts[1], place);
      Path history = place.resolve("history.txw");
      Map<String, Integer> found = anomalies(history);
      assertThat(exported(history)).as("%s %s", kind, setting).isEqualTo(found);
      if (kind != ServerKind.SQLITE) {
        assertThat(found).as("%s %s", kind, setting).containsKey("LOST_UPDATE");
      }
    }
  }

  private static void run(ServerKind kind, String versions, String level, Path folder)
      throws SQLException {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE pair (id INT PRIMARY KEY, n INT)");
      if (versions.equals("columns")) {
        Watched.prepare(connection);
      }
    }
    try (Watched watched =
            new Watched(folder, Map.of("txwatch.versions", versions, "txwatch.instrument", level));
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      try (Statement statement = one.createStatement()) {
        for (int row = 0; row < 2 * PAIRS; row++) {
          statement.execute("INSERT INTO pair VALUES (" + row + ", 0)");
        }
      }
      for (Connection each : List.of(one, other)) {
        each.setTransactionIsolation(
            kind == ServerKind.SQLITE
                ? Connection.TRANSACTION_SERIALIZABLE
                : Connection.TRANSACTION_READ_COMMITTED);
        each.setAutoCommit(false);
      }
      for (int pair = 0; pair < PAIRS; pair++) {
        pair(one, other, pair);
      }
    }
  }

  /** Two transactions: each reads both rows, then writes one of them, by the pair's number. */
  private static void pair(Connection one, Connection other, int pair) throws SQLException {
    boolean skew = pair % 2 == 1;
    boolean savepoints = pair % 4 >= 2;
    try {
      read(one, 2 * pair);
      read(one, 2 * pair + 1);
      read(other, 2 * pair);
      read(other, 2 * pair + 1);
      write(one, 2 * pair, savepoints);
      if (pair % 5 == 4) {
        one.rollback();
      } else {
        one.commit();
      }
      write(other, 2 * pair + (skew ? 1 : 0), savepoints);
      other.commit();
    } catch (SQLException e) { // SQLite: the other one holds the database
      one.rollback();
      other.rollback();
    }
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

  private static void write(Connection connection, int row, boolean savepoints)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (savepoints) {
        Savepoint undone = connection.setSavepoint();
        statement.execute("UPDATE pair SET n = n + 5 WHERE id = " + row);
        connection.rollback(undone);
        statement.execute("UPDATE pair SET n = n + 3 WHERE id = " + row);
        connection.setSavepoint();
      }
      statement.execute("UPDATE pair SET n = n + 1 WHERE id = " + row);
      if (savepoints) {
        statement.execute("UPDATE pair SET n = n + 1 WHERE id = " + row);
      }
    }
  }

  /** The number of pairs of transactions with a certain anomaly, by its kind. */
  private static Map<String, Integer> anomalies(Path history) throws IOException {
    Map<String, Set<Set<Long>>> found = new TreeMap<>();
    try (HistoryReader reader = HistoryReader.open(history);
        Analyzer analyzer = new Analyzer(Judge.ADYA, anomaly -> count(found, anomaly))) {
      reader.forEach(analyzer::accept);
    }
    return sizes(found);
  }

  private static void count(Map<String, Set<Set<Long>>> found, Anomaly anomaly) {
    if (anomaly.cycle().stream().noneMatch(edge -> edge.evidence().possible())) {
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
        new ForeignHistory.Demand(
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
