package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Settings;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A replication connection of PostgreSQL is the application's own, and nothing is said of it. */
class ReplicationConnectionTest {

  @ParameterizedTest
  @ValueSource(strings = {"true", "database"})
  void isNotWatchedAndReportsNoFault(String replication) throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    Properties properties = new Properties();
    properties.setProperty("replication", replication);
    properties.setProperty("preferQueryMode", "simple");
    properties.setProperty("assumeMinServerVersion", "9.4");
    PrintStream err = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try (Connection real = DriverManager.getConnection(url, properties)) {
      Connection given =
          Watch.connection(
              real,
              url,
              "",
              () -> DriverManager.getConnection(url, properties),
              Settings.of(Map.of()));
      assertThat(given).isSameAs(real);
      try (Statement statement = given.createStatement();
          ResultSet row = statement.executeQuery("IDENTIFY_SYSTEM")) {
        assertThat(row.next()).isTrue();
      }
    } finally {
      System.setErr(err);
    }
    assertThat(said.toString(StandardCharsets.UTF_8)).doesNotContain("fault");
  }
}
