package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowValues;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is observed of an application's statements, on each DBMS. */
class CaptureTest {

  static Stream<ServerKind> kinds() {
    return TestServers.kinds();
  }

  private static TestDatabase bank(ServerKind kind) throws SQLException {
    return TestDatabase.of(
        kind,
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
        "INSERT INTO account VALUES (1, 100)",
        "INSERT INTO account VALUES (2, 200)");
  }

  /** By value: what each write is, how many rows it states, and whether these are all. */
  private static List<String> writes(List<Event.ValuesObserved> values) {
    return values.stream()
        .flatMap(event -> event.writes().stream())
        .map(write -> write.access() + " " + write.rows().size() + " " + write.complete())
        .toList();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void readsAndWritesOfOneTransaction(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched()) {
      connection.setAutoCommit(false);
      try (PreparedStatement read =
              connection.prepareStatement("SELECT balance FROM account WHERE id = ?");
          PreparedStatement write =
              connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
        read.setInt(1, 1);
        try (ResultSet row = read.executeQuery()) {
          assertThat(row.next()).isTrue();
          assertThat(row.getInt("balance")).isEqualTo(100);
          assertThat(row.getMetaData().getColumnCount()).isEqualTo(1);
        }
        write.setInt(1, 50);
        write.setInt(2, 1);
        assertThat(write.executeUpdate()).isEqualTo(1);
      }
      connection.commit();
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT * FROM account WHERE id = 1")) {
        assertThat(row.next()).isTrue();
        assertThat(row.getInt(2)).isEqualTo(50);
      }
      connection.rollback();
    }
    List<Event.StatementExecuted> statements = bank.statements();
    assertThat(statements).hasSize(3);
    if (kind == ServerKind.SQLITE) {
      List<Event.ValuesObserved> values = bank.events(Event.ValuesObserved.class);
      assertThat(values).hasSize(3);
      // A row whose key is only in the condition.
      assertThat(values.get(0).reads()).extracting(RowValues::size).containsExactly(1);
      assertThat(writes(values)).containsExactly("UPDATE 1 true");
      assertThat(values.get(2).reads()).extracting(RowValues::size).containsExactly(1);
      assertThat(values.get(2).reads().get(0).keys())
          .isEqualTo(values.get(0).reads().get(0).keys());
      return;
    }
    RowAccess first = statements.get(0).rows().get(0);
    assertThat(first.access()).isEqualTo(Access.READ);
    // PostgreSQL names each writer, the others those that are watched.
    boolean byDbms = kind == ServerKind.POSTGRESQL;
    assertThat(first.writers().size()).isEqualTo(byDbms ? 1 : 0);
    RowAccess again = statements.get(2).rows().get(0);
    assertThat(again.row()).isEqualTo(first.row());
    if (byDbms) {
      assertThat(again.writers().statement(0)).isEqualTo(WriterToken.BY_DBMS);
    } else {
      assertThat(again.writers().transaction(0)).isEqualTo(statements.get(1).transaction());
      assertThat(again.writers().statement(0)).isEqualTo(2);
    }
    assertThat(statements.get(1).writesSeen()).isTrue();
    RowAccess written = statements.get(1).rows().get(0);
    assertThat(written.row()).isEqualTo(first.row());
    if (kind == ServerKind.MARIADB || kind == ServerKind.MYSQL) {
      assertThat(written.access()).isEqualTo(Access.TARGET);
      assertThat(written.writers().tokens()).isEqualTo(again.writers().tokens());
    } else {
      WriterList writers =
          byDbms
              ? new WriterList(first.writers().tokens() + again.writers().tokens(), false)
              : again.writers();
      assertThat(written)
          .isEqualTo(new RowAccess(Access.UPDATE, first.table(), first.row(), writers));
    }
    assertThat(bank.events(Event.TransactionEnded.class))
        .extracting(Event.TransactionEnded::outcome)
        .containsExactly(Outcome.COMMITTED, Outcome.ABORTED);
    assertThat(bank.events(Event.Gap.class)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void insertAndDelete(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      assertThat(statement.executeUpdate("INSERT INTO account VALUES (3, 300), (4, 400)"))
          .isEqualTo(2);
      connection.commit();
      assertThat(statement.executeUpdate("DELETE FROM account WHERE id = 3")).isEqualTo(1);
      connection.commit();
      assertThat(statement.executeUpdate("DELETE FROM account WHERE id = 3")).isZero();
      connection.commit();
    }
    List<Event.StatementExecuted> statements = bank.statements();
    assertThat(bank.events(Event.TransactionEnded.class)).hasSize(3);
    if (kind == ServerKind.SQLITE) {
      assertThat(writes(bank.events(Event.ValuesObserved.class)))
          .containsExactly("INSERT 2 true", "DELETE 1 true", "DELETE 0 true");
      return;
    }
    // An INSERT knows the rows that it gave their ids.
    assertThat(statements.get(0).writesSeen()).isTrue();
    assertThat(statements.get(0).rows())
        .extracting(RowAccess::access)
        .containsExactly(Access.INSERT, Access.INSERT);
    // What deleted nothing is seen everywhere; what did, where a DELETE can return rows.
    assertThat(statements.get(2).writesSeen()).isTrue();
    if (kind == ServerKind.MYSQL) {
      assertThat(statements.get(1).writesSeen()).isFalse();
      assertThat(statements.get(1).rows()).isEmpty();
      assertThat(bank.events(Event.Gap.class))
          .extracting(Event.Gap::reason)
          .containsOnly(GapReason.SHAPE);
      return;
    }
    assertThat(statements.get(1).writesSeen()).isTrue();
    assertThat(statements.get(1).rows())
        .extracting(RowAccess::access)
        .containsExactly(Access.DELETE);
    // The version that it deleted is the one that was inserted.
    RowAccess inserted = statements.get(0).rows().get(0);
    RowAccess deleted = statements.get(1).rows().get(0);
    assertThat(deleted.row()).isEqualTo(inserted.row());
    assertThat(deleted.writers().tokens()).isEqualTo(inserted.writers().tokens());
    if (kind != ServerKind.POSTGRESQL) {
      assertThat(deleted.writers().transaction(0)).isEqualTo(statements.get(0).transaction());
    }
    assertThat(bank.events(Event.Gap.class)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void insertsAreObservedInEveryForm(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched();
        Statement statement = connection.createStatement();
        PreparedStatement prepared =
            connection.prepareStatement("INSERT INTO account VALUES (?, 0), (?, 1)")) {
      connection.setAutoCommit(false);
      assertThat(statement.execute("INSERT INTO account (id) VALUES (10)")).isFalse();
      statement.addBatch("INSERT INTO account VALUES (11, 0)");
      statement.addBatch("INSERT INTO account VALUES (12, 0)");
      statement.executeBatch();
      for (int id = 20; id < 26; id += 2) {
        prepared.setInt(1, id);
        prepared.setInt(2, id + 1);
        prepared.addBatch();
      }
      prepared.executeBatch();
      prepared.setInt(1, 30);
      prepared.setInt(2, 31);
      assertThat(prepared.executeUpdate()).isEqualTo(2);
      connection.commit();
      List<Event.StatementExecuted> inserts = List.copyOf(bank.statements());
      if (kind == ServerKind.POSTGRESQL) {
        observedOnPostgres(bank, statement, inserts);
        connection.commit();
        return;
      }
      if (kind == ServerKind.SQLITE) {
        assertThat(writes(bank.events(Event.ValuesObserved.class)))
            .containsExactly(
                "INSERT 1 true",
                "INSERT 1 true",
                "INSERT 1 true",
                "INSERT 2 true",
                "INSERT 2 true",
                "INSERT 2 true",
                "INSERT 2 true");
        return;
      }
      assertThat(inserts).extracting(s -> s.rows().size()).containsExactly(1, 1, 1, 2, 2, 2, 2);
      assertThat(inserts).allMatch(Event.StatementExecuted::writesSeen);
      // What was recorded is what stands in the table.
      try (ResultSet all = statement.executeQuery("SELECT id FROM account WHERE id >= 10")) {
        while (all.next()) {
          assertThat(all.getInt(1)).isGreaterThanOrEqualTo(10);
        }
      }
      connection.commit();
      Event.StatementExecuted read = bank.statements().get(inserts.size());
      assertThat(read.rows())
          .extracting(row -> row.row() + " " + row.writers().tokens())
          .containsExactlyInAnyOrderElementsOf(
              inserts.stream()
                  .flatMap(s -> s.rows().stream())
                  .map(row -> row.row() + " " + row.writers().tokens())
                  .toList());
    }
    assertThat(bank.events(Event.Gap.class)).isEmpty();
  }

  /**
   * A batch returns no rows: it is recorded that they were not seen, and by which id of the DBMS
   * their writer is recognized when they are read.
   */
  private static void observedOnPostgres(
      TestDatabase bank, Statement statement, List<Event.StatementExecuted> inserts)
      throws SQLException {
    assertThat(inserts).extracting(s -> s.rows().size()).containsExactly(1, 0, 0, 0, 0, 0, 2);
    assertThat(inserts)
        .extracting(Event.StatementExecuted::writesSeen)
        .containsExactly(true, false, false, false, false, false, true);
    Set<Long> ids = new HashSet<>();
    for (Event.StatementExecuted insert : inserts) {
      insert.rows().forEach(row -> ids.add(row.writers().transaction(0)));
    }
    for (Event.TransactionIdentified event : bank.events(Event.TransactionIdentified.class)) {
      assertThat(event.transaction()).isEqualTo(inserts.get(0).transaction());
      ids.add(event.idByDbms());
    }
    try (ResultSet all = statement.executeQuery("SELECT id FROM account WHERE id >= 10")) {
      while (all.next()) {
        assertThat(all.getInt(1)).isGreaterThanOrEqualTo(10);
      }
    }
    Event.StatementExecuted read = bank.statements().get(inserts.size());
    assertThat(read.rows())
        .hasSize(11)
        .allMatch(RowAccess::certain)
        .allMatch(row -> ids.contains(row.writers().transaction(0)));
  }

  /** All but H2, whose regular mode has no INSERT that leaves rows out. */
  static Stream<ServerKind> kindsThatIgnore() {
    return kinds().filter(kind -> kind != ServerKind.H2);
  }

  @ParameterizedTest
  @MethodSource("kindsThatIgnore")
  void skippedRowIsNotRecorded(ServerKind kind) throws SQLException {
    String insert =
        kind == ServerKind.MARIADB || kind == ServerKind.MYSQL
            ? "INSERT IGNORE INTO account VALUES (%d, 0)"
            : "INSERT INTO account VALUES (%d, 0) ON CONFLICT DO NOTHING";
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      assertThat(statement.executeUpdate(insert.formatted(1))).isZero();
      assertThat(statement.executeUpdate(insert.formatted(3))).isOne();
      connection.commit();
    }
    if (kind == ServerKind.SQLITE) {
      assertThat(writes(bank.events(Event.ValuesObserved.class)))
          // Which row the second is about is not known of the statement alone.
          .containsExactly("INSERT 0 true", "UPDATE 0 false");
      return;
    }
    List<Event.StatementExecuted> statements = bank.statements();
    assertThat(statements).allMatch(Event.StatementExecuted::writesSeen);
    assertThat(statements.get(0).rows()).isEmpty();
    assertThat(statements.get(1).rows())
        .extracting(RowAccess::access)
        .containsExactly(Access.INSERT);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void unobservedStatementsAreCounted(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT DISTINCT balance FROM account WHERE balance / 2 > 1")) {
      assertThat(row.next()).isTrue();
    }
    assertThat(bank.events(Event.Gap.class))
        .extracting(Event.Gap::reason)
        .containsExactly(GapReason.SHAPE);
    assertThat(bank.statements()).hasSize(1);
  }
}
