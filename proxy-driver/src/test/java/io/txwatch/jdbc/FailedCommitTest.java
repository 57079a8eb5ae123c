package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A COMMIT that a deferred constraint makes fail: PostgreSQL has rolled the transaction back, in
 * SQLite it is still open and may be committed again. The history has the outcome that the database
 * shows.
 */
class FailedCommitTest {

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, commit()",
    "POSTGRESQL, setAutoCommit(true)",
    "POSTGRESQL, COMMIT",
    "POSTGRESQL, END",
    "POSTGRESQL, COMMIT AND CHAIN",
    "SQLITE, commit()",
    "SQLITE, COMMIT",
    "SQLITE, END"
  })
  void writesBelongToACommittedTransactionIfTheyRemain(ServerKind kind, String commit)
      throws SQLException {
    TestDatabase database =
        TestDatabase.of(
            kind,
            "CREATE TABLE parent (id INT PRIMARY KEY)",
            "CREATE TABLE child (id INT PRIMARY KEY, p INT REFERENCES parent (id)"
                + " DEFERRABLE INITIALLY DEFERRED)");
    try (Connection connection = database.watched();
        Statement statement = connection.createStatement()) {
      if (kind == ServerKind.SQLITE) {
        statement.execute("PRAGMA foreign_keys = ON");
      }
      boolean byText = !commit.endsWith(")");
      if (byText) {
        statement.execute("BEGIN");
      } else {
        connection.setAutoCommit(false);
      }
      statement.execute("INSERT INTO child VALUES (1, 7)");
      assertThatThrownBy(() -> commit(connection, commit)).isInstanceOf(SQLException.class);
      statement.execute("INSERT INTO parent VALUES (7)");
      if (!byText && !connection.getAutoCommit()) {
        connection.commit();
      } else if (kind == ServerKind.SQLITE || commit.endsWith("CHAIN")) {
        statement.execute("COMMIT");
      }
    }
    boolean remains;
    try (Connection raw = database.raw();
        Statement statement = raw.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM child")) {
      remains = rows.next();
    }
    assertThat(remains).isEqualTo(kind == ServerKind.SQLITE);
    assertThat(outcomes(database))
        .containsExactlyElementsOf(
            remains ? List.of(Outcome.COMMITTED) : List.of(Outcome.ABORTED, Outcome.COMMITTED));
  }

  private static void commit(Connection connection, String how) throws SQLException {
    switch (how) {
      case "commit()" -> connection.commit();
      case "setAutoCommit(true)" -> connection.setAutoCommit(true);
      default -> TestDatabase.execute(connection, how);
    }
  }

  /** Of the transactions that wrote. */
  private static List<Outcome> outcomes(TestDatabase database) {
    List<Long> writers =
        database.statements().stream()
            .filter(statement -> statement.kind() == StatementKind.INSERT)
            .map(Event.StatementExecuted::transaction)
            .toList();
    return database.events(Event.TransactionEnded.class).stream()
        .filter(ended -> writers.contains(ended.transaction()))
        .map(Event.TransactionEnded::outcome)
        .toList();
  }
}
