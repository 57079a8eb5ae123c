package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Transcript;
import io.txwatch.servers.ServerKind;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/** Batches, and several statements in one string. */
class BatchesTest {

  @OnEach
  @DisplayName("33 batches: a count and a statement of its own for each item")
  void items(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                (connection, transcript) -> {
                  connection.setAutoCommit(false);
                  try (PreparedStatement insert =
                          connection.prepareStatement("INSERT INTO item VALUES (?, ?, ?)");
                      PreparedStatement update =
                          connection.prepareStatement("UPDATE item SET qty = ? WHERE id <= ?")) {
                    for (int i = 0; i < 4; i++) {
                      insert.setInt(1, 100 + i);
                      insert.setString(2, "n" + i);
                      insert.setInt(3, i);
                      insert.addBatch();
                      update.setInt(1, i);
                      update.setInt(2, i);
                      update.addBatch();
                    }
                    transcript.line(Arrays.toString(insert.executeBatch()));
                    transcript.step(
                        "large",
                        () -> transcript.line(Arrays.toString(update.executeLargeBatch())));
                    transcript.line("empty " + Arrays.toString(update.executeBatch()));
                  }
                  connection.commit();
                  try (Statement statement = connection.createStatement()) {
                    statement.addBatch("DELETE FROM item WHERE id = 100");
                    statement.addBatch("INSERT INTO item VALUES (200, 'plain', 1)");
                    statement.addBatch("UPDATE item SET qty = 0 WHERE id = 99");
                    statement.addBatch("UPDATE item SET qty = 0");
                    transcript.line(Arrays.toString(statement.executeBatch()));
                    connection.commit();
                    transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                  }
                  connection.commit();
                });
    assertThat(watched.statements())
        .extracting(Event.StatementExecuted::sql)
        .hasSize(4 + 4 + 4 + 1);
  }

  @OnEach
  @DisplayName("33 batches: an item that fails in the middle")
  void failure(Place place) throws SQLException {
    for (boolean autoCommit : new boolean[] {true, false}) {
      place
          .shop()
          .run(
              (connection, transcript) -> {
                connection.setAutoCommit(autoCommit);
                try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO item VALUES (?, 'x', 0)")) {
                  for (int id : new int[] {10, 11, 1, 12}) {
                    insert.setInt(1, id);
                    insert.addBatch();
                  }
                  transcript.step(
                      "prepared", () -> transcript.line(Arrays.toString(insert.executeBatch())));
                }
                end(connection.getAutoCommit(), connection::commit, transcript);
                try (Statement statement = connection.createStatement()) {
                  statement.addBatch("INSERT INTO item VALUES (20, 'y', 0)");
                  statement.addBatch("INSERT INTO item VALUES (1, 'y', 0)");
                  statement.addBatch("INSERT INTO item VALUES (21, 'y', 0)");
                  transcript.step(
                      "plain", () -> transcript.line(Arrays.toString(statement.executeBatch())));
                  end(connection.getAutoCommit(), connection::commit, transcript);
                  statement.addBatch("SELECT * FROM item");
                  transcript.step(
                      "query", () -> transcript.line(Arrays.toString(statement.executeBatch())));
                  end(connection.getAutoCommit(), connection::rollback, transcript);
                  transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                }
              });
    }
  }

  private static void end(boolean autoCommit, Transcript.Step how, Transcript transcript) {
    if (!autoCommit) {
      transcript.step("end", how);
    }
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("34 batches that drivers rewrite stay ones that they rewrite")
  void rewrittenByTheDriver(Place place) throws SQLException {
    String parameters =
        switch (place.kind()) {
          case POSTGRESQL -> "reWriteBatchedInserts=true";
          case MARIADB -> "useBulkStmts=true";
          default -> "rewriteBatchedStatements=true";
        };
    place
        .shop()
        .serve(
            parameters,
            (connections, transcript) -> {
              try (var connection = connections.open();
                  PreparedStatement insert =
                      connection.prepareStatement(
                          "INSERT INTO item (id, name, qty) VALUES (?, ?, ?)");
                  PreparedStatement update =
                      connection.prepareStatement("UPDATE item SET qty = ? WHERE id = ?");
                  Statement statement = connection.createStatement()) {
                for (int i = 0; i < 10; i++) {
                  insert.setInt(1, 100 + i);
                  insert.setString(2, "n" + i);
                  insert.setInt(3, i);
                  insert.addBatch();
                  update.setInt(1, i);
                  update.setInt(2, 100 + i);
                  update.addBatch();
                }
                int[] counts = insert.executeBatch();
                // SUCCESS_NO_INFO is how the driver tells that it sent them as one.
                transcript.line(Arrays.toString(counts));
                transcript.line(Arrays.toString(update.executeBatch()));
                transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
              }
            });
  }

  @OnEach
  @DisplayName("35 several statements in one string")
  void severalInOneString(Place place) throws SQLException {
    String parameters = place.isMySqlLike() ? "allowMultiQueries=true" : "";
    place
        .shop()
        .serve(
            parameters,
            (connections, transcript) -> {
              try (var connection = connections.open()) {
                for (String sql :
                    List.of(
                        "UPDATE item SET qty = 1 WHERE id = 1; UPDATE item SET qty = 2",
                        "SELECT * FROM item ORDER BY id; SELECT * FROM line ORDER BY id",
                        "INSERT INTO item VALUES (4, 'a;b', 1); SELECT * FROM item ORDER BY id",
                        "SELECT DISTINCT qty FROM item ORDER BY qty; DELETE FROM line; SELECT COUNT(*) FROM line",
                        "SELECT id FROM item ORDER BY id;",
                        "; ;",
                        "UPDATE item SET qty = 3; SELECT nosuch FROM item")) {
                  transcript.step(
                      sql,
                      () -> {
                        try (Statement statement = connection.createStatement()) {
                          transcript.results(statement, statement.execute(sql));
                        }
                      });
                }
                try (PreparedStatement two =
                    connection.prepareStatement(
                        "UPDATE item SET qty = ? WHERE id = ?; SELECT * FROM item WHERE id = ?")) {
                  transcript.step(
                      "prepared",
                      () -> {
                        two.setInt(1, 77);
                        two.setInt(2, 1);
                        two.setInt(3, 1);
                        transcript.results(two, two.execute());
                      });
                }
                try (Statement statement = connection.createStatement()) {
                  transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                }
              }
            });
  }
}
