package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.ValueHash;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code txwatch.versions=log} and {@code statements}: what is sent, and what is observed. */
class VersionsByValueTest {

  private static final Settings LOG = Settings.of(Map.of(Setting.VERSIONS, "log"));
  private static final ValueHash HASH = ValueHash.ofThisProcess();

  static Stream<ServerKind> kinds() {
    return TestServers.kinds();
  }

  static Stream<ServerKind> mySqlLike() {
    return TestServers.kinds().filter(k -> k == ServerKind.MYSQL || k == ServerKind.MARIADB);
  }

  private static TestDatabase shop(ServerKind kind) throws SQLException {
    return TestDatabase.at(
        kind,
        TestServers.freshDatabase(kind),
        List.of(
            "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20), qty INT)",
            "CREATE TABLE line (id INT PRIMARY KEY, item_id INT, amount INT)",
            "INSERT INTO item VALUES (1, 'apple', 10), (2, 'pear', 20), (3, NULL, 20)",
            "INSERT INTO line VALUES (1, 1, 5), (2, 1, 6), (3, 2, 7)"));
  }

  // ---------------------------------------------------------------- what is sent

  private static void work(Connection connection, Transcript transcript) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
      connection.setAutoCommit(false);
      transcript.rows(
          statement.executeQuery("SELECT item_id, COUNT(*) FROM line GROUP BY item_id"));
      transcript.line("count " + statement.executeUpdate("UPDATE item SET qty = 1 WHERE qty = 20"));
      transcript.line("count " + statement.executeUpdate("DELETE FROM line WHERE id = 3"));
      connection.commit();
      transcript.step("error", () -> statement.executeUpdate("UPDATE nosuch SET a = 1"));
      connection.rollback();
      statement.addBatch("INSERT INTO line VALUES (7, 1, 1)");
      statement.addBatch("UPDATE item SET qty = qty + 1 WHERE id = 1");
      transcript.line("counts " + statement.executeBatch().length);
    }
    try (PreparedStatement read =
            connection.prepareStatement("SELECT * FROM item JOIN line ON item_id = item.id");
        PreparedStatement write =
            connection.prepareStatement("UPDATE item SET qty = ? WHERE id = ?")) {
      transcript.rows(read.executeQuery());
      for (int i = 1; i <= 3; i++) {
        write.setInt(1, 40 + i);
        write.setInt(2, i);
        write.addBatch();
      }
      transcript.line("counts " + write.executeBatch().length);
      transcript.rows(read.executeQuery());
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void theDriverIsAskedForWhatTheApplicationAsks(ServerKind kind) throws SQLException {
    RecordedCalls raw = new RecordedCalls();
    Transcript expected = new Transcript();
    try (Connection connection = shop(kind).raw()) {
      work(raw.around(connection), expected);
    }

    RecordedCalls watched = new RecordedCalls();
    Transcript actual = new Transcript();
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched(watched.around(database.raw()), LOG)) {
      assertThat(Watch.isWatched(connection)).isTrue();
      work(connection, actual);
    }

    // A plain batch is handed over when it is sent.
    raw.calls().removeIf(call -> call.startsWith("addBatch[") || call.startsWith("getConnection"));
    watched.calls().removeIf(call -> call.startsWith("addBatch["));
    assertThat(watched.calls()).isEqualTo(raw.calls());
    assertThat(Transcript.differences(expected, actual)).isEmpty();
    assertThat(database.events(Event.ValuesObserved.class)).isNotEmpty();
  }

  // ---------------------------------------------------------------- reads

  private static List<RowValues> reads(TestDatabase database) {
    return database.events(Event.ValuesObserved.class).stream()
        .flatMap(event -> event.reads().stream())
        .toList();
  }

  private static void readAll(ResultSet rows) throws SQLException {
    try (rows) {
      while (rows.next()) {
        rows.getString(1);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void rowsAreKnownByKeyAndValues(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched(database.raw(), LOG);
        Statement statement = connection.createStatement();
        PreparedStatement byKey =
            connection.prepareStatement("SELECT qty FROM item WHERE id = ?")) {
      readAll(statement.executeQuery("SELECT id, qty, name FROM item ORDER BY id"));
      byKey.setInt(1, 2);
      readAll(byKey.executeQuery());
    }
    List<RowValues> reads = reads(database);
    assertThat(reads).as(() -> database.events().toString()).hasSize(2);
    RowValues all = reads.get(0);
    assertThat(all.keys()).containsExactly(HASH.ofKey(1), HASH.ofKey(2), HASH.ofKey(3));
    int name = index(all, "name");
    assertThat(all.value(0, name)).isEqualTo(HASH.of("apple"));
    assertThat(all.value(2, name)).isEqualTo(HASH.of((Object) null));
    assertThat(all.value(1, index(all, "qty"))).isEqualTo(HASH.of(20));
    assertThat(reads.get(1).keys()).containsExactly(HASH.ofKey(2));
    assertThat(reads.get(1).values()).containsExactly(HASH.of(20));
  }

  /** 100,000 rows of five columns, an export. */
  @Test
  void aLongResultIsKnownAsAWhole() throws SQLException {
    TestDatabase database = shop(ServerKind.H2);
    try (Connection raw = database.raw()) {
      TestDatabase.execute(
          raw, "CREATE TABLE export (id INT PRIMARY KEY, a INT, b INT, c INT, d INT)");
      TestDatabase.execute(
          raw, "INSERT INTO export SELECT x, x, x, x, x FROM SYSTEM_RANGE(1, 100000)");
    }
    try (Connection connection = database.watched(database.raw(), LOG);
        Statement statement = connection.createStatement()) {
      readAll(statement.executeQuery("SELECT * FROM export"));
    }
    assertThat(reads(database)).singleElement().extracting(RowValues::size).isEqualTo(100_000);
    assertThat(database.events(Event.ValuesObserved.class).get(0).unread()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("mySqlLike")
  void aTriggerThatCannotChangeTheKeyDoesNotHideIt(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection raw = database.raw()) {
      TestDatabase.execute(
          raw, "CREATE TRIGGER fires AFTER UPDATE ON item FOR EACH ROW SET @fired = 1");
      TestDatabase.execute(
          raw, "CREATE TRIGGER sets BEFORE UPDATE ON line FOR EACH ROW SET NEW.id = OLD.id + 10");
    }
    try (Connection connection = database.watched(database.raw(), LOG);
        Statement statement = connection.createStatement()) {
      readAll(statement.executeQuery("SELECT id, qty FROM item WHERE id = 2"));
      readAll(statement.executeQuery("SELECT id, amount FROM line WHERE id = 2"));
    }
    List<RowValues> reads = reads(database);
    assertThat(reads).hasSize(1);
    assertThat(reads.get(0).keys()).containsExactly(HASH.ofKey(2));
  }

  private static int index(RowValues rows, String column) {
    return rows.columns().stream().map(String::toLowerCase).toList().indexOf(column);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void wasNullIsAboutTheApplicationsGetters(ServerKind kind) throws SQLException {
    List<String> expected = new ArrayList<>();
    List<String> actual = new ArrayList<>();
    TestDatabase database = shop(kind);
    try (Connection raw = database.raw();
        Connection connection = database.watched(database.raw(), LOG)) {
      askNulls(raw, expected);
      askNulls(connection, actual);
    }
    assertThat(actual).isEqualTo(expected);
  }

  private static void askNulls(Connection connection, List<String> answers) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id, qty, name FROM item ORDER BY id")) {
      while (rows.next()) {
        answers.add(answer(rows::wasNull));
        rows.findColumn("name");
        answers.add(answer(rows::wasNull));
        answers.add(answer(() -> rows.getString(4)));
        answers.add(answer(rows::wasNull));
        answers.add(rows.getString("name"));
        answers.add(answer(rows::wasNull));
      }
    }
  }

  private interface Question {
    Object ask() throws SQLException;
  }

  private static String answer(Question question) {
    try {
      return String.valueOf(question.ask());
    } catch (SQLException e) {
      return "SQLState " + e.getSQLState();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void whatTheApplicationDoesNotReachIsNotRead(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched(database.raw(), LOG);
        Statement statement = connection.createStatement()) {
      ResultSet rows = statement.executeQuery("SELECT id FROM item ORDER BY id");
      rows.next();
      rows.close();
    }
    assertThat(reads(database)).hasSize(1);
    assertThat(reads(database).get(0).size()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("mySqlLike")
  void aValueThatCannotBeReadEndsOurReading(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection raw = database.raw()) {
      TestDatabase.execute(
          raw,
          "CREATE TABLE day (id INT PRIMARY KEY, d DATE)",
          "SET SESSION sql_mode = ''",
          "INSERT INTO day VALUES (1, '2020-01-02'), (2, '0000-00-00'), (3, '2020-01-02')");
    }
    try (Connection connection = database.watched(database.raw(), LOG);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id, d FROM day ORDER BY id")) {
      for (int id = 1; id <= 3; id++) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(id);
      }
      assertThat(rows.next()).isFalse();
    }
    assertThat(database.events(Event.ValuesObserved.class)).hasSize(1);
  }

  // ---------------------------------------------------------------- batches

  /** A function of the database: takes its time, and is 0. */
  public static final class Pause {
    private Pause() {}

    public static int pause() throws InterruptedException {
      Thread.sleep(200);
      return 0;
    }
  }

  /** The record shows what the first item did while the last one is executed. */
  @Test
  void anAutocommittedBatchBeginsBeforeItsChangesAreRecorded() throws SQLException {
    changesFollowTheirBeginning(
        statement -> {
          statement.addBatch("UPDATE item SET qty = qty + 1 WHERE id = 1");
          statement.addBatch("UPDATE item SET qty = qty + 1 WHERE id = 2");
          statement.addBatch("UPDATE item SET qty = qty + PAUSE() WHERE id = 3");
          statement.executeBatch();
        });
  }

  /** A transaction as one text. */
  @Test
  void aTextOfSeveralStatementsBeginsBeforeItsChangesAreRecorded() throws SQLException {
    changesFollowTheirBeginning(
        statement ->
            statement.execute(
                "BEGIN; UPDATE item SET qty = qty + 1 WHERE id = 1; COMMIT;"
                    + " UPDATE item SET qty = qty + PAUSE() WHERE id = 3"));
  }

  private interface Work {
    void with(Statement statement) throws SQLException;
  }

  private static void changesFollowTheirBeginning(Work work) throws SQLException {
    TestDatabase database = shop(ServerKind.H2);
    try (Connection raw = database.raw()) {
      TestDatabase.execute(raw, "CREATE ALIAS PAUSE FOR '" + Pause.class.getName() + ".pause'");
    }
    Settings triggers = Settings.of(Map.of(Setting.VERSIONS, "triggers"));
    try (Connection connection = database.watched(database.raw(), triggers);
        Statement statement = connection.createStatement()) {
      work.with(statement);
    }
    Awaitility.await().until(() -> !database.events(Event.Changed.class).isEmpty());
    List<Event> events = List.copyOf(database.events());
    Event.Changed change = database.events(Event.Changed.class).get(0);
    long began =
        events.subList(0, events.indexOf(change)).stream()
            .filter(Event.TransactionBegan.class::isInstance)
            .count();
    assertThat(began).as(events::toString).isEqualTo(1);
    assertThat(database.events(Event.EndTimed.class))
        .isNotEmpty()
        .allMatch(end -> end.sent() < change.received());
    assertThat(database.events(Event.TransactionBegan.class))
        .hasSameSizeAs(database.events(Event.TransactionEnded.class));
  }

  // ---------------------------------------------------------------- writes

  private static List<StatedWrite> writes(TestDatabase database) {
    return database.events(Event.ValuesObserved.class).stream()
        .flatMap(event -> event.writes().stream())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void writesStateTheirRows(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched(database.raw(), LOG);
        Statement statement = connection.createStatement();
        PreparedStatement update =
            connection.prepareStatement("UPDATE item SET qty = ? WHERE id = ?")) {
      connection.setAutoCommit(false);
      update.setInt(1, 5);
      update.setInt(2, 3);
      update.executeUpdate();
      update.setInt(2, 99);
      update.executeUpdate(); // no row
      for (int id = 1; id <= 2; id++) {
        update.setInt(2, id);
        update.addBatch();
      }
      update.executeBatch();
      statement.executeUpdate("DELETE FROM line WHERE id = 2");
      statement.executeUpdate("UPDATE item SET qty = 0 WHERE qty > 100 OR id = 1");
      connection.commit();
    }
    List<StatedWrite> writes = writes(database);
    assertThat(writes)
        .extracting(StatedWrite::access)
        .containsExactly(
            Access.UPDATE,
            Access.UPDATE,
            Access.UPDATE,
            Access.UPDATE,
            Access.DELETE,
            Access.UPDATE);
    assertThat(writes.get(0).rows().keys()).containsExactly(HASH.ofKey(3));
    assertThat(writes.get(1).rows().keys()).isEmpty();
    assertThat(writes.get(2).rows().keys()).containsExactly(HASH.ofKey(1));
    assertThat(writes.get(3).rows().keys()).containsExactly(HASH.ofKey(2));
    assertThat(writes.get(4).rows().keys()).containsExactly(HASH.ofKey(2));
    assertThat(writes.get(5).rows().keys()).isEmpty();
    assertThat(writes)
        .extracting(StatedWrite::complete)
        .containsExactly(true, true, true, true, true, false);
  }

  /** As query builders write values into texts. */
  @ParameterizedTest
  @MethodSource("kinds")
  void eachTextOfAShapeHasItsOwnValues(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched(database.raw(), LOG);
        Statement statement = connection.createStatement()) {
      for (int id : new int[] {1, 2, 3, 1, 1}) {
        readAll(statement.executeQuery("SELECT qty, name FROM item WHERE id = " + id));
        statement.executeUpdate(
            "UPDATE item SET qty = " + (50 + id) + " /* " + id + " */ WHERE id=" + id);
      }
      statement.executeUpdate("INSERT INTO line VALUES (-8, 1, 5)");
      statement.executeUpdate("INSERT INTO line VALUES (8, 1, 5)");
      statement.executeUpdate("DELETE FROM line WHERE id = 8");
    }
    assertThat(reads(database))
        .extracting(read -> read.keys()[0])
        .containsExactly(HASH.ofKey(1), HASH.ofKey(2), HASH.ofKey(3), HASH.ofKey(1), HASH.ofKey(1));
    assertThat(reads(database).get(4).value(0, index(reads(database).get(4), "qty")))
        .isEqualTo(HASH.of(51));
    assertThat(writes(database))
        .filteredOn(write -> write.access() == Access.UPDATE)
        .extracting(write -> write.rows().keys()[0])
        .containsExactly(HASH.ofKey(1), HASH.ofKey(2), HASH.ofKey(3), HASH.ofKey(1), HASH.ofKey(1));
    assertThat(writes(database))
        .filteredOn(write -> write.access() != Access.UPDATE)
        .extracting(StatedWrite::complete)
        .containsExactly(false, true, true); // the key of the first is an expression
  }

  /** As Spring and EclipseLink set parameters. */
  @ParameterizedTest
  @MethodSource("kinds")
  void aParameterThatIsSetWithItsTypeIsKnown(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched(database.raw(), LOG);
        PreparedStatement update =
            connection.prepareStatement("UPDATE item SET qty = ? WHERE id = ?")) {
      update.setObject(1, 5, Types.INTEGER);
      update.setObject(2, 3L, Types.BIGINT);
      update.executeUpdate();
      update.setObject(2, (short) 2, Types.INTEGER);
      update.executeUpdate();
      update.setObject(2, "1", Types.INTEGER); // the driver makes an integer of it
      update.executeUpdate();
    }
    assertThat(writes(database))
        .extracting(write -> write.rows().keys()[0])
        .containsExactly(HASH.ofKey(3), HASH.ofKey(2), 0L);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aParameterIsKnownThoughOtherTablesAreSeenBeforeItsStatementIsExecuted(ServerKind kind)
      throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched(database.raw(), LOG);
        Statement other = connection.createStatement();
        PreparedStatement update =
            connection.prepareStatement("UPDATE item SET qty = 1 WHERE id = ?")) {
      update.setInt(1, 3);
      other.executeUpdate("DELETE FROM line WHERE id = 99");
      update.executeUpdate();
    }
    assertThat(writes(database).get(1).rows().keys()).containsExactly(HASH.ofKey(3));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void anUpdateOfTheKeyWritesAnotherRowToo(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched(database.raw(), LOG);
        Statement statement = connection.createStatement();
        PreparedStatement update =
            connection.prepareStatement("UPDATE line SET id = ? WHERE id = ?")) {
      update.setInt(1, 2);
      update.setInt(2, 2);
      update.executeUpdate();
      update.setInt(1, 77);
      update.executeUpdate();
      statement.executeUpdate("UPDATE line SET id = id + 1 WHERE id = 77");
    }
    List<StatedWrite> writes = writes(database);
    assertThat(writes)
        .extracting(write -> write.rows().keys()[0])
        .containsExactly(HASH.ofKey(2), HASH.ofKey(2), HASH.ofKey(77));
    assertThat(writes).extracting(StatedWrite::complete).containsExactly(true, false, false);
  }

  @ParameterizedTest
  @MethodSource("mySqlLike")
  void anUpdateStatesValuesThatAreStoredAsGiven(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched(database.raw(), LOG);
        PreparedStatement update =
            connection.prepareStatement("UPDATE item SET qty = ?, name = ? WHERE id = ?")) {
      update.setInt(1, 5);
      update.setString(2, "plum");
      update.setInt(3, 3);
      update.executeUpdate();
      update.setString(1, "6"); // becomes an integer
      update.executeUpdate();
    }
    List<StatedWrite> writes = writes(database);
    assertThat(writes.get(0).rows().values()).containsExactly(HASH.of(5), HASH.of("plum"));
    assertThat(writes.get(1).rows().values()).containsExactly(ValueHash.UNKNOWN, HASH.of("plum"));
  }

  // ---------------------------------------------------------------- order and time

  @ParameterizedTest
  @MethodSource("kinds")
  void valuesFollowTheirStatementAndTheTimeOfTheEndPrecedesIt(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched(database.raw(), LOG);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE item SET qty = 1 WHERE id = 1");
      connection.setAutoCommit(false);
      readAll(statement.executeQuery("SELECT id FROM item"));
      statement.executeUpdate("UPDATE item SET qty = 2 WHERE id = 1");
      connection.commit();
      statement.executeUpdate("UPDATE item SET qty = 3 WHERE id = 1");
      connection.rollback();
      statement.executeUpdate("UPDATE item SET qty = 4 WHERE id = 1");
      if (kind == ServerKind.SQLITE) { // whose driver does not notice a text
        connection.commit();
      } else {
        statement.execute("COMMIT");
      }
      statement.executeUpdate("UPDATE item SET qty = 5 WHERE id = 1");
      connection.setAutoCommit(true);
    }
    List<Event> events = database.events();
    long before = Long.MIN_VALUE;
    int ends = 0;
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i) instanceof Event.ValuesObserved values) {
        assertThat(events.get(i - 1))
            .isInstanceOfSatisfying(
                Event.StatementExecuted.class,
                executed -> assertThat(executed.statement()).isEqualTo(values.statement()));
        assertThat(values.sent()).isGreaterThan(before).isLessThan(values.returned());
        before = values.returned();
      } else if (events.get(i) instanceof Event.TransactionEnded ended) {
        ends++;
        Event.EndTimed timed = (Event.EndTimed) events.get(i - 1);
        assertThat(timed.transaction()).isEqualTo(ended.transaction());
        assertThat(timed.sent()).isLessThan(timed.returned());
        assertThat(timed.returned()).isGreaterThanOrEqualTo(before);
        before = timed.returned();
      }
    }
    assertThat(ends).isEqualTo(5);
  }

  @ParameterizedTest
  @MethodSource("mySqlLike")
  void theConnectionIsIdentifiedWithoutAsking(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    long number;
    try (Connection connection = database.watched(database.raw(), LOG);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
      row.next();
      number = row.getLong(1);
    }
    assertThat(database.events(Event.SessionIdentified.class))
        .extracting(Event.SessionIdentified::connection)
        .containsExactly(number);
  }
}
