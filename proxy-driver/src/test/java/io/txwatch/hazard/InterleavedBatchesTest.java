package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Transcript;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/** Batches of several statements that are collected side by side, with queries in between. */
class InterleavedBatchesTest {

  private static final int ITEMS = 3;

  /** One order: for each line a query, an item of one batch, and one of the other. */
  private static void order(Connection connection, Transcript transcript, int order)
      throws SQLException {
    try (PreparedStatement stock =
            connection.prepareStatement("SELECT qty FROM item WHERE id = ?");
        PreparedStatement take =
            connection.prepareStatement("UPDATE item SET qty = qty + ? WHERE id = ?");
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO item VALUES (?, ?, ?)")) {
      for (int i = 1; i <= ITEMS; i++) {
        stock.setInt(1, i);
        try (ResultSet rows = stock.executeQuery()) {
          transcript.rows(rows);
        }
        take.setInt(1, order);
        take.setInt(2, i);
        take.addBatch();
        insert.setInt(1, 100 * order + i);
        insert.setString(2, "line " + i);
        insert.setInt(3, i);
        insert.addBatch();
      }
      transcript.line("taken " + Arrays.toString(take.executeBatch()));
      transcript.line("inserted " + Arrays.toString(insert.executeBatch()));
      transcript.line("nothing is left " + Arrays.toString(insert.executeBatch()));
    }
  }

  @OnEach
  @DisplayName("33 batches collected side by side: each item is executed once, and recorded once")
  void sideBySide(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                (connection, transcript) -> {
                  connection.setAutoCommit(false);
                  for (int order = 1; order <= 4; order++) {
                    order(connection, transcript, order);
                    connection.commit();
                  }
                  try (var statement = connection.createStatement()) {
                    transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                  }
                  connection.commit();
                });
    List<Event.StatementExecuted> statements = watched.statements();
    assertThat(statements).hasSize(4 * 3 * ITEMS + 1);
    assertThat(statements)
        .as("numbers of a transaction go up, with gaps or without")
        .isSortedAccordingTo(
            (one, other) ->
                one.transaction() == other.transaction()
                    ? Integer.compare(one.statement(), other.statement())
                    : 0);
    if (!place.isPrepared()) {
      return; // the rows that a batch writes are not returned by system columns
    }
    assertThat(statements)
        .as("a row's last writer is the statement that wrote it")
        .filteredOn(statement -> statement.kind().mayWrite())
        .flatExtracting(Event.StatementExecuted::rows)
        .extracting(RowAccess::access)
        .contains(Access.INSERT);
    assertThat(statements)
        .as("what comes between is learnt, and room is left for it")
        .anyMatch(statement -> statement.statement() > 3 * ITEMS);
    List<RowAccess> last = statements.get(statements.size() - 1).rows();
    for (Event.StatementExecuted statement : statements) {
      for (RowAccess written : statement.rows()) {
        if (written.access() == Access.INSERT) {
          assertThat(last)
              .anySatisfy(
                  read -> {
                    assertThat(read.row()).isEqualTo(written.row());
                    assertThat(read.writers().transaction(0)).isEqualTo(statement.transaction());
                    assertThat(read.writers().statement(0)).isEqualTo(statement.statement());
                  });
        }
      }
    }
    for (RowAccess read : last) {
      for (int i = 0; i < read.writers().size(); i++) {
        long transaction = read.writers().transaction(i);
        int number = read.writers().statement(i);
        assertThat(statements)
            .as("every writer that a row names is a statement that was recorded")
            .anyMatch(s -> s.transaction() == transaction && s.statement() == number);
      }
    }
  }
}
