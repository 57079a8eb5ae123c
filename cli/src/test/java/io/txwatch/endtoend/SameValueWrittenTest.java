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
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A voucher is redeemed twice: two transactions find it open, and both set it to used. On MySQL and
 * MariaDB the second UPDATE changes nothing, and nobody reads the row afterwards.
 */
class SameValueWrittenTest {

  private enum Schedule {
    /** The first one commits before the second one writes. */
    ONE_AFTER_THE_OTHER("used", "used", "LOST_UPDATE"),
    /** The second one waits for the lock of the first one. */
    WAITS("used", "used", "LOST_UPDATE"),
    /** The second one reads while the first one has written and not committed. */
    READS_AFTER_THE_WRITE("used", "used", "LOST_UPDATE"),
    /** The first one is a single statement, committed by itself. */
    AUTOCOMMITTED("used", "used", "LOST_UPDATE"),
    OTHER_VALUE("used", "void", "LOST_UPDATE"),
    /** The first UPDATE changes nothing: the serial order explains it. */
    FIRST_CHANGES_NOTHING("open", "used", ""),
    /** The second one reads after the first one has committed. */
    SERIAL("used", "used", ""),
    FIRST_ROLLS_BACK("used", "used", ""),
    SECOND_ROLLS_BACK("used", "used", "");

    private final String first;
    private final String second;
    private final String expected;

    Schedule(String first, String second, String expected) {
      this.first = first;
      this.second = second;
      this.expected = expected;
    }
  }

  static Stream<Arguments> runs() {
    return TestServers.kinds()
        .filter(kind -> kind == ServerKind.MYSQL || kind == ServerKind.MARIADB)
        .flatMap(
            kind ->
                Stream.of("inline", "items")
                    .flatMap(level -> isolated().map(i -> Arguments.of(kind, level, i))));
  }

  private static Stream<Integer> isolated() {
    return Stream.of(Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ);
  }

  @ParameterizedTest
  @MethodSource("runs")
  void isReported(ServerKind kind, String instrument, int isolation, @TempDir Path folder)
      throws Exception {
    String url = TestServers.freshDatabase(kind);
    try (Connection raw = DriverManager.getConnection(url)) {
      execute(raw, "CREATE TABLE voucher (id BIGINT PRIMARY KEY, status VARCHAR(10) NOT NULL)");
      Watched.prepare(raw);
      for (Schedule schedule : Schedule.values()) {
        execute(
            raw, "INSERT INTO voucher (id, status) VALUES (" + schedule.ordinal() + ", 'open')");
      }
    }
    for (Schedule schedule : Schedule.values()) {
      Path files = folder.resolve(schedule.name());
      files.toFile().mkdir();
      Watched watched = new Watched(files, Map.of("txwatch.instrument", instrument));
      try (watched;
          Connection one = watched.connect(url);
          Connection other = watched.connect(url)) {
        for (Connection connection : List.of(one, other)) {
          connection.setTransactionIsolation(isolation);
          connection.setAutoCommit(false);
        }
        run(schedule, one, other);
      }
      assertThat(
              String.join(
                  ", ", watched.reported().stream().map(ReportedAnomaly::phenomenon).toList()))
          .as("%s", schedule)
          .isEqualTo(schedule.expected);
    }
  }

  private static void run(Schedule schedule, Connection one, Connection other) throws Exception {
    int id = schedule.ordinal();
    boolean readsLate = schedule == Schedule.SERIAL || schedule == Schedule.READS_AFTER_THE_WRITE;
    if (schedule == Schedule.AUTOCOMMITTED) {
      one.setAutoCommit(true);
    } else {
      read(one, id);
    }
    if (!readsLate) {
      read(other, id);
    }
    write(one, schedule.first, id);
    if (schedule == Schedule.READS_AFTER_THE_WRITE) {
      read(other, id);
    }
    if (schedule == Schedule.WAITS) {
      CompletableFuture<Void> waiting =
          CompletableFuture.runAsync(() -> write(other, schedule.second, id));
      try {
        waiting.get(200, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        // It waits for the lock.
      }
      one.commit();
      waiting.get(10, TimeUnit.SECONDS);
    } else {
      if (schedule == Schedule.FIRST_ROLLS_BACK) {
        one.rollback();
      } else if (!one.getAutoCommit()) {
        one.commit();
      }
      if (schedule == Schedule.SERIAL) {
        read(other, id);
      }
      write(other, schedule.second, id);
    }
    if (schedule == Schedule.SECOND_ROLLS_BACK) {
      other.rollback();
    } else {
      other.commit();
    }
  }

  private static void execute(Connection connection, String text) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(text);
    }
  }

  private static void read(Connection connection, int id) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement("SELECT status FROM voucher WHERE id = ?")) {
      query.setLong(1, id);
      try (ResultSet rows = query.executeQuery()) {
        assertThat(rows.next()).isTrue();
      }
    }
  }

  /** Counts the row and the rows that were counted, which a read in between would reset. */
  private static void write(Connection connection, String status, int id) {
    try (Statement statement = connection.createStatement()) {
      String update = "UPDATE voucher SET status = '%s' WHERE id = %d".formatted(status, id);
      assertThat(statement.executeUpdate(update)).isOne();
      try (ResultSet counted = statement.executeQuery("SELECT ROW_COUNT()")) {
        assertThat(counted.next()).isTrue();
        assertThat(counted.getInt(1)).isOne();
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
