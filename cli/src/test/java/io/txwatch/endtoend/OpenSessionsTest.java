package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.TxWatch;
import io.txwatch.analyzer.ProcessSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** The figures of a process count the sessions that are open, and not those that were opened. */
class OpenSessionsTest {

  private static final String URL = "jdbc:txwatch:h2:mem:open-sessions?txwatch.log=none";

  @Test
  void closedSessionIsNotOpen() throws SQLException {
    try (Connection stays = DriverManager.getConnection(URL)) {
      use(stays);
      long one = sessions();
      try (Connection closes = DriverManager.getConnection(URL)) {
        use(closes);
        assertThat(sessions()).isEqualTo(one + 1);
      }
      use(stays);
      assertThat(sessions()).isEqualTo(one);
    }
  }

  private static void use(Connection connection) throws SQLException {
    connection.createStatement().execute("SELECT 1");
  }

  private static long sessions() {
    assertThat(TxWatch.report().complete()).isTrue();
    return new ProcessSource().figures().sessions();
  }
}
