package io.txwatch.hazard;

import io.txwatch.jdbc.Transcript;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/**
 * What drivers and servers say of a statement, errors and descriptions, is of the application's own
 * text: its positions, its parameters' numbers, its columns.
 */
class DriverTextsTest {

  private static final List<String> WRITES =
      List.of(
          "UPDATE item SET qty = ?, name = ? WHERE id = ?",
          "INSERT INTO item (qty, name, id) VALUES (?, ?, ?)",
          "INSERT INTO item VALUES (?, ?, ?) ");

  private static Twins shop(Place place) {
    return place.of(
        "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20), qty INT CHECK (qty < 1000))",
        "INSERT INTO item VALUES (1, 'apple', 10), (2, 'pear', 20), (3, NULL, 20)");
  }

  /** What H2 numbers differs between the two databases. */
  private static void describe(Transcript transcript, String what, Object object) {
    transcript.line(what + " " + object.toString().replaceAll("prep\\d+", "PREP"));
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.SQLITE})
  @DisplayName("30, 32 a prepared statement's own description, with values in it")
  void description(Place place) throws SQLException {
    shop(place)
        .run(
            (connection, transcript) -> {
              String text = "o'x?, \"y\"";
              for (String sql : WRITES) {
                connection.setAutoCommit(false);
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                  describe(transcript, "unset", statement);
                  boolean numberFirst = !sql.contains("VALUES (?, ?, ?) ");
                  statement.setInt(1, 77);
                  statement.setString(2, numberFirst ? text : "77");
                  statement.setInt(3, 78);
                  describe(transcript, "set", statement);
                  statement.executeUpdate();
                  describe(transcript, "executed", statement);
                  statement.setNull(2, Types.VARCHAR);
                  statement.addBatch();
                  describe(transcript, "added", statement);
                  statement.setString(2, numberFirst ? text : "79");
                  statement.setInt(3, 79);
                  statement.addBatch();
                  describe(transcript, "added a second", statement);
                }
                connection.rollback();
              }
              try (PreparedStatement query =
                  connection.prepareStatement("SELECT * FROM item WHERE id = ? AND name = ?")) {
                query.setInt(1, 7);
                query.setString(2, "7");
                query.executeQuery().close();
                describe(transcript, "query", query);
                query.close();
                describe(transcript, "closed", query);
              }
            });
  }

  @OnEach
  @DisplayName("30, 60 errors of statements, by place and number")
  void errors(Place place) throws SQLException {
    shop(place)
        .run(
            (connection, transcript) -> {
              for (String sql :
                  List.of(
                      "INSERT INTO item VALUES (1, 'a', 1)",
                      "UPDATE item SET id = 1 WHERE id = 2",
                      "INSERT INTO item VALUES (9, 'a', 5000)",
                      "UPDATE item SET qty = 5000",
                      "SELECT * FROM item WHERE name = 'é€😀' AND id = 'abc'",
                      "SELECT item.*, 'é' FROM item WHERE name = 'x' AND id = 'abc'",
                      "UPDATE item SET name = 'é€😀', qty = 1 WHERE id = 'abc'",
                      "DELETE FROM item WHERE id = 'abc'",
                      "INSERT INTO item VALUES (9, 'a', 'zz')",
                      "INSERT INTO item (id, qty) VALUES (9, 'zz')",
                      "INSERT INTO item VALUES (9, 'a', 5, 6, 7)",
                      "INSERT INTO item (id, name) VALUES (9)",
                      "UPDATE item SET qty = 99999999999 WHERE id = 1",
                      "SELECT CAST(name AS INT), id FROM item WHERE nosuch = 1")) {
                for (int i = 0; i < 2; i++) { // the text is proven by what succeeds, if it does
                  transcript.step(
                      sql,
                      () -> {
                        try (Statement statement = connection.createStatement()) {
                          transcript.results(statement, statement.execute(sql));
                        }
                      });
                }
              }
            });
  }

  @OnEach
  @DisplayName("30, 60 errors of prepared statements, by place and number")
  void errorsOfPrepared(Place place) throws SQLException {
    shop(place)
        .run(
            (connection, transcript) -> {
              for (String sql : WRITES) {
                for (int set = 0; set < 3; set++) {
                  int many = set;
                  transcript.step(
                      many + " set of " + sql,
                      () -> {
                        try (PreparedStatement statement = connection.prepareStatement(sql)) {
                          for (int i = 1; i <= many; i++) {
                            statement.setInt(i, 5);
                          }
                          if (place.is(ServerKind.SQLITE)) {
                            return; // takes what is not set for NULL
                          }
                          transcript.step("added", statement::addBatch);
                          transcript.line("count " + statement.executeUpdate());
                        }
                      });
                }
              }
              transcript.step(
                  "place",
                  () -> {
                    try (PreparedStatement statement =
                        connection.prepareStatement(
                            "UPDATE item SET qty = ?, name = 'é€' WHERE name = ? AND id = 'abc'")) {
                      statement.setInt(1, 5);
                      statement.setString(2, "a");
                      transcript.line("count " + statement.executeUpdate());
                    }
                  });
            });
  }

  @OnEach
  @DisplayName("33, 34 errors of batches: counts, texts, all that follow")
  void batches(Place place) throws SQLException {
    String parameters = place.is(ServerKind.MARIADB) ? "useBulkStmts=true" : "";
    shop(place)
        .serve(
            parameters,
            (connections, transcript) -> {
              try (Connection connection = connections.open()) {
                for (int[] ids : new int[][] {{50, 1, 51}, {60, 61}, {1, 62}, {63, 64, 63}}) {
                  prepared(connection, transcript, ids);
                  plain(connection, transcript, ids);
                }
                for (String sql :
                    List.of(
                        "UPDATE item SET qty = 3; UPDATE item SET qty = 4",
                        "SELECT * FROM item",
                        "UPDATE item SET SET",
                        "UPDATE item SET qty = 5000",
                        "")) {
                  transcript.step(
                      "item " + sql,
                      () -> {
                        try (Statement statement = connection.createStatement()) {
                          transcript.step("added", () -> statement.addBatch(sql));
                          statement.addBatch("UPDATE item SET qty = 5 WHERE id = 1");
                          transcript.line(Arrays.toString(statement.executeBatch()));
                        }
                      });
                }
              }
            });
  }

  private static void prepared(Connection connection, Transcript transcript, int[] ids) {
    for (String sql : List.of("INSERT INTO item VALUES (?, ?, ?)", WRITES.get(1))) {
      transcript.step(
          "prepared " + Arrays.toString(ids) + " " + sql,
          () -> {
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
              for (int id : ids) {
                insert.setInt(1, id);
                insert.setString(2, "it's, 'b'");
                insert.setInt(3, id + 100);
                insert.addBatch();
              }
              transcript.line(Arrays.toString(insert.executeBatch()));
            }
          });
    }
  }

  private static void plain(Connection connection, Transcript transcript, int[] ids) {
    transcript.step(
        "plain " + Arrays.toString(ids),
        () -> {
          try (Statement statement = connection.createStatement()) {
            for (int id : ids) {
              statement.addBatch("INSERT INTO item VALUES (" + (id + 200) + ", 'b', 5)");
            }
            statement.addBatch("INSERT INTO item VALUES (1, 'b', 5)");
            transcript.line(Arrays.toString(statement.executeLargeBatch()));
          }
        });
  }
}
