package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Transcript;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/** Where transactions begin and end, and what happens to them on the way. */
class TransactionsTest {

  private static List<Outcome> outcomes(TestDatabase watched) {
    return watched.events(Event.TransactionEnded.class).stream()
        .map(Event.TransactionEnded::outcome)
        .toList();
  }

  private static void executeEach(Connection connection, Transcript transcript, String... texts) {
    for (String sql : texts) {
      transcript.step(sql, () -> execute(connection, sql));
    }
  }

  private static void execute(Connection connection, String... texts) throws SQLException {
    TestDatabase.execute(connection, texts);
  }

  @OnEach
  @DisplayName("39 savepoints: a partial rollback undoes its own")
  void savepoints(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                (connection, transcript) -> {
                  connection.setAutoCommit(false);
                  execute(connection, "UPDATE item SET qty = 1 WHERE id = 1");
                  Savepoint named = connection.setSavepoint("named");
                  execute(connection, "UPDATE item SET qty = 2 WHERE id = 1");
                  Savepoint unnamed = connection.setSavepoint();
                  execute(connection, "UPDATE item SET qty = 3 WHERE id = 2");
                  connection.rollback(unnamed);
                  execute(connection, "SAVEPOINT mark", "UPDATE item SET qty = 4 WHERE id = 3");
                  execute(connection, "ROLLBACK TO SAVEPOINT mark");
                  transcript.step("release", () -> connection.releaseSavepoint(unnamed));
                  connection.rollback(named);
                  transcript.step("gone", () -> connection.rollback(unnamed));
                  transcript.step("name", () -> transcript.line(named.getSavepointName()));
                  if (place.is(ServerKind.POSTGRESQL)) {
                    connection.rollback(named);
                  }
                  try (Statement statement = connection.createStatement()) {
                    transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                  }
                  connection.commit();
                });
    List<Event.StatementsUndone> undone = watched.events(Event.StatementsUndone.class);
    assertThat(undone).extracting(Event.StatementsUndone::firstStatement).contains(3, 2);
    assertThat(outcomes(watched)).containsOnly(Outcome.COMMITTED);
  }

  @OnEach
  @DisplayName("40 autocommit: a transaction for each statement, and switching it on commits")
  void autocommit(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                (connection, transcript) -> {
                  transcript.line("auto " + connection.getAutoCommit());
                  execute(connection, "UPDATE item SET qty = 1", "UPDATE item SET qty = 2");
                  transcript.step("commit", connection::commit);
                  transcript.step("rollback", connection::rollback);
                  transcript.step("savepoint", connection::setSavepoint);
                  connection.setAutoCommit(false);
                  execute(connection, "UPDATE item SET qty = 3", "UPDATE item SET qty = 4");
                  connection.setAutoCommit(true);
                  execute(connection, "UPDATE item SET qty = 5 WHERE id = 1");
                  connection.setAutoCommit(true);
                  connection.setAutoCommit(false);
                  execute(connection, "UPDATE item SET qty = 6");
                  connection.setAutoCommit(false);
                  connection.rollback();
                  try (Statement statement = connection.createStatement()) {
                    transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                  }
                  connection.commit();
                });
    assertThat(outcomes(watched))
        .containsExactly(
            Outcome.COMMITTED, // one
            Outcome.COMMITTED, // two
            Outcome.COMMITTED, // three and four
            Outcome.COMMITTED, // five
            Outcome.ABORTED, // six
            Outcome.COMMITTED);
    assertThat(watched.statements().get(2).transaction())
        .isEqualTo(watched.statements().get(3).transaction())
        .isNotEqualTo(watched.statements().get(1).transaction());
  }

  @OnEach
  @DisplayName("41 BEGIN, COMMIT, SET TRANSACTION as SQL; DDL that commits")
  void control(Place place) throws SQLException {
    String begin = place.is(ServerKind.H2) ? "BEGIN TRANSACTION" : "BEGIN";
    TestDatabase watched =
        place
            .shop()
            .run(
                (connection, transcript) -> {
                  executeEach(
                      connection,
                      transcript,
                      begin,
                      "UPDATE item SET qty = 1 WHERE id = 1",
                      "UPDATE item SET qty = 2 WHERE id = 1",
                      "COMMIT",
                      begin,
                      "/* of a comment */ UPDATE item SET qty = 3 WHERE id = 1",
                      "ROLLBACK",
                      "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                      begin,
                      "UPDATE item SET qty = 4 WHERE id = 1",
                      "CREATE TABLE implied (a INT)",
                      "ROLLBACK");
                  try (Statement statement = connection.createStatement()) {
                    transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                  }
                });
    List<Event.StatementExecuted> statements = watched.statements();
    assertThat(statements.get(0).transaction()).isEqualTo(statements.get(1).transaction());
    assertThat(statements.get(2).transaction()).isNotEqualTo(statements.get(1).transaction());
    boolean ddlCommits = place.isMySqlLike() || place.is(ServerKind.H2);
    assertThat(outcomes(watched).subList(0, 3))
        .containsExactly(
            Outcome.COMMITTED, Outcome.ABORTED, ddlCommits ? Outcome.COMMITTED : Outcome.ABORTED);
  }

  /** The level is that of the next transaction alone, whatever begins it. */
  @OnEach({ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("41 SET TRANSACTION before BEGIN")
  void levelOfTheNextTransaction(Place place) throws SQLException {
    String set = "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE";
    String update = "UPDATE item SET qty = qty + 1 WHERE id = 1";
    TestDatabase watched =
        place
            .shop()
            .run(
                (connection, transcript) -> {
                  executeEach(
                      connection,
                      transcript,
                      set,
                      "BEGIN",
                      update,
                      "COMMIT", // the first
                      "BEGIN",
                      update,
                      "BEGIN",
                      update,
                      "COMMIT", // two and three
                      set,
                      update,
                      update, // four and five
                      "SET autocommit = 0",
                      set,
                      "START TRANSACTION",
                      update,
                      "COMMIT");
                });
    List<IsolationLevel> levels =
        watched.events(Event.TransactionBegan.class).stream()
            .map(Event.TransactionBegan::level)
            .toList();
    IsolationLevel usual = levels.get(1);
    assertThat(usual).isNotEqualTo(IsolationLevel.SERIALIZABLE);
    assertThat(levels)
        .containsExactly(
            IsolationLevel.SERIALIZABLE,
            usual,
            usual,
            IsolationLevel.SERIALIZABLE,
            usual,
            IsolationLevel.SERIALIZABLE);
  }

  @OnEach
  @DisplayName("45 an error of a statement: what it does to the transaction is as it is raw")
  void errors(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                (connection, transcript) -> {
                  connection.setAutoCommit(false);
                  for (String sql :
                      List.of(
                          "UPDATE item SET qty = 1 WHERE id = 1",
                          "SELECT DISTINCT qty FROM item ORDER BY qty",
                          "SELECT item_id, COUNT(*) FROM line GROUP BY item_id ORDER BY 1",
                          "SELECT id FROM item WHERE id IN (SELECT item_id FROM line) ORDER BY id",
                          "INSERT INTO item VALUES (1, 'dup', 0)",
                          "UPDATE item SET qty = 2 WHERE id = 2",
                          "SELECT * FROM item ORDER BY id")) {
                    transcript.step(
                        sql,
                        () -> {
                          try (Statement statement = connection.createStatement()) {
                            transcript.results(statement, statement.execute(sql));
                          }
                        });
                  }
                  transcript.step("commit", connection::commit);
                  try (Statement statement = connection.createStatement()) {
                    transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                  }
                  connection.commit();
                });
    assertThat(outcomes(watched))
        .startsWith(place.is(ServerKind.POSTGRESQL) ? Outcome.ABORTED : Outcome.COMMITTED);
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("46 a commit whose answer is lost")
  void lostCommit(Place place) throws SQLException {
    TestDatabase watched = place.shop().watched();
    try (Connection connection = watched.watched();
        Connection killer = watched.raw()) {
      connection.setAutoCommit(false);
      String ask =
          place.is(ServerKind.POSTGRESQL) ? "SELECT pg_backend_pid()" : "SELECT CONNECTION_ID()";
      long id;
      try (Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery(ask)) {
        row.next();
        id = row.getLong(1);
      }
      execute(connection, "UPDATE item SET qty = 1 WHERE id = 1");
      execute(
          killer,
          place.is(ServerKind.POSTGRESQL)
              ? "SELECT pg_terminate_backend(" + id + ", 5000)"
              : "KILL " + id);
      try {
        connection.commit();
        throw new AssertionError("the commit went through");
      } catch (SQLException lost) {
        assertThat(lost.getSQLState()).matches("08.*|57P0.|70100");
      }
    }
    assertThat(outcomes(watched)).containsExactly(Outcome.UNKNOWN);
  }

  /** The error that another session gets when it wants the rows that the first one has touched. */
  private static void asksForLocks(
      Place place, Twins.Connections connections, io.txwatch.jdbc.Transcript transcript, String sql)
      throws SQLException {
    try (Connection first = connections.open();
        Connection second = connections.open()) {
      first.setAutoCommit(false);
      second.setAutoCommit(false);
      try (Statement statement = first.createStatement()) {
        transcript.results(statement, statement.execute(sql));
      }
      for (int id = 1; id <= 3; id++) {
        String wants = "SELECT id FROM item WHERE id = " + id + " FOR UPDATE NOWAIT";
        transcript.step(
            sql + "; " + wants,
            () -> {
              try (Statement statement = second.createStatement()) {
                transcript.rows(statement.executeQuery(wants));
              }
            });
        second.rollback();
      }
      first.rollback();
    }
    assertThat(place.kind()).isNotEqualTo(ServerKind.SQLITE);
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL, ServerKind.H2})
  @DisplayName("55 nothing locks more than it did: no locking read beside a statement")
  void locks(Place place) throws SQLException {
    place
        .shop()
        .serve(
            (connections, transcript) -> {
              for (String sql :
                  List.of(
                      "SELECT * FROM item",
                      "SELECT DISTINCT qty FROM item",
                      "SELECT qty, COUNT(*) FROM item GROUP BY qty",
                      "SELECT id FROM item WHERE id IN (SELECT item_id FROM line)",
                      "SELECT * FROM item WHERE id = 2 FOR UPDATE",
                      "UPDATE item SET qty = 9 WHERE id = 1",
                      "UPDATE item SET qty = 10 WHERE id = 1",
                      "UPDATE line SET amount = 0 WHERE item_id IN (SELECT id FROM item)",
                      "DELETE FROM item WHERE id = 3",
                      "DELETE FROM line WHERE item_id = (SELECT MIN(id) FROM item)",
                      "INSERT INTO item VALUES (7, 'new', 1)",
                      "INSERT INTO line SELECT id + 10, id, 0 FROM line")) {
                asksForLocks(place, connections, transcript, sql);
              }
            });
  }

  @OnEach
  @DisplayName("56 a read-only transaction stays one")
  void readOnly(Place place) throws SQLException {
    place
        .shop()
        .run(
            (connection, transcript) -> {
              if (place.is(ServerKind.SQLITE)) {
                return; // its driver takes the flag before it connects only
              }
              connection.setReadOnly(true);
              connection.setAutoCommit(false);
              for (String sql :
                  List.of(
                      "SELECT * FROM item ORDER BY id",
                      "SELECT DISTINCT qty FROM item ORDER BY qty",
                      "SELECT COUNT(*) FROM item",
                      "SELECT id FROM item WHERE id IN (SELECT item_id FROM line) ORDER BY id",
                      "UPDATE item SET qty = 1 WHERE id = 1",
                      "SELECT 1")) {
                transcript.step(
                    sql,
                    () -> {
                      try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        transcript.results(statement, statement.execute());
                      }
                    });
              }
              connection.rollback();
              transcript.line("read only " + connection.isReadOnly());
            });
  }

  @OnEach(ServerKind.POSTGRESQL)
  @DisplayName("17 a table made in an open transaction stands in front of one of its name")
  void madeInTheTransaction(Place place) throws SQLException {
    place
        .shop()
        .run(
            (connection, transcript) -> {
              connection.setAutoCommit(false);
              try (Statement statement = connection.createStatement()) {
                for (String sql :
                    List.of(
                        "CREATE SCHEMA other",
                        "CREATE TABLE other.item (id INT, note TEXT)",
                        "SET LOCAL search_path TO other, public",
                        "INSERT INTO item VALUES (2, 'two')",
                        "SELECT * FROM item")) {
                  transcript.step(sql, () -> transcript.results(statement, statement.execute(sql)));
                }
                connection.rollback();
                transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
              }
            });
  }
}
