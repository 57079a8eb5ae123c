package io.txwatch.jdbc;

import static io.txwatch.jdbc.AskedRows.Asking.AGAIN;
import static io.txwatch.jdbc.AskedRows.Asking.FIRST;
import static io.txwatch.jdbc.AskedRows.Asking.NOT;
import static io.txwatch.jdbc.LockedRowsTest.prepared;
import static io.txwatch.jdbc.LockedRowsTest.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

/** PostgreSQL: of an UPDATE that is a transaction of its own, one in four is asked for its row. */
class AskedRowsTest {

  private static final long KEY = 0x1234_5678_9abc_def3L;

  /** Another key of the same slot. */
  private static final long NEIGHBOUR = KEY ^ 4;

  private final AskedRows rows = new AskedRows();

  private List<AskedRows.Asking> next(long... keys) {
    return IntStream.range(0, keys.length).mapToObj(i -> rows.next(keys[i])).toList();
  }

  @Test
  void oneInFourIsAsked() {
    assertThat(next(KEY, KEY, KEY, KEY, KEY, KEY, KEY, KEY, KEY))
        .containsExactly(FIRST, NOT, NOT, NOT, AGAIN, NOT, NOT, NOT, AGAIN);
  }

  @Test
  void oneThatFindsItsRowByNoKeyIsAskedAlways() {
    assertThat(next(0, 0, 0)).containsOnly(FIRST);
  }

  @Test
  void whatAnotherRowTookThePlaceOfIsAsked() {
    assertThat(next(KEY, KEY, NEIGHBOUR, KEY, KEY, NEIGHBOUR, NEIGHBOUR))
        .containsExactly(FIRST, NOT, FIRST, FIRST, NOT, FIRST, NOT);
  }

  @Test
  void sessionsTogetherLeaveOutThreeInARowAtMost() throws Exception {
    int sessions = 4;
    int each = 50_000;
    ExecutorService threads = Executors.newFixedThreadPool(sessions);
    int unasked = 0;
    try {
      List<Future<Long>> counts = new ArrayList<>();
      for (int i = 0; i < sessions; i++) {
        counts.add(
            threads.submit(
                () -> IntStream.range(0, each).filter(n -> rows.next(KEY) == NOT).count()));
      }
      for (Future<Long> count : counts) {
        unasked += count.get().intValue();
      }
    } finally {
      threads.shutdownNow();
    }
    int asked = sessions * each - unasked;
    assertThat(unasked).isLessThanOrEqualTo(AskedRows.MOST * asked);
  }

  // ---------------------------------------------------------------- with a server

  private static final String[] SETUP = {
    "CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL)", "INSERT INTO t VALUES (1, 0), (2, 0)",
  };

  private final TestDatabase database = database();

  private static TestDatabase database() {
    try {
      return TestDatabase.of(ServerKind.POSTGRESQL, SETUP);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final String BY_KEY = "UPDATE t SET n = n + 1 WHERE id = 1";

  /** Of each UPDATE, in order, whether it told its row: {@code "1000 1000"}. */
  private String told() {
    StringBuilder told = new StringBuilder();
    updates().forEach(update -> told.append(update.rows().isEmpty() ? '0' : '1'));
    return told.toString();
  }

  private List<Event.StatementExecuted> updates() {
    return database.statements().stream().filter(e -> e.kind() == StatementKind.UPDATE).toList();
  }

  @Test
  void itIsTheSameForTextsAndForPreparedStatements() throws SQLException {
    try (Connection connection = database.watched();
        PreparedStatement kept =
            connection.prepareStatement("UPDATE t SET n = n + 1 WHERE id = ?")) {
      for (int i = 0; i < 3; i++) {
        send(connection, BY_KEY);
        prepared(connection, "UPDATE t SET n = n + 1 WHERE id = ?", 1);
        kept.setInt(1, 1);
        assertThat(kept.executeUpdate()).isEqualTo(1);
      }
    }
    assertThat(told()).isEqualTo("100010001");
    assertThat(database.events(Event.Gap.class)).isEmpty();
  }

  @Test
  void theRowTellsWhoWroteIt() throws SQLException {
    try (Connection connection = database.watched()) {
      for (int i = 0; i < 12; i++) {
        send(connection, BY_KEY);
      }
      send(connection, "SELECT n FROM t WHERE id = 1");
    }
    List<Event.StatementExecuted> statements = database.statements();
    WriterList writers = statements.get(statements.size() - 1).rows().get(0).writers();
    List<Event.StatementExecuted> newest = updates().subList(12 - WriterList.WINDOW, 12);
    assertThat(told()).isEqualTo("100010001000");
    assertThat(writers.tokens())
        .isEqualTo(
            newest.stream()
                .map(update -> WriterToken.of(update.transaction(), update.statement()))
                .reduce("", String::concat));
    assertThat(updates()).allMatch(Event.StatementExecuted::writesSeen);
  }

  @Test
  void eachIsAskedWhoseTransactionMayDoMore() throws SQLException {
    try (Connection connection = database.watched()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < 3; i++) {
        send(connection, BY_KEY);
        connection.commit();
      }
      connection.setAutoCommit(true);
      for (int i = 0; i < 3; i++) {
        send(connection, "BEGIN");
        send(connection, BY_KEY);
        send(connection, "COMMIT");
      }
    }
    assertThat(told()).isEqualTo("111111");
  }

  @Test
  void eachIsAskedWhereTheApplicationHasTheDriversOwnConnection() throws SQLException {
    try (Connection connection = database.watched()) {
      connection.unwrap(PGConnection.class);
      for (int i = 0; i < 3; i++) {
        send(connection, BY_KEY);
      }
    }
    assertThat(told()).isEqualTo("111");
  }

  @Test
  void eachIsAskedThatMayWriteSeveralRowsOrNone() throws SQLException {
    try (Connection connection = database.watched()) {
      for (int i = 0; i < 3; i++) {
        send(connection, "UPDATE t SET n = n + 1 WHERE id < 3");
      }
      for (int i = 0; i < 3; i++) {
        send(connection, "UPDATE t SET n = n + 1 WHERE id = 9");
      }
    }
    assertThat(told()).isEqualTo("111000");
    assertThat(updates()).allMatch(Event.StatementExecuted::writesSeen);
  }

  @Test
  void whatFailsHasWrittenNothing() throws SQLException {
    try (Connection connection = database.watched()) {
      for (int i = 0; i < 2; i++) {
        send(connection, "UPDATE t SET n = 10 / (n + 1) WHERE id = 1"); // n is 10, then 0
      }
      for (int i = 0; i < 2; i++) {
        try {
          send(connection, "UPDATE t SET n = 10 / n WHERE id = 1");
        } catch (SQLException e) {
          assertThat(e.getSQLState()).isEqualTo("22012");
        }
      }
    }
    assertThat(told()).isEqualTo("1000");
    assertThat(updates().subList(2, 4)).noneMatch(Event.StatementExecuted::succeeded);
  }
}
