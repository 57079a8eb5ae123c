package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.txwatch.endtoend.ServedApplications.Service;
import io.txwatch.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A standby of PostgreSQL is promoted in the middle of the load of two services, which report to
 * one analyzer. It had received nothing for a while when the primary was killed, so it lacks
 * hundreds of transactions whose commits were acknowledged, and gives their ids again. The only
 * anomalies are the two lost updates that are made on purpose, one on each of the two servers.
 */
class PromotedStandbyTest {

  private static final int MIN_COMMITS = 200;

  @Test
  void loadGoesOnWithThePromotedStandby() throws Exception {
    Map<String, String> settings = Map.of();
    ServedApplications served = new ServedApplications();
    long lost;
    try (PostgresServer primary = PostgresServer.start()) {
      prepare(primary);
      try (PostgresServer standby = primary.standby();
          served;
          CounterLoad load = new CounterLoad()) {
        String both = bothServers(primary.url(), standby.url());
        Service orders = served.service("orders", settings);
        Service billing = served.service("billing", settings);
        List<Workload.Opener> services =
            List.of(() -> orders.connect(both), () -> billing.connect(both));
        CounterLoad.loseAnUpdate(services.get(0), services.get(1));
        awaitBalance(standby, 80);
        load.start(services);
        load.awaitCommits(MIN_COMMITS);
        execute(standby, "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()");
        load.awaitCommits(MIN_COMMITS);
        primary.close();
        execute(standby, "SELECT pg_promote()");
        load.awaitCommits(MIN_COMMITS);
        load.stop();
        CounterLoad.loseAnUpdate(services.get(0), services.get(1));
        lost = load.lost(standby.url());
      }
    }
    assertThat(lost).isPositive();
    assertThat(served.found())
        .extracting(
            anomaly -> anomaly.phenomenon().name(), anomaly -> anomaly.cycle().get(0).table())
        .as("%s increments lost: %s, %s", lost, served.found(), served.lines())
        .containsExactly(tuple("LOST_UPDATE", "account"), tuple("LOST_UPDATE", "account"));
  }

  private static void prepare(PostgresServer server) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      CounterLoad.create(statement);
    }
  }

  /** The URL of the one of them that is not a standby. */
  private static String bothServers(String one, String other) {
    String prefix = "jdbc:postgresql://";
    String host = other.substring(prefix.length(), other.indexOf('/', prefix.length()));
    return prefix
        + host
        + ","
        + one.substring(prefix.length())
        + "&targetServerType=primary&hostRecheckSeconds=0&connectTimeout=2";
  }

  private static void awaitBalance(PostgresServer server, int balance) {
    await()
        .until(
            () -> {
              try (Connection connection = server.connect();
                  Statement statement = connection.createStatement();
                  ResultSet row = statement.executeQuery("SELECT balance FROM account")) {
                return row.next() && row.getInt(1) == balance;
              }
            });
  }

  private static void execute(PostgresServer server, String... texts) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.url());
        Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }
}
