package io.txwatch.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionNumberTest {

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, SELECT pg_backend_pid()",
    "MARIADB, SELECT CONNECTION_ID()",
    "MYSQL, SELECT CONNECTION_ID()",
    "H2, SELECT SESSION_ID()",
    "SQLITE, SELECT 0"
  })
  void driverKeepsTheNumber(ServerKind kind, String query) throws Exception {
    assumeThat(TestServers.missing(kind)).isEmpty();
    try (Connection connection = DriverManager.getConnection(TestServers.freshDatabase(kind));
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      assertThat(row.next()).isTrue();
      assertThat(ConnectionNumber.of(connection)).isEqualTo(row.getLong(1));
    }
  }
}
