package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.mariadb.jdbc.MariaDbXid;

/** {@code txwatch.prepare=auto} changes a table only where that harms no transaction. */
class AutoPreparationTest {

  private static final String KINDS = "io.txwatch.prepare.Shop#kinds";
  private static final int REPEATABLE = Connection.TRANSACTION_REPEATABLE_READ;
  private static final int COMMITTED = Connection.TRANSACTION_READ_COMMITTED;

  private static TestDatabase database(ServerKind kind) throws SQLException {
    return TestDatabase.at(
        kind,
        TestServers.freshDatabase(kind),
        List.of(
            "CREATE TABLE a1 (id INT PRIMARY KEY, v INT)",
            "INSERT INTO a1 VALUES (1, 1)",
            "CREATE TABLE a2 (id INT PRIMARY KEY, v INT)",
            "INSERT INTO a2 VALUES (1, 1)"));
  }

  private static Connection auto(TestDatabase database) throws SQLException {
    return database.watched(
        database.raw(), Settings.of(Map.of(Setting.PREPARE, "auto", Setting.VERSIONS, "columns")));
  }

  private static Connection inTransaction(Connection connection, int level) throws SQLException {
    connection.setTransactionIsolation(level);
    connection.setAutoCommit(false);
    return connection;
  }

  private static int read(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).describedAs("a row of " + sql).isTrue();
      return rows.getInt(1);
    }
  }

  private static boolean isPrepared(TestDatabase database, String table) throws SQLException {
    try (Connection raw = database.raw();
        Statement statement = raw.createStatement()) {
      statement.executeQuery("SELECT txw_rid, txw_wl FROM " + table).close();
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /** Reads a2 through new texts until it is prepared. */
  private static void awaitPrepared(TestDatabase database, Connection watched) {
    await("prepared once nothing is in the way")
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              assertThat(read(watched, "SELECT v FROM a2 WHERE id = 1")).isPositive();
              return isPrepared(database, "a2");
            });
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void transactionWithASnapshotReadsATableItUsesLater(ServerKind kind) throws Exception {
    TestDatabase database = database(kind);
    try (Connection watched = inTransaction(auto(database), REPEATABLE)) {
      assertThat(read(watched, "SELECT v FROM a1")).isOne();
      assertThat(isPrepared(database, "a1")).isTrue();
      assertThat(read(watched, "SELECT v FROM a2")).isOne();
      assertThat(isPrepared(database, "a2")).isFalse();
      TestDatabase.execute(watched, "UPDATE a1 SET v = 2");
      watched.commit();
      watched.setAutoCommit(true);
      awaitPrepared(database, watched);
    }
  }

  @Test
  void branchOfADistributedTransactionHasASnapshotOnceItHasRead() throws Exception {
    TestDatabase database = database(ServerKind.MARIADB);
    TxWatchXADataSource source = new TxWatchXADataSource(new MariaDbDataSource(database.url));
    source.setProperty("txwatch.prepare", "auto");
    source.setProperty("txwatch.analyzer", "none");
    XAConnection connection = source.getXAConnection();
    try (Connection watched = connection.getConnection()) {
      XAResource resource = connection.getXAResource();
      Xid branch = new MariaDbXid(1, new byte[] {1}, new byte[] {1});
      resource.start(branch, XAResource.TMNOFLAGS);
      assertThat(read(watched, "SELECT v FROM a1")).isOne();
      assertThat(isPrepared(database, "a1")).isTrue();
      assertThat(read(watched, "SELECT v FROM a2")).isOne();
      assertThat(isPrepared(database, "a2")).isFalse();
      resource.end(branch, XAResource.TMSUCCESS);
      resource.rollback(branch);
    } finally {
      connection.close();
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void preparationWaitsForSnapshotsOfWatchedSessions(ServerKind kind) throws Exception {
    TestDatabase database = database(kind);
    try (Connection first = inTransaction(auto(database), REPEATABLE);
        Connection second = auto(database)) {
      assertThat(read(first, "SELECT v FROM a1")).isOne();
      assertThat(read(second, "SELECT v FROM a2")).isOne();
      assertThat(isPrepared(database, "a2")).isFalse();
      assertThat(read(first, "SELECT v FROM a2")).isOne();
      TestDatabase.execute(first, "UPDATE a2 SET v = 5");
      first.commit();
      awaitPrepared(database, second);
      assertThat(read(second, "SELECT v FROM a2")).isEqualTo(5);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void preparationWaitsForSnapshotsOfUnwatchedSessionsOnServers(ServerKind kind) throws Exception {
    assumeThat(kind).isNotEqualTo(ServerKind.H2);
    TestDatabase database = database(kind);
    try (Connection unwatched = inTransaction(database.raw(), REPEATABLE);
        Connection other = database.raw();
        Connection watched = auto(database)) {
      // The server shows for 100 ms what transactions there were when somebody asked.
      TestDatabase.execute(other, "SELECT 1 FROM information_schema.innodb_trx");
      assertThat(read(unwatched, "SELECT v FROM a1")).isOne();
      assertThat(read(watched, "SELECT v FROM a2")).isOne();
      assertThat(isPrepared(database, "a2")).isFalse();
      assertThat(read(unwatched, "SELECT v FROM a2")).isOne();
      unwatched.commit();
      awaitPrepared(database, watched);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void lockedTableDelaysNoStatement(ServerKind kind) throws Exception {
    assumeThat(kind).isNotEqualTo(ServerKind.H2); // they lock by themselves
    TestDatabase database = database(kind);
    try (Connection owner = inTransaction(database.raw(), COMMITTED);
        Connection watched = auto(database)) {
      TestDatabase.execute(owner, "UPDATE a2 SET v = 3");
      long begun = System.nanoTime();
      for (int i = 0; i < 40; i++) {
        assertThat(read(watched, "SELECT v FROM a2 WHERE id = 1 AND " + i + " = " + i)).isOne();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
      assertThat(isPrepared(database, "a2")).isFalse();
      owner.commit();
      awaitPrepared(database, watched);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void statementPreparedEarlierShowsItsOwnColumns(ServerKind kind) throws Exception {
    TestDatabase database = database(kind);
    try (Connection first = inTransaction(auto(database), REPEATABLE);
        Connection second = auto(database)) {
      assertThat(read(first, "SELECT v FROM a1")).isOne();
      try (PreparedStatement star = second.prepareStatement("SELECT * FROM a2");
          PreparedStatement insert = second.prepareStatement("INSERT INTO a2 VALUES (?, ?)")) {
        for (int i = 0; i < 6; i++) {
          star.executeQuery().close();
        }
        assertThat(isPrepared(database, "a2")).isFalse();
        first.commit();
        awaitPrepared(database, second);
        second.setAutoCommit(false);
        insert.setInt(1, 2);
        insert.setInt(2, 2);
        assertThat(insert.executeUpdate()).isOne();
        try (ResultSet rows = star.executeQuery()) {
          assertThat(rows.getMetaData().getColumnCount()).isEqualTo(2);
          assertThat(rows.next()).isTrue();
        }
        second.commit();
      }
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void batchCollectedEarlierIsSentWithTheCurrentPlan(ServerKind kind) throws Exception {
    assumeThat(kind).isNotEqualTo(ServerKind.MARIADB); // it refuses such a batch (1295)
    TestDatabase database = database(kind);
    try (Connection raw = database.raw()) {
      TestDatabase.execute(
          raw, "CREATE TABLE copy (id INT, v INT)", "INSERT INTO a2 VALUES (2, 2), (3, 3)");
    }
    try (Connection first = inTransaction(auto(database), REPEATABLE);
        Connection second = auto(database);
        Connection third = auto(database)) {
      assertThat(read(first, "SELECT v FROM a1")).isOne();
      try (PreparedStatement insert =
              second.prepareStatement("INSERT INTO copy SELECT * FROM a2 WHERE id = ?");
          Statement texts = second.createStatement()) {
        for (int id = 1; id <= 2; id++) {
          insert.setInt(1, id);
          insert.addBatch();
        }
        texts.addBatch("INSERT INTO copy SELECT * FROM a2 WHERE id = 3");
        assertThat(isPrepared(database, "a2")).isFalse();
        first.commit();
        awaitPrepared(database, third);
        insert.setInt(1, 3);
        insert.addBatch();
        assertThat(insert.executeBatch()).containsExactly(1, 1, 1);
        assertThat(texts.executeBatch()).containsExactly(1);
      }
      assertThat(read(second, "SELECT COUNT(*) FROM copy")).isEqualTo(4);
      assertThat(read(second, "SELECT SUM(v) FROM copy")).isEqualTo(9);
    }
  }

  /** New tables, each met by several sessions at once, in all kinds of transactions. */
  @ParameterizedTest
  @MethodSource(KINDS)
  void noSessionSeesThatATableIsPrepared(ServerKind kind) throws Exception {
    TestDatabase database = database(kind);
    int tables = 12;
    try (Connection raw = database.raw()) {
      for (int i = 0; i < tables; i++) {
        TestDatabase.execute(
            raw,
            "CREATE TABLE n" + i + " (id INT PRIMARY KEY, v INT)",
            "INSERT INTO n" + i + " VALUES (1, 1)");
      }
    }
    String snapshot =
        switch (kind) {
          case MYSQL, MARIADB -> "START TRANSACTION WITH CONSISTENT SNAPSHOT";
          default -> "";
        };
    List<Callable<Boolean>> sessions = new ArrayList<>();
    for (int n = 0; n < 4; n++) {
      int mine = n;
      sessions.add(
          () -> {
            try (Connection watched = auto(database);
                Statement statement = watched.createStatement()) {
              if (mine > 1) {
                inTransaction(watched, mine == 2 ? COMMITTED : REPEATABLE);
              }
              for (int i = 0; i < tables; i++) {
                for (int j = 0; j < 4; j++) {
                  if (mine == 3 && !snapshot.isEmpty()) {
                    statement.execute(snapshot);
                  }
                  for (int k = 0; k < 2; k++) {
                    // no two texts are the same
                    String sql = "SELECT * FROM n" + (i + k) % tables + " WHERE id = 1 AND ";
                    try (ResultSet rows =
                        statement.executeQuery(sql + mine + i + j + k + " >= 0")) {
                      assertThat(rows.getMetaData().getColumnCount()).isEqualTo(2);
                      assertThat(rows.next()).isTrue();
                    }
                  }
                  if (mine > 1) {
                    watched.commit();
                  }
                }
              }
            }
            return true;
          });
    }
    ExecutorService threads = Executors.newFixedThreadPool(sessions.size());
    try {
      for (Future<Boolean> session : threads.invokeAll(sessions)) {
        assertThat(session.get()).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
