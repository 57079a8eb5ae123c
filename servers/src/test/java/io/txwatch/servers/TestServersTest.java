package io.txwatch.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.PrimitiveIterator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class TestServersTest {

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#kinds")
  void aServerOfEachKindAnswers(ServerKind kind) throws Exception {
    try (Connection connection = TestServers.of(kind).connect();
        Statement statement = connection.createStatement();
        ResultSet one = statement.executeQuery("SELECT 1")) {
      assertThat(one.next()).isTrue();
      assertThat(one.getInt(1)).isEqualTo(1);
      assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo(kind.product());
    }
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#kinds")
  void freshDatabaseIsIsolatedFromOthers(ServerKind kind) throws Exception {
    String first = TestServers.freshDatabase(kind);
    String second = TestServers.freshDatabase(kind);
    assertThat(second).isNotEqualTo(first);
    for (String url : new String[] {first, second}) {
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE account (id INT PRIMARY KEY)");
        assertThat(statement.executeUpdate("INSERT INTO account VALUES (1)")).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#kinds")
  void theSameServerServesTheWholeJvm(ServerKind kind) {
    assertThat(TestServers.of(kind)).isSameAs(TestServers.of(kind));
  }

  /** Two processes may be given the same free port. */
  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void serverWhosePortWasTakenListensOnAnother(ServerKind kind) throws Exception {
    assumeThat(TestServers.missing(kind)).isEmpty();
    try (MariaDbServer first = MariaDbServer.start()) {
      PrimitiveIterator.OfInt ports =
          IntStream.of(first.port(), ServerProcess.freePort()).iterator();
      try (LocalServer second =
          kind == ServerKind.MYSQL
              ? MySqlServer.start(ports::nextInt)
              : MariaDbServer.start(ports::nextInt)) {
        assertThat(second.port()).isNotEqualTo(first.port());
        second.newDatabase("shop");
        assertThatThrownBy(() -> DriverManager.getConnection(first.url("shop")))
            .hasMessageContaining("Unknown database 'shop'");
      }
    }
  }

  @Test
  void commaWithinAUrlDoesNotSplitIt() {
    assertThat(
            TestServers.urls(
                "jdbc:postgresql://a,b/x?user=u, jdbc:mysql://127.0.0.1:3306/mysql?user=root"))
        .containsExactly(
            "jdbc:postgresql://a,b/x?user=u", "jdbc:mysql://127.0.0.1:3306/mysql?user=root");
  }

  @Test
  void userAndPasswordOfAnExternalServerAreReadFromItsUrl() {
    ExternalServer server =
        new ExternalServer(ServerKind.MYSQL, "jdbc:mysql://h/d?user=me&password=a%26b");
    assertThat(server.user()).isEqualTo("me");
    assertThat(server.password()).isEqualTo("a&b");
  }
}
