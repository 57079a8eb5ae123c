package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowAccess;
import io.txwatch.history.VersionSet;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.sql.dialect.Dialect;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The reads beside statements are carried out, and the application does not notice. */
class SideReadsTest {

  static Stream<ServerKind> kinds() {
    return TestServers.concurrentKinds();
  }

  /** Where a row names the statement that wrote it. */
  static Stream<ServerKind> kindsWithTokens() {
    return kinds().filter(kind -> kind != ServerKind.POSTGRESQL);
  }

  static Stream<ServerKind> keepersOfDiagnostics() {
    return TestServers.kinds()
        .filter(kind -> kind == ServerKind.MARIADB || kind == ServerKind.MYSQL);
  }

  private static TestDatabase bank(ServerKind kind) throws SQLException {
    return TestDatabase.of(
        kind,
        "CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(20), balance INT)",
        "INSERT INTO account VALUES (1, 'alice', 100)",
        "INSERT INTO account VALUES (2, 'bob', 200)",
        "INSERT INTO account VALUES (3, 'carol', 200)");
  }

  /** Reads the versions of all accounts. */
  private static String all(ServerKind kind) {
    return kind == ServerKind.POSTGRESQL
        ? "SELECT id, xmin::text FROM account"
        : "SELECT txw_rid, txw_wl FROM account";
  }

  private static String random(ServerKind kind) {
    return kind == ServerKind.MYSQL || kind == ServerKind.MARIADB || kind == ServerKind.H2
        ? "rand()"
        : "random()";
  }

  private static Beside afterWrite(ServerKind kind, String beginning) {
    return new Beside()
        .withoutReturning()
        .plan(
            beginning,
            Purpose.AFTER_WRITE,
            Moment.AFTER,
            "account",
            all(kind) + " WHERE " + "right(txw_wl, 14)" + " = ?",
            0);
  }

  /** What counts by itself is evaluated once. */
  @ParameterizedTest
  @MethodSource("keepersOfDiagnostics")
  void variablesOfTheSession(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    Dialect dialect = kind == ServerKind.MYSQL ? Dialect.MYSQL : Dialect.MARIADB;
    try (Connection connection =
            bank.watched(
                planner ->
                    new RewritePlanner(Products.of(dialect).sql(), RewritePlanner.Level.ITEMS));
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SET @n = 0");
      String counting = "SELECT DISTINCT balance FROM account WHERE (@n := @n + 1) > 0";
      try (ResultSet rows = statement.executeQuery(counting)) {
        while (rows.next()) {
          assertThat(rows.getInt(1)).isPositive();
        }
      }
      try (ResultSet row = statement.executeQuery("SELECT @n")) {
        assertThat(row.next()).isTrue();
        assertThat(row.getInt(1)).isEqualTo(3);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void rowsBehindDistinct(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    Beside beside =
        new Beside()
            .plan(
                "SELECT DISTINCT",
                Purpose.READ,
                Moment.BEFORE,
                "account",
                all(kind) + " WHERE balance > ? AND balance < ?",
                2,
                1);
    try (Connection connection = bank.watched(beside);
        PreparedStatement read =
            connection.prepareStatement(
                "SELECT DISTINCT balance FROM account WHERE balance < ? AND balance > ?")) {
      connection.setAutoCommit(false);
      for (int i = 0; i < 2; i++) {
        read.setInt(1, 900);
        read.setInt(2, 150);
        try (ResultSet rows = read.executeQuery()) {
          assertThat(rows.next()).isTrue();
          assertThat(rows.getInt(1)).isEqualTo(200);
          assertThat(rows.next()).isFalse();
        }
      }
      connection.commit();
    }
    assertThat(bank.statements()).hasSize(2);
    for (Event.StatementExecuted statement : bank.statements()) {
      assertThat(statement.rows()).hasSize(2).allMatch(row -> row.access() == Access.READ);
    }
    assertThat(bank.events(Event.Gap.class)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kindsWithTokens")
  void rowsWritten(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched(afterWrite(kind, "UPDATE"));
        PreparedStatement write =
            connection.prepareStatement("UPDATE account SET balance = ? WHERE balance = ?");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      write.setInt(1, 7);
      write.setInt(2, 200);
      assertThat(write.executeUpdate()).isEqualTo(2);
      assertThat(write.getUpdateCount()).isEqualTo(2);
      assertThat(statement.execute("UPDATE account SET balance = 8 WHERE id = 1")).isFalse();
      assertThat(statement.getUpdateCount()).isEqualTo(1);
      assertThat(statement.executeUpdate("UPDATE account SET balance = 8 WHERE id = 99")).isZero();
      connection.commit();
    }
    List<Event.StatementExecuted> statements = new ArrayList<>(bank.statements());
    statements.sort(java.util.Comparator.comparing(Event.StatementExecuted::statement));
    assertThat(statements).extracting(s -> s.rows().size()).containsExactly(2, 1, 0);
    assertThat(statements.subList(1, 3)).allMatch(Event.StatementExecuted::writesSeen);
    for (Event.StatementExecuted statement : statements) {
      assertThat(statement.rows())
          .allMatch(RowAccess::certain)
          .allMatch(row -> row.access() == Access.UPDATE)
          .allMatch(row -> row.writers().statement(0) == statement.statement());
    }
    assertThat(bank.events(Event.Gap.class)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kindsWithTokens")
  void itemsOfABatch(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched(afterWrite(kind, "UPDATE"));
        PreparedStatement write =
            connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
      connection.setAutoCommit(false);
      for (int id = 1; id <= 3; id++) {
        write.setInt(1, 7);
        write.setInt(2, id);
        write.addBatch();
      }
      assertThat(write.executeBatch()).hasSize(3);
      connection.commit();
    }
    assertThat(bank.statements()).hasSize(3).allMatch(statement -> statement.rows().size() == 1);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void versionSetsAndTheirPredicates(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    Beside beside =
        new Beside().plan("SELECT", Purpose.VERSION_SET, Moment.BEFORE, "account", all(kind));
    try (Connection connection = bank.watched(beside);
        PreparedStatement read =
            connection.prepareStatement("SELECT id FROM account WHERE owner = ?");
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      for (String owner : List.of("alice", "alice", "bob")) {
        read.setString(1, owner);
        readToTheEnd(read.executeQuery());
      }
      read.setCharacterStream(1, new StringReader("alice"), 5);
      readToTheEnd(read.executeQuery());
      String chance = "SELECT id FROM account WHERE " + random(kind) + " > 2";
      readToTheEnd(statement.executeQuery(chance));
      // What is not known of the rest of a result, or hangs on other rows, has no name.
      statement.executeQuery("SELECT id FROM account WHERE id > 1").close();
      readToTheEnd(statement.executeQuery("SELECT id FROM account ORDER BY id LIMIT 1"));
      statement.setMaxRows(1);
      readToTheEnd(statement.executeQuery("SELECT id FROM account WHERE id > 1"));
    }
    List<VersionSet> sets =
        bank.statements().stream().flatMap(s -> s.versionSets().stream()).toList();
    // Of the statement with a LIMIT, rows beyond it are no evidence: it has none.
    assertThat(sets).hasSize(7).allMatch(set -> set.size() == 3);
    if (kind == ServerKind.POSTGRESQL) { // which names each writer
      assertThat(sets.get(0).transaction(0)).isNotZero();
    } else {
      assertThat(sets.get(0).transaction(0)).isZero();
    }
    assertThat(sets.get(0).predicate()).isNotZero().isEqualTo(sets.get(1).predicate());
    assertThat(sets.get(2).predicate()).isNotZero().isNotEqualTo(sets.get(0).predicate());
    assertThat(sets.subList(3, sets.size())).allMatch(set -> set.predicate() == 0);
  }

  private static void readToTheEnd(ResultSet result) throws SQLException {
    try (result) {
      while (result.next()) {
        result.getObject(1);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aTableThatIsTooLargeIsNotReadAgain(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    Beside beside =
        new Beside()
            .plan("SELECT", Purpose.VERSION_SET, Moment.BEFORE, "account", all(kind) + " LIMIT 3");
    try (Connection connection = bank.watched(beside, Map.of(Setting.VERSION_SET_ROWS, "2"));
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < 3; i++) {
        statement.executeQuery("SELECT id FROM account WHERE id = 1").close();
      }
    }
    assertThat(bank.statements()).allMatch(statement -> statement.versionSets().isEmpty());
    assertThat(bank.events(Event.Gap.class))
        .hasSize(3)
        .allMatch(gap -> gap.reason() == GapReason.TOO_LARGE && gap.detail().equals("account"));
  }

  /** On PostgreSQL an error would abort the transaction. */
  @ParameterizedTest
  @MethodSource("kinds")
  void aReadThatFailsIsCountedAndGivenUp(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    Beside beside =
        new Beside()
            .plan(
                "SELECT DISTINCT",
                Purpose.READ,
                Moment.BEFORE,
                "account",
                "SELECT nosuch FROM nowhere");
    try (Connection connection = bank.watched(beside);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeUpdate("UPDATE account SET balance = 1 WHERE id = 1");
      for (int i = 0; i < 5; i++) {
        try (ResultSet rows = statement.executeQuery("SELECT DISTINCT balance FROM account")) {
          assertThat(rows.next()).isTrue();
        }
        assertThat((Object) statement.getWarnings()).isNull();
      }
      connection.commit();
    }
    try (Connection raw = bank.raw();
        Statement statement = raw.createStatement();
        ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = 1")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getInt(1)).isEqualTo(1);
    }
    List<Event.Gap> gaps = bank.events(Event.Gap.class);
    assertThat(gaps).filteredOn(gap -> gap.detail().contains("failed before")).hasSize(2);
    assertThat(gaps)
        .filteredOn(gap -> gap.reason() == GapReason.SHAPE)
        .hasSizeGreaterThanOrEqualTo(5);
  }

  /** ROW_COUNT(), warnings and FOUND_ROWS() belong to the statement before. */
  @ParameterizedTest
  @MethodSource("keepersOfDiagnostics")
  void sideReadsKeepTheStatusOfTheLastStatement(ServerKind kind) throws SQLException {
    List<List<String>> recorded = new ArrayList<>();
    for (boolean watched : new boolean[] {false, true}) {
      TestDatabase bank = bank(kind);
      Beside beside =
          afterWrite(kind, "UPDATE")
              .plan(
                  "SELECT DISTINCT",
                  Purpose.READ,
                  Moment.AFTER,
                  "account",
                  all(kind) + " WHERE id = 1")
              .plan("DELETE", Purpose.BEFORE_WRITE, Moment.BEFORE, "account", all(kind));
      try (Connection connection = watched ? bank.watched(beside) : bank.raw();
          Statement statement = connection.createStatement()) {
        statement.execute("SET SESSION sql_mode = ''");
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
        List<String> lines = new ArrayList<>();
        lines.add(
            "" + statement.executeUpdate("UPDATE account SET balance = 9 WHERE balance = 200"));
        lines.add(single(connection, "SELECT ROW_COUNT()"));
        lines.add("" + statement.executeUpdate("UPDATE account SET balance = balance + 'x'"));
        lines.add("" + statement.getWarnings());
        lines.add(single(connection, "SHOW WARNINGS"));
        lines.add(single(connection, "SELECT @@warning_count"));
        statement.executeQuery("SELECT DISTINCT id FROM account").close();
        lines.add(single(connection, "SELECT FOUND_ROWS()"));
        statement.executeQuery("SELECT SQL_CALC_FOUND_ROWS id FROM account LIMIT 1").close();
        statement.executeUpdate("DELETE FROM account WHERE id = 77");
        lines.add(single(connection, "SELECT FOUND_ROWS()"));
        connection.commit();
        lines.add(single(connection, "SELECT ROW_COUNT()"));
        connection.commit();
        recorded.add(lines);
      }
      if (watched) {
        // The second one adds 0: it matches three rows and leaves them as they are.
        assertThat(bank.statements())
            .filteredOn(s -> s.kind() == io.txwatch.history.StatementKind.UPDATE)
            .extracting(s -> s.rows().size())
            .containsExactlyInAnyOrder(2, 0);
      }
    }
    assertThat(recorded.get(1)).isEqualTo(recorded.get(0));
  }

  private static String single(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : "nothing";
    }
  }
}
