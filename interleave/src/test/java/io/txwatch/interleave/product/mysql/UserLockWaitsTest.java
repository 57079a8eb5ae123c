package io.txwatch.interleave.product.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.interleave.Interleaved;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.interleave.Interleaver;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class UserLockWaitsTest {

  @Test
  void theNameIsRead() {
    assertThat(UserLockWaits.names("SELECT get_lock ( 'a''b' , 5), n FROM t"))
        .containsExactly("'a''b'");
    assertThat(UserLockWaits.names("SELECT 'GET_LOCK(''b'', 1)', /* x */ GET_LOCK('a', ?)"))
        .containsExactly("'a'");
  }

  @Test
  void whatIsNoLiteralIsNotRead() {
    assertThat(UserLockWaits.names("SELECT GET_LOCK(?, 5)")).isEmpty();
    assertThat(UserLockWaits.names("SELECT GET_LOCK('a' 'b', 5)")).isEmpty();
    assertThat(UserLockWaits.names("SELECT GET_LOCK('a\\'', 5)")).isEmpty();
    assertThat(UserLockWaits.names("SELECT GET_LOCK('a', 5), GET_LOCK(@b, 5)")).isEmpty();
  }

  static Stream<Arguments> kinds() {
    return TestServers.concurrentKinds()
        .filter(kind -> kind == ServerKind.MARIADB || kind == ServerKind.MYSQL)
        .flatMap(kind -> Stream.of(Arguments.of(kind, false), Arguments.of(kind, true)));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void operationsUnderAUserLockAreSafe(ServerKind kind, boolean preparesOnServer) throws Exception {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE stock (id INT PRIMARY KEY, n INT)");
      statement.execute("INSERT INTO stock VALUES (1, 5)");
    }
    Interleaved found =
        new Interleaver()
            .limit(Duration.ofSeconds(20))
            .operation("A", () -> decrement(url, preparesOnServer))
            .operation("B", () -> decrement(url, preparesOnServer))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
    assertThat(found.executions()).isGreaterThan(1);
  }

  private static Object decrement(String url, boolean preparesOnServer) throws SQLException {
    Properties settings = new Properties();
    settings.setProperty("txwatch.analyzer", "none");
    settings.setProperty("useServerPrepStmts", String.valueOf(preparesOnServer));
    try (Connection connection =
        DriverManager.getConnection(url.replaceFirst("jdbc:", "jdbc:txwatch:"), settings)) {
      number(connection, "SELECT GET_LOCK(?, 50)", "stock");
      int n = number(connection, "SELECT n FROM stock WHERE id = ?", 1);
      try (PreparedStatement update =
          connection.prepareStatement("UPDATE stock SET n = ? WHERE id = 1")) {
        update.setInt(1, n - 1);
        update.executeUpdate();
      }
      return number(connection, "SELECT RELEASE_LOCK(?)", "stock");
    }
  }

  private static int number(Connection connection, String sql, Object parameter)
      throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      query.setObject(1, parameter);
      try (ResultSet rows = query.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }
}
