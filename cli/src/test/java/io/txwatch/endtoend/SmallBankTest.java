package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.endtoend.ApplicationLog.Attempt;
import io.txwatch.endtoend.LoggedLoad.Operation;
import io.txwatch.endtoend.LoggedLoad.Session;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * SmallBank (Alomari, Cahill, Fekete, Röhm: The Cost of Serializability on Platforms That Use
 * Snapshot Isolation, ICDE 2008). Its only dangerous structure at snapshot isolation is Balance
 * -rw-> WriteCheck -rw-> TransactSavings: WriteCheck did not see the deposit and takes a fee, while
 * Balance, which only reads, saw the deposit and not the fee. The judge is the application's own
 * log.
 */
class SmallBankTest {

  private static final int CUSTOMERS = 4;
  private static final int THREADS = 6;
  private static final int TRANSACTIONS = 2_000;
  private static final int MAX_ROUNDS = 10;
  private static final List<String> DANGEROUS =
      List.of("Balance -rw-> WriteCheck", "WriteCheck -rw-> TransactSavings");

  private static final LoggedLoad.Rows ROWS =
      (table, id) -> 2L * id + (table.equals("saving") ? 0 : 1);

  /** The customer of the last check, whom most transactions are about. */
  private static final AtomicInteger CHECKED = new AtomicInteger();

  private record Named(String name, Body body) implements Operation {
    private interface Body {
      void run(Session session) throws SQLException;
    }

    @Override
    public void run(Session session) throws SQLException {
      body.run(session);
    }
  }

  private static Operation balance(int customer) {
    return new Named(
        "Balance",
        session -> {
          session.read("saving", customer);
          session.read("checking", customer);
        });
  }

  private static Operation depositChecking(int customer) {
    return new Named(
        "DepositChecking", session -> session.write("checking", customer, "value + 1"));
  }

  private static Operation transactSavings(int customer) {
    return new Named(
        "TransactSavings",
        session -> {
          int value = session.read("saving", customer);
          session.write("saving", customer, String.valueOf(value + 20));
        });
  }

  private static Operation amalgamate(int from, int to) {
    return new Named(
        "Amalgamate",
        session -> {
          int total = session.read("saving", from) + session.read("checking", from);
          session.write("saving", from, "0");
          session.write("checking", from, "0");
          session.write("checking", to, "value + " + total);
        });
  }

  private static Operation writeCheck(int customer) {
    return new Named(
        "WriteCheck",
        session -> {
          CHECKED.set(customer);
          int total = session.read("saving", customer) + session.read("checking", customer);
          session.pause();
          session.write("checking", customer, "value - " + (total < 10 ? 11 : 10));
        });
  }

  private static Operation next(Random random) {
    int customer = random.nextInt(3) == 0 ? random.nextInt(CUSTOMERS) : CHECKED.get();
    return switch (random.nextInt(5)) {
      case 0 -> balance(customer);
      case 1 -> depositChecking(customer);
      case 2 -> transactSavings(customer);
      case 3 -> amalgamate(customer, (customer + 1) % CUSTOMERS);
      default -> writeCheck(customer);
    };
  }

  private static String bank() throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String table : List.of("saving", "checking")) {
        statement.execute(
            "CREATE TABLE " + table + " (id INT PRIMARY KEY, value INT NOT NULL, version INT)");
        statement.execute(
            "INSERT INTO %s SELECT i, 0, 0 FROM generate_series(0, %d) i"
                .formatted(table, CUSTOMERS - 1));
      }
    }
    return url;
  }

  private static LoggedRun run(int level, Path folder) throws Exception {
    String url = bank();
    Watched watched = new Watched(folder, Map.of());
    List<Attempt> attempts;
    try (watched;
        LoggedLoad load = new LoggedLoad(ROWS)) {
      attempts =
          load.run(THREADS, TRANSACTIONS, level, () -> watched.connect(url), SmallBankTest::next);
    }
    return new LoggedRun(
        new ApplicationLog(attempts),
        watched.reported(),
        LoggedRun.rows(url, ROWS, "saving", "checking"));
  }

  /** A run whose log has a cycle. On a busy machine the transactions may not meet at first. */
  private static LoggedRun runWithCycle(Path folder) throws Exception {
    for (int round = 0; round < MAX_ROUNDS; round++) {
      Path ofRound = Files.createDirectory(folder.resolve("round" + round));
      LoggedRun run = run(Connection.TRANSACTION_REPEATABLE_READ, ofRound);
      if (!run.log().tangles().isEmpty()) {
        return run;
      }
      assertThat(run.reported()).isEmpty();
    }
    throw new AssertionError("no cycle in " + MAX_ROUNDS + " runs");
  }

  @Test
  void snapshotIsolationHasTheDangerousStructureAndNoOther(@TempDir Path folder) throws Exception {
    LoggedRun run = runWithCycle(folder);

    assertThat(run.log().committedCount()).isEqualTo(TRANSACTIONS);
    run.assertThatTheLogAgrees();
    for (ReportedAnomaly anomaly : run.reported()) {
      List<String> twoRounds = new ArrayList<>(LoggedRun.operations(anomaly));
      twoRounds.addAll(LoggedRun.operations(anomaly));
      assertThat(twoRounds).as("%s", anomaly).containsSequence(DANGEROUS);
    }
  }

  @Test
  void serializableHasNone(@TempDir Path folder) throws Exception {
    LoggedRun run = run(Connection.TRANSACTION_SERIALIZABLE, folder);

    assertThat(run.log().committedCount()).isEqualTo(TRANSACTIONS);
    assertThat(run.log().tangles()).isEmpty();
    assertThat(run.reported()).isEmpty();
  }

  /** The three transactions, one step after the other; returns what is reported. */
  private static List<ReportedAnomaly> threeTransactions(int level, Path folder) throws Exception {
    String url = bank();
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection check = watched.connect(url);
        Connection savings = watched.connect(url);
        Connection balance = watched.connect(url)) {
      for (Connection each : List.of(check, savings, balance)) {
        each.setTransactionIsolation(level);
        each.setAutoCommit(false);
      }
      select(check, "saving");
      select(check, "checking");
      select(savings, "saving");
      update(savings, "saving", 20);
      savings.commit();
      select(balance, "saving");
      select(balance, "checking");
      balance.commit();
      update(check, "checking", -11);
      check.commit();
    }
    return watched.reported();
  }

  private static void select(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT value FROM " + table + " WHERE id = 1")) {
      assertThat(row.next()).isTrue();
    }
  }

  private static void update(Connection connection, String table, int amount) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("UPDATE " + table + " SET value = value + " + amount + " WHERE id = 1");
    }
  }

  @Test
  void readOnlyTransactionCompletesTheCycle(@TempDir Path folder) throws Exception {
    List<ReportedAnomaly> reported =
        threeTransactions(Connection.TRANSACTION_REPEATABLE_READ, folder);
    assertThat(reported)
        .singleElement()
        .satisfies(
            anomaly -> {
              assertThat(anomaly.phenomenon()).isEqualTo("G2_ITEM");
              assertThat(anomaly.cycle())
                  .extracting(edge -> edge.kind() + " " + edge.table())
                  .containsExactlyInAnyOrder("rw checking", "rw saving", "wr saving");
            });
  }

  @Test
  void serializableAbortsTheCheck(@TempDir Path folder) {
    assertThatThrownBy(() -> threeTransactions(Connection.TRANSACTION_SERIALIZABLE, folder))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
  }
}
