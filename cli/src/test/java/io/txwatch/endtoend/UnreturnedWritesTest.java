package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * PostgreSQL by its system columns: updates that do not return what they replaced, as an item of a
 * batch, or an UPDATE with FROM before PostgreSQL 18. Both transactions read the row first.
 */
class UnreturnedWritesTest {

  private static final String ONE = "UPDATE account SET balance = balance - ? WHERE id = 1";

  private enum How {
    PLAIN,
    BATCH,
    FROM;

    void write(Connection connection) throws SQLException {
      String sql =
          this == FROM
              ? "UPDATE account SET balance = balance - ? FROM one WHERE account.id = one.id"
              : ONE;
      try (PreparedStatement update = connection.prepareStatement(sql)) {
        update.setInt(1, 10);
        if (this == BATCH) {
          update.addBatch();
          assertThat(update.executeBatch()).containsExactly(1);
        } else {
          assertThat(update.executeUpdate()).isOne();
        }
      }
    }
  }

  /**
   * The second transaction reads before the first writes.
   *
   * @param between what the second one does after the first has committed
   */
  @ParameterizedTest
  @CsvSource({
    "PLAIN, PLAIN, nothing,   LOST_UPDATE",
    "PLAIN, BATCH, nothing,   LOST_UPDATE",
    "PLAIN, FROM,  nothing,   LOST_UPDATE",
    "BATCH, PLAIN, nothing,   LOST_UPDATE",
    "FROM,  PLAIN, nothing,   LOST_UPDATE",
    "PLAIN, BATCH, reads,     NON_REPEATABLE_READ",
    "PLAIN, FROM,  reads,     NON_REPEATABLE_READ",
    "PLAIN, BATCH, undoes,    ''",
    "PLAIN, BATCH, rollsBack, ''",
    "PLAIN, BATCH, reverse,   ''",
    "PLAIN, FROM,  reverse,   ''"
  })
  void lostUpdates(How first, How second, String between, String expected, @TempDir Path folder)
      throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    try (Connection raw = DriverManager.getConnection(url);
        Statement statement = raw.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.execute("CREATE TABLE one (id INT PRIMARY KEY)");
      statement.execute("INSERT INTO account VALUES (1, 100)");
      statement.execute("INSERT INTO one VALUES (1)");
    }
    Watched watched = new Watched(folder, Map.of("txwatch.versions", "system"));
    try (watched;
        Connection one = watched.connect(url);
        Connection two = watched.connect(url)) {
      one.setAutoCommit(false);
      two.setAutoCommit(false);
      for (How how : How.values()) {
        how.write(one); // the first time with a savepoint
        one.commit();
      }
      if (between.equals("reverse")) {
        second.write(two);
        two.commit();
        read(one);
        first.write(one);
        one.commit();
      } else {
        read(two);
        read(one);
        first.write(one);
        one.commit();
        switch (between) {
          case "reads" -> read(two);
          case "undoes" -> {
            var savepoint = two.setSavepoint();
            second.write(two);
            two.rollback(savepoint);
          }
          default -> {}
        }
        if (!between.equals("undoes")) {
          second.write(two);
        }
        if (between.equals("rollsBack")) {
          two.rollback();
        } else {
          two.commit();
        }
      }
    }
    assertThat(
            String.join(
                ", ", watched.reported().stream().map(ReportedAnomaly::phenomenon).toList()))
        .isEqualTo(expected);
  }

  private static void read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = 1")) {
      assertThat(row.next()).isTrue();
    }
  }
}
