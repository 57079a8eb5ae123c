package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.endtoend.ApplicationLog.Attempt;
import io.txwatch.endtoend.LoggedLoad.Operation;
import io.txwatch.endtoend.LoggedLoad.Session;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * SIBench (Cahill: Serializable Isolation for Snapshot Databases, 2009): half of the transactions
 * search all rows for the least value, half increment one row. All readers and writers overlap, and
 * every outcome is serializable at snapshot isolation, since no transaction reads a row that it
 * does not write and writes another one. At READ COMMITTED it is not, if the search takes two
 * statements. The judge is the application's own log.
 */
class SiBenchTest {

  private static final int ITEMS = 10;
  private static final int THREADS = 4;
  private static final int TRANSACTIONS = 400;
  private static final LoggedLoad.Rows ROWS = (table, id) -> id;

  /** The search, in one statement or in two. */
  private record Minimum(int statements) implements Operation {
    @Override
    public String name() {
      return "Minimum";
    }

    @Override
    public void run(Session session) throws SQLException {
      for (int part = 0; part < statements; part++) {
        if (part > 0) {
          session.pause();
        }
        session.read(
            "item",
            "SELECT id, value, version FROM item WHERE id %% %d = %d ORDER BY value, id"
                .formatted(statements, part));
      }
    }
  }

  private record Increment(int id) implements Operation {
    @Override
    public String name() {
      return "Increment";
    }

    @Override
    public void run(Session session) throws SQLException {
      session.write("item", id, "value + 1");
    }
  }

  private static String items() throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE item (id INT PRIMARY KEY, value INT NOT NULL, version INT)");
      statement.execute(
          "INSERT INTO item SELECT i, i, 0 FROM generate_series(0, " + (ITEMS - 1) + ") i");
    }
    return url;
  }

  private static LoggedRun run(int level, int statements, Path folder) throws Exception {
    String url = items();
    Watched watched = new Watched(folder, Map.of());
    List<Attempt> attempts;
    try (watched;
        LoggedLoad load = new LoggedLoad(ROWS)) {
      attempts =
          load.run(
              THREADS,
              TRANSACTIONS,
              level,
              () -> watched.connect(url),
              random ->
                  random.nextBoolean()
                      ? new Minimum(statements)
                      : new Increment(random.nextInt(ITEMS)));
    }
    return new LoggedRun(
        new ApplicationLog(attempts), watched.reported(), LoggedRun.rows(url, ROWS, "item"));
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void snapshotsAreSerializable(int level, @TempDir Path folder) throws Exception {
    LoggedRun run = run(level, 2, folder);

    assertThat(run.log().committedCount()).isEqualTo(TRANSACTIONS);
    assertThat(run.log().tangles()).isEmpty();
    assertThat(run.reported()).isEmpty();
  }

  @Test
  void oneStatementIsSerializableAtReadCommitted(@TempDir Path folder) throws Exception {
    LoggedRun run = run(Connection.TRANSACTION_READ_COMMITTED, 1, folder);

    assertThat(run.log().tangles()).isEmpty();
    assertThat(run.reported()).isEmpty();
  }

  /** Of two increments, the searches see one each. */
  @Test
  void twoStatementsAreNotAtReadCommitted(@TempDir Path folder) throws Exception {
    String url = items();
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url);
        Connection increment = watched.connect(url)) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      search(one, 0);
      increment(increment, 2);
      search(other, 0);
      search(other, 1);
      other.commit();
      increment(increment, 3);
      search(one, 1);
      one.commit();
    }

    assertThat(watched.reported())
        .singleElement()
        .satisfies(
            anomaly -> {
              assertThat(anomaly.phenomenon()).isEqualTo("LONG_FORK");
              assertThat(anomaly.cycle())
                  .extracting(ReportedAnomaly.Edge::kind)
                  .containsExactly("rw", "wr", "rw", "wr");
            });
  }

  private static void search(Connection connection, int part) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT id, value FROM item WHERE id % 2 = " + part + " ORDER BY value, id")) {
      int rows = 0;
      while (row.next()) {
        rows++;
      }
      assertThat(rows).isEqualTo(ITEMS / 2);
    }
  }

  private static void increment(Connection connection, int id) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("UPDATE item SET value = value + 1 WHERE id = " + id);
    }
  }
}
