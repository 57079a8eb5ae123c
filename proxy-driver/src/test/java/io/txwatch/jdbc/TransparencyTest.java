package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What an application sees watched, on prepared tables, is what it sees raw, on tables that nobody
 * prepared: values, columns, types, update counts, keys, errors, warnings.
 */
class TransparencyTest {

  private static final String[] SETUP = {
    "CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(20), balance INT)",
    "CREATE TABLE entry (id INT, account_id INT, amount INT)",
    "INSERT INTO account VALUES (1, 'alice', 100), (2, 'bob', 200), (3, NULL, 300)",
    "INSERT INTO entry VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30)",
  };

  private static final List<String> STATEMENTS =
      """
      SELECT * FROM account ORDER BY id
      SELECT id, balance FROM account WHERE id = 1
      SELECT a.* FROM account a ORDER BY a.id
      SELECT a.*, e.* FROM account a JOIN entry e ON e.account_id = a.id ORDER BY e.id
      SELECT a.id, e.amount FROM account a LEFT JOIN entry e ON e.account_id = a.id ORDER BY 1, 2
      SELECT x.id, y.id FROM account x, account y WHERE x.id < y.id ORDER BY 1, 2
      SELECT * FROM account JOIN entry USING (id)
      SELECT DISTINCT owner FROM account ORDER BY owner
      SELECT DISTINCT * FROM account ORDER BY id
      SELECT account_id, SUM(amount) FROM entry GROUP BY account_id ORDER BY 1
      SELECT COUNT(*) FROM account
      SELECT id FROM account UNION SELECT id FROM entry ORDER BY id
      SELECT * FROM account UNION ALL SELECT * FROM account ORDER BY 1
      SELECT * FROM (SELECT * FROM account) t ORDER BY id
      SELECT id FROM account WHERE id IN (SELECT account_id FROM entry) ORDER BY id
      SELECT (SELECT MAX(amount) FROM entry) AS m, id FROM account ORDER BY id
      WITH c AS (SELECT * FROM account) SELECT * FROM c ORDER BY id
      SELECT id AS "two words", balance * 2 FROM account WHERE owner = 'alice' -- comment
      SELECT /* hint */ id FROM account ORDER BY id LIMIT 1
      SELECT 1
      SELECT nosuch FROM account
      SELECT * FROM nosuch
      SELEC * FROM account
      SELECT id FROM account WHERE owner = 'a''b?'
      UPDATE account SET balance = balance + 1 WHERE id = 1
      UPDATE account SET balance = balance + 1
      UPDATE account SET balance = 0 WHERE id = 99
      UPDATE account SET id = 1 WHERE id = 2
      UPDATE nosuch SET a = 1
      UPDATE account SET nosuch = 1
      INSERT INTO account VALUES (4, 'carol', 400)
      INSERT INTO account VALUES (4, 'again', 400)
      INSERT INTO account (id, owner) VALUES (5, 'dan'), (6, 'eve')
      INSERT INTO account VALUES (7, 'too', 'many', 1)
      INSERT INTO entry SELECT id + 10, account_id, amount FROM entry
      INSERT INTO entry SELECT * FROM entry WHERE id = 1
      DELETE FROM entry WHERE id = 11
      DELETE FROM entry WHERE id = 999
      DELETE FROM account WHERE id IN (5, 6)
      SELECT * FROM account ORDER BY id
      SELECT * FROM entry ORDER BY id
      CREATE TABLE later (a INT)
      INSERT INTO later VALUES (1)
      SELECT * FROM later
      DROP TABLE later
      """
          .lines()
          .toList();

  static Stream<ServerKind> kinds() {
    return TestServers.kinds();
  }

  /** What an application does with a connection. */
  interface Application {
    void run(Connection connection, Transcript transcript) throws SQLException;
  }

  /** Runs it raw and watched, and compares. Gives what was observed. */
  private static TestDatabase compare(ServerKind kind, Application application)
      throws SQLException {
    String rawUrl = TestServers.freshDatabase(kind);
    Transcript expected = new Transcript();
    try (Connection raw = DriverManager.getConnection(rawUrl)) {
      TestDatabase.execute(raw, SETUP);
    }
    try (Connection raw = DriverManager.getConnection(rawUrl)) {
      application.run(raw, expected);
    }
    TestDatabase database = TestDatabase.of(kind, SETUP);
    Transcript actual = new Transcript();
    try (Connection watched = database.watched()) {
      application.run(watched, actual);
    }
    assertThat(String.join("\n", Transcript.differences(expected, actual))).isEmpty();
    assertThat(database.events(Event.Gap.class))
        .extracting(Event.Gap::reason)
        .doesNotContain(GapReason.FAULT);
    return database;
  }

  /** The ways to execute a text. */
  enum Way {
    EXECUTE {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (Statement statement = connection.createStatement()) {
          transcript.results(statement, statement.execute(sql));
        }
      }
    },
    QUERY {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (Statement statement = connection.createStatement()) {
          transcript.rows(statement.executeQuery(sql));
        }
      }
    },
    UPDATE {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (Statement statement = connection.createStatement()) {
          transcript.updated(statement, statement.executeUpdate(sql));
        }
      }
    },
    PREPARED {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
          transcript.parameters(statement.getParameterMetaData());
          transcript.metaData(statement.getMetaData());
          transcript.results(statement, statement.execute());
        }
      }
    },
    PREPARED_UPDATE {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
          transcript.updated(statement, statement.executeUpdate());
        }
      }
    },
    KEYS {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (Statement statement = connection.createStatement()) {
          transcript.results(statement, statement.execute(sql, Statement.RETURN_GENERATED_KEYS));
          transcript.rows(statement.getGeneratedKeys());
        }
      }
    },
    KEYS_BY_NAME {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql, new String[] {"id"})) {
          transcript.results(statement, statement.execute());
          transcript.rows(statement.getGeneratedKeys());
        }
      }
    },
    LIMITED {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (Statement statement = connection.createStatement()) {
          statement.setMaxRows(1);
          statement.setFetchSize(1);
          statement.setQueryTimeout(10);
          transcript.results(statement, statement.execute(sql));
        }
      }
    },
    SCROLLED {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (Statement statement =
            connection.createStatement(
                ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
          ResultSet result = statement.executeQuery(sql);
          transcript.line("last " + result.last() + " " + result.getRow());
          transcript.line("first " + result.first() + " " + result.isFirst());
          transcript.line("absolute " + result.absolute(-1) + " " + result.isLast());
          transcript.line("relative " + result.relative(-1));
          result.beforeFirst();
          transcript.rows(result);
        }
      }
    },
    UPDATABLE {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (Statement statement =
            connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE)) {
          ResultSet result = statement.executeQuery(sql);
          transcript.line("concurrency " + result.getConcurrency());
          transcript.rows(result);
        }
      }
    },
    BATCH {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (Statement statement = connection.createStatement()) {
          statement.addBatch(sql);
          statement.addBatch("UPDATE account SET balance = 7 WHERE id IN (1, 2)");
          transcript.line("counts " + Arrays.toString(statement.executeBatch()));
        }
      }
    },
    PREPARED_BATCH {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
          statement.addBatch();
          statement.addBatch();
          transcript.line("counts " + Arrays.toString(statement.executeBatch()));
        }
      }
    },
    CLOSED_ON_COMPLETION {
      @Override
      void run(Connection connection, String sql, Transcript transcript) throws SQLException {
        try (Statement statement = connection.createStatement()) {
          statement.closeOnCompletion();
          transcript.line("result " + statement.execute(sql));
          ResultSet result = statement.getResultSet();
          if (result != null) {
            result.close();
          }
          transcript.line("closed " + statement.isClosed());
        }
      }
    };

    abstract void run(Connection connection, String sql, Transcript transcript) throws SQLException;
  }

  static Stream<Arguments> ways() {
    return kinds().flatMap(kind -> Stream.of(Way.values()).map(way -> Arguments.of(kind, way)));
  }

  @ParameterizedTest
  @MethodSource("ways")
  @Execution(ExecutionMode.CONCURRENT)
  void everyWayToExecuteEveryStatement(ServerKind kind, Way way) throws SQLException {
    compare(
        kind,
        (connection, transcript) -> {
          for (String sql : STATEMENTS) {
            transcript.step(sql, () -> way.run(connection, sql, transcript));
          }
        });
  }

  @ParameterizedTest
  @MethodSource("ways")
  @Execution(ExecutionMode.CONCURRENT)
  void everyWayInATransaction(ServerKind kind, Way way) throws SQLException {
    compare(
        kind,
        (connection, transcript) -> {
          connection.setAutoCommit(false);
          for (String sql : STATEMENTS) {
            Savepoint savepoint = connection.setSavepoint();
            transcript.step(sql, () -> way.run(connection, sql, transcript));
            transcript.step("rollback", () -> connection.rollback(savepoint));
          }
          transcript.step("commit", connection::commit);
        });
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void parametersKeepTheirPlaces(ServerKind kind) throws SQLException {
    compare(
        kind,
        (connection, transcript) -> {
          try (PreparedStatement write =
                  connection.prepareStatement(
                      "UPDATE account SET balance = ?, owner = ? WHERE id = ? OR owner = ?");
              PreparedStatement insert =
                  connection.prepareStatement("INSERT INTO account VALUES (?, ?, ?), (?, ?, ?)");
              PreparedStatement read =
                  connection.prepareStatement(
                      "SELECT ?, account.* FROM account WHERE id > ? ORDER BY id")) {
            transcript.step("types", () -> transcript.parameters(insert.getParameterMetaData()));
            for (int i = 0; i < 3; i++) {
              write.setInt(1, 11 * i);
              write.setString(2, "o" + i);
              write.setInt(3, 1);
              write.setObject(4, "bob");
              transcript.line("count " + write.executeUpdate());
            }
            transcript.wrong("beyond", () -> write.setInt(5, 1));
            transcript.wrong("before", () -> write.setInt(0, 1));
            write.clearParameters();
            transcript.step("not set", write::executeUpdate);
            for (int i = 1; i <= 6; i++) {
              if (i % 3 == 2) {
                insert.setString(i, "n" + i);
              } else {
                insert.setInt(i, 100 + i);
              }
            }
            transcript.line("count " + insert.executeLargeUpdate());
            transcript.step("again", insert::executeUpdate);
            read.setString(1, "x");
            read.setInt(2, 0);
            transcript.rows(read.executeQuery());
          }
        });
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void batchesOfParameters(ServerKind kind) throws SQLException {
    TestDatabase database =
        compare(
            kind,
            (connection, transcript) -> {
              connection.setAutoCommit(false);
              try (PreparedStatement insert =
                      connection.prepareStatement("INSERT INTO entry VALUES (?, ?, 0)");
                  PreparedStatement update =
                      connection.prepareStatement("UPDATE entry SET amount = ? WHERE id = ?")) {
                for (int i = 0; i < 5; i++) {
                  insert.setInt(1, 50 + i);
                  insert.setInt(2, i);
                  insert.addBatch();
                }
                transcript.line(Arrays.toString(insert.executeBatch()));
                update.setInt(1, 1);
                update.setInt(2, 50);
                transcript.line("single " + update.executeUpdate());
                for (int i = 0; i < 5; i++) {
                  update.setInt(1, i);
                  update.setInt(2, 53 + i);
                  update.addBatch();
                }
                connection.commit();
                transcript.line(Arrays.toString(update.executeBatch()));
                update.setInt(1, 99);
                update.setInt(2, 51);
                transcript.line("single " + update.executeUpdate());
              }
              connection.commit();
              try (Statement statement = connection.createStatement()) {
                transcript.rows(
                    statement.executeQuery("SELECT * FROM entry WHERE id >= 50 ORDER BY id"));
              }
            });
    List<Event.StatementExecuted> statements = database.statements();
    assertThat(statements).hasSize(5 + 1 + 5 + 1 + 1);
    Event.StatementExecuted last = statements.get(statements.size() - 1);
    if (kind == ServerKind.POSTGRESQL) {
      // The rows show the transactions: 52 is as the first left it, 54 as the second did.
      List<Event.TransactionIdentified> ids = database.events(Event.TransactionIdentified.class);
      assertThat(ids)
          .extracting(Event.TransactionIdentified::transaction)
          .containsExactly(statements.get(0).transaction(), statements.get(6).transaction())
          .doesNotHaveDuplicates();
      assertThat(last.rows().get(2).writers().transaction(0)).isEqualTo(ids.get(0).idByDbms());
      assertThat(last.rows().get(4).writers().transaction(0)).isEqualTo(ids.get(1).idByDbms());
      return;
    }
    if (kind == ServerKind.SQLITE) {
      // By value: each item of a batch is a write of its own, of a table without a key.
      assertThat(database.events(Event.ValuesObserved.class))
          .flatExtracting(Event.ValuesObserved::writes)
          .hasSize(5 + 1 + 5 + 1)
          .allMatch(write -> write.rows().table().equals("entry"));
      return;
    }
    // The rows show who wrote them: each item of a batch is a statement of its own.
    assertThat(last.rows().get(0).writers().statement(0)).isEqualTo(1);
    assertThat(last.rows().get(4).writers().statement(0)).isEqualTo(5);
    assertThat(last.rows().get(4).writers().statement(1)).isEqualTo(2);
    assertThat(last.rows().get(4).writers().transaction(1))
        .isEqualTo(statements.get(6).transaction())
        .isNotEqualTo(statements.get(0).transaction());
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void databaseMetadataIsUnchanged(ServerKind kind) throws SQLException {
    compare(
        kind,
        (connection, transcript) -> {
          DatabaseMetaData metaData = connection.getMetaData();
          assertThat(metaData.getConnection()).isSameAs(connection);
          String catalog = connection.getCatalog();
          String schema = kind == ServerKind.SQLITE ? null : connection.getSchema();
          String table = metaData.storesUpperCaseIdentifiers() ? "ACCOUNT" : "account";
          transcript.step(
              "tables", () -> names(metaData.getTables(catalog, schema, "%", null), 3, transcript));
          transcript.step(
              "columns",
              () -> names(metaData.getColumns(catalog, schema, table, "%"), 4, transcript));
          transcript.step(
              "keys", () -> names(metaData.getPrimaryKeys(catalog, schema, table), 4, transcript));
          transcript.step(
              "indexes",
              () ->
                  names(
                      metaData.getIndexInfo(catalog, schema, table, false, false), 9, transcript));
          transcript.step(
              "privileges",
              () ->
                  names(metaData.getColumnPrivileges(catalog, schema, table, "%"), 4, transcript));
        });
  }

  private static void names(ResultSet rows, int column, Transcript transcript) throws SQLException {
    while (rows.next()) {
      transcript.line(rows.getRow() + " " + rows.getString(column));
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void referencesBackLeadToTheWrapper(ServerKind kind) throws SQLException {
    compare(
        kind,
        (connection, transcript) -> {
          try (Statement statement = connection.createStatement();
              PreparedStatement prepared = connection.prepareStatement("SELECT * FROM account")) {
            assertThat(statement.getConnection()).isSameAs(connection);
            assertThat(prepared.getConnection()).isSameAs(connection);
            assertThat(prepared.executeQuery().getStatement()).isSameAs(prepared);
            assertThat(statement.executeQuery("SELECT COUNT(*) FROM entry").getStatement())
                .isSameAs(statement);
            statement.execute("SELECT id FROM account");
            if (kind != ServerKind.SQLITE) { // gives it once
              assertThat(statement.getResultSet()).isSameAs(statement.getResultSet());
            }
            assertThat(connection.equals(connection)).isTrue();
            assertThat(connection.isWrapperFor(Connection.class)).isTrue();
            assertThat(statement.unwrap(Statement.class)).isSameAs(statement);
          }
          transcript.step("closed", () -> connection.createStatement().getConnection());
        });
  }
}
