package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.txwatch.history.Event;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application that reads from a replica, with {@code txwatch.versions=log}, while clients that
 * are not watched write to the primary: it reads what it would read unwatched, and nothing is
 * reported of it. One line names what a replica lacks that does not log what it receives.
 */
class ReplicaTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int TRANSFERS = 50;
  private static final int TOTAL = 200;

  @TempDir private Path folder = Path.of("");

  @Test
  void ofMySql() throws Exception {
    assumeThat(TestServers.missing(ServerKind.MYSQL)).isEmpty();
    String[] gtids = {"--gtid-mode=ON", "--enforce-gtid-consistency=ON"};
    try (DatabaseServer primary = MySqlServer.start(gtids)) {
      String source =
          "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = %d,"
              + " SOURCE_USER = 'root', GET_SOURCE_PUBLIC_KEY = 1, ";
      try (DatabaseServer replica =
          MySqlServer.start("--server-id=2", gtids[0], gtids[1], "--skip-replica-start")) {
        follow(replica, primary, source + "SOURCE_AUTO_POSITION = 1", "START REPLICA");
        isReadAsItIsLogged(primary, replica);
      }
      try (DatabaseServer replica =
          MySqlServer.start(
              "--server-id=3",
              gtids[0],
              gtids[1],
              "--skip-replica-start",
              "--log-replica-updates=OFF")) {
        follow(
            replica,
            primary,
            source + "SOURCE_LOG_FILE = 'binlog.000001', SOURCE_LOG_POS = 4",
            "START REPLICA");
        isReadUnlogged(primary, replica, "log_replica_updates");
      }
    }
  }

  @Test
  void ofMariaDb() throws Exception {
    assumeThat(TestServers.missing(ServerKind.MARIADB)).isEmpty();
    String[] log = {"--log-bin=binlog", "--binlog-format=ROW"};
    String source =
        "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = %d, MASTER_USER = 'root',"
            + " MASTER_LOG_FILE = 'binlog.000001', MASTER_LOG_POS = 4";
    try (DatabaseServer primary = MariaDbServer.start(log[0], log[1], "--server-id=7")) {
      try (DatabaseServer replica =
          MariaDbServer.start(log[0], log[1], "--server-id=8", "--log-slave-updates=ON")) {
        follow(replica, primary, source, "START SLAVE");
        isReadAsItIsLogged(primary, replica);
      }
      try (DatabaseServer replica = MariaDbServer.start(log[0], log[1], "--server-id=9")) {
        follow(replica, primary, source, "START SLAVE");
        isReadUnlogged(primary, replica, "log_slave_updates");
      }
    }
  }

  private static void follow(
      DatabaseServer replica, DatabaseServer primary, String source, String start)
      throws SQLException {
    execute(
        replica.url(),
        source.formatted(URI.create(primary.url().substring("jdbc:".length())).getPort()),
        start,
        "SET GLOBAL read_only = ON");
    if (replica.kind() == ServerKind.MYSQL) {
      execute(replica.url(), "SET GLOBAL super_read_only = ON");
    }
  }

  private void isReadAsItIsLogged(DatabaseServer primary, DatabaseServer replica) throws Exception {
    Read read = read(primary, replica);
    assertThat(read.printed())
        .singleElement(STRING)
        .contains("row versions come from the binary log of ");
    assertThat(read.watched().reported()).isEmpty();
    assertThat(read.watched().analysedAfterwards().coverage().resolution().unique()).isPositive();
    assertThat(read.watched().events())
        .filteredOn(Event.Changed.class::isInstance)
        .hasSizeGreaterThanOrEqualTo(TRANSFERS)
        .extracting(event -> ((Event.Changed) event).connection())
        .containsOnly(0L); // another server's connections, or threads here, are no sessions
  }

  private void isReadUnlogged(DatabaseServer primary, DatabaseServer replica, String setting)
      throws Exception {
    Read read = read(primary, replica);
    assertThat(read.printed())
        .singleElement(STRING)
        .contains("no row versions come from the binary log of ")
        .endsWith("a replica and does not log what it receives: start it with " + setting);
    assertThat(read.watched().reported()).isEmpty();
  }

  /** What an application did, and what was printed of it. */
  private record Read(Watched watched, List<String> printed) {}

  /** Reads on the replica while transfers are made on the primary. */
  private Read read(DatabaseServer primary, DatabaseServer replica) throws Exception {
    String admin = primary.newDatabase("bank");
    execute(
        admin,
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)",
        "INSERT INTO account VALUES (1, 100), (2, 100)");
    String url = admin.replaceFirst(":\\d+/", replica.url().replaceFirst(".*(:\\d+/).*", "$1"));
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(10))
        .ignoreExceptions()
        .until(() -> balances(url).equals(List.of(100, 100)));
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    Watched watched =
        new Watched(Files.createTempDirectory(folder, "run"), Map.of("txwatch.versions", "log"));
    try (Connection one = watched.connect(url);
        Connection other = watched.connect(url);
        Connection writer = DriverManager.getConnection(admin);
        Statement transfer = writer.createStatement()) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      writer.setAutoCommit(false);
      for (int i = 0; i < TRANSFERS; i++) {
        List<Integer> first = balances(one);
        transfer.execute("UPDATE account SET balance = balance - 1 WHERE id = 1");
        transfer.execute("UPDATE account SET balance = balance + 1 WHERE id = 2");
        writer.commit();
        assertThat(balances(one)).isEqualTo(first);
        assertThat(balances(other).stream().mapToInt(Integer::intValue).sum()).isEqualTo(TOTAL);
        one.commit();
        other.commit();
      }
      Awaitility.await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(10))
          .until(
              () -> {
                other.rollback();
                return balances(other).equals(List.of(100 - TRANSFERS, 100 + TRANSFERS));
              });
    } finally {
      watched.close();
      System.setErr(before);
    }
    return new Read(watched, printed.toString(StandardCharsets.UTF_8).lines().toList());
  }

  private static List<Integer> balances(String url) throws SQLException {
    try (Connection raw = DriverManager.getConnection(url)) {
      return balances(raw);
    }
  }

  private static List<Integer> balances(Connection connection) throws SQLException {
    List<Integer> balances = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id, balance FROM account ORDER BY id")) {
      while (rows.next()) {
        balances.add(rows.getInt(2));
      }
    }
    return balances;
  }

  private static void execute(String url, String... statements) throws SQLException {
    try (Connection raw = DriverManager.getConnection(url);
        Statement statement = raw.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
