package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Connecting where TLS or its absence is in the way; our MariaDB has no TLS, our MySQL has. */
class ConnectFailureTest {

  @Test
  void readmeCommandsWorkOnAMariaDbWithoutTls(@TempDir Path folder) throws Exception {
    String url =
        TestServers.freshDatabase(ServerKind.MARIADB)
            .replaceFirst("\\?.*", "")
            .replace("127.0.0.1", "localhost");
    Path lost = folder.resolve("case.txt");
    Files.writeString(lost, "I: CREATE TABLE t (v INT) {ENGINE}\nT1: INSERT INTO t VALUES (1)\n");
    String[] reach = {"--url", url, "--user", "root"};
    Invocation replay =
        Invocation.of(
            "replay", lost.toString(), reach[0], reach[1], reach[2], reach[3], "--isolation", "RC");
    assertThat(replay.code()).as(replay.err()).isZero();
    Invocation fuzz =
        Invocation.of(
            "fuzz",
            reach[0],
            reach[1],
            reach[2],
            reach[3],
            "--cases",
            "2",
            "--seed",
            "1",
            "--workers",
            "1");
    assertThat(fuzz.code()).as(fuzz.err()).isZero();
    Invocation prepare =
        Invocation.of("prepare", reach[0], reach[1], reach[2], reach[3], "--dry-run");
    assertThat(prepare.code()).as(prepare.err()).isZero();
  }

  @Test
  void urlThatRequiresTlsIsNotConnectedWithoutIt() throws Exception {
    String url =
        TestServers.freshDatabase(ServerKind.MARIADB).replace("sslMode=disable", "sslMode=trust");
    assertThatThrownBy(() -> Drivers.connect(url, new DatabaseOptions()))
        .isInstanceOf(CommandException.class)
        .hasMessageEndingWith("add sslMode=disable to the URL to connect without TLS");
  }

  @Test
  void tlsIsRequiredOnOtherHosts() {
    SQLException failure =
        new SQLException("Trying to connect with ssl, but ssl not enabled in the server.");
    for (String url :
        new String[] {
          "jdbc:mariadb://db/shop",
          "jdbc:mariadb://127.0.0.1.example:3306/shop",
          "jdbc:mariadb://localhost,db/shop",
          "jdbc:mariadb:replication://localhost,db/shop",
          "jdbc:mariadb://localhost/shop?sslMode=verify-full",
          "jdbc:mariadb://localhost/shop?user=a&useSSL=true",
          "jdbc:mysql://localhost/shop"
        }) {
      assertThat(ConnectFailure.withoutTls(url, failure)).as(url).isEmpty();
    }
    assertThat(ConnectFailure.withoutTls("jdbc:mariadb://localhost/shop", failure))
        .contains("jdbc:mariadb://localhost/shop?sslMode=disable");
    assertThat(ConnectFailure.withoutTls("jdbc:mariadb://[::1]:3306/shop?user=a", failure))
        .contains("jdbc:mariadb://[::1]:3306/shop?user=a&sslMode=disable");
    assertThat(ConnectFailure.withoutTls("jdbc:mariadb://localhost/shop", new SQLException("no")))
        .isEmpty();
  }

  @Test
  @EnabledIf("io.txwatch.servers.MySqlServer#isFetched")
  void mysqlMessagesNameTheParameter() throws Exception {
    try (MySqlServer server = MySqlServer.start()) { // whose cache knows no password yet
      try (Connection connection = DriverManager.getConnection(server.url());
          Statement statement = connection.createStatement()) {
        for (String user : new String[] {"one", "two"}) {
          statement.execute("CREATE USER " + user + " IDENTIFIED BY 'secret'");
          statement.execute("GRANT SELECT ON mysql.* TO " + user);
        }
      }
      String url = server.url().replaceFirst("\\?.*", "?password=secret");
      assertThatThrownBy(
              () -> Drivers.connect(url + "&user=one&sslMode=DISABLED", new DatabaseOptions()))
          .hasMessageEndingWith(
              "Public Key Retrieval is not allowed; add allowPublicKeyRetrieval=true to the URL, or"
                  + " connect with TLS by sslMode=REQUIRED");
      assertThatThrownBy(
              () -> Drivers.connect(url + "&user=one&sslMode=VERIFY_CA", new DatabaseOptions()))
          .hasMessageContaining("Path does not chain with any of the trust anchors")
          .hasMessageContaining("sslMode=REQUIRED");
      String byMariaDb = url.replace("jdbc:mysql:", "jdbc:mariadb:");
      assertThatThrownBy(
              () -> Drivers.connect(byMariaDb + "&user=two&sslMode=disable", new DatabaseOptions()))
          .hasMessageContaining("allowPublicKeyRetrieval=true");
      Drivers.connect(url + "&user=one&sslMode=REQUIRED", new DatabaseOptions()).close();
    }
  }
}
