package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Transcript;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/** Writes that are more than a plain INSERT, UPDATE or DELETE of one table. */
class WritesTest {

  private static final String UNIQUE =
      "CREATE TABLE code (id INT PRIMARY KEY, word VARCHAR(20) UNIQUE, n INT)";

  @OnEach
  @DisplayName("19 INSERT IGNORE and its like")
  void insertIgnore(Place place) throws SQLException {
    place
        .shop()
        .run(
            "INSERT IGNORE INTO item VALUES (1, 'no', 0)",
            "INSERT IGNORE INTO item VALUES (1, 'no', 0), (7, 'yes', 1)",
            "INSERT OR IGNORE INTO item VALUES (1, 'no', 0), (8, 'yes', 1)",
            "INSERT IGNORE INTO item (id, name) SELECT id, 'no' FROM item",
            "INSERT OR IGNORE INTO item (id, name) SELECT id, 'no' FROM item",
            "INSERT OR FAIL INTO item VALUES (1, 'no', 0)",
            "SELECT * FROM item ORDER BY id");
  }

  @OnEach
  @DisplayName("30 after an error a prepared statement writes the values that are set then")
  void newValuesAfterAnError(Place place) throws SQLException {
    place
        .shop()
        .run(
            (connection, transcript) -> {
              for (String sql :
                  List.of(
                      "INSERT INTO item (name, qty, id) VALUES (?, ?, ?)",
                      "UPDATE item SET name = ?, qty = ? WHERE id = ?",
                      "DELETE FROM item WHERE name <> ? AND qty = ? AND id = ?")) {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                  statement.setString(1, "first");
                  statement.setString(2, "no number");
                  statement.setInt(3, 41);
                  transcript.step("wrong type", () -> count(transcript, statement));
                  statement.setString(1, "second");
                  statement.setInt(2, 7);
                  statement.setInt(3, 42);
                  transcript.step("new values", () -> count(transcript, statement));
                  statement.setInt(3, 43);
                  transcript.step("and another", () -> count(transcript, statement));
                }
                try (Statement statement = connection.createStatement()) {
                  transcript.results(
                      statement, statement.execute("SELECT * FROM item ORDER BY id"));
                }
              }
            });
  }

  private static void count(Transcript transcript, PreparedStatement statement)
      throws SQLException {
    transcript.line("count " + statement.executeUpdate());
  }

  @OnEach
  @DisplayName("20 ON DUPLICATE KEY UPDATE")
  void onDuplicateKey(Place place) throws SQLException {
    place
        .shopWith(UNIQUE, "INSERT INTO code VALUES (1, 'a', 1), (2, 'b', 2)")
        .run(
            "INSERT INTO item VALUES (1, 'fig', 5) ON DUPLICATE KEY UPDATE qty = qty + VALUES(qty)",
            "INSERT INTO item VALUES (1, 'fig', 5), (9, 'new', 1)"
                + " ON DUPLICATE KEY UPDATE name = VALUES(name), qty = VALUES(qty)",
            "INSERT INTO item VALUES (1, 'fig', 5) ON DUPLICATE KEY UPDATE id = id",
            "INSERT INTO item VALUES (1, 'fig', 5) AS fresh"
                + " ON DUPLICATE KEY UPDATE qty = fresh.qty",
            "INSERT INTO item (id, name) SELECT id, 'sel' FROM line"
                + " ON DUPLICATE KEY UPDATE name = 'dup'",
            "INSERT INTO code VALUES (1, 'b', 9) ON DUPLICATE KEY UPDATE n = n + 1",
            "INSERT INTO code VALUES (7, 'b', 9) ON DUPLICATE KEY UPDATE id = 7, n = VALUES(n)",
            "SELECT * FROM item ORDER BY id",
            "SELECT * FROM code ORDER BY id");
  }

  @OnEach(rewrittenOnly = true)
  @DisplayName("21 ON CONFLICT")
  void onConflict(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shopWith(UNIQUE, "INSERT INTO code VALUES (1, 'a', 1), (2, 'b', 2)")
            .run(
                "INSERT INTO item VALUES (1, 'fig', 5) ON CONFLICT DO NOTHING",
                "INSERT INTO item VALUES (1, 'fig', 5)"
                    + " ON CONFLICT (id) DO UPDATE SET qty = item.qty + excluded.qty",
                "INSERT INTO item VALUES (1, 'fig', 5), (9, 'new', 1)"
                    + " ON CONFLICT (id) DO UPDATE SET name = excluded.name WHERE item.qty > 99",
                "INSERT INTO item AS i VALUES (2, 'as', 5)"
                    + " ON CONFLICT (id) DO UPDATE SET qty = i.qty + 1",
                "INSERT INTO code VALUES (3, 'b', 9) ON CONFLICT (word) DO UPDATE SET n = 9",
                "INSERT INTO item VALUES (1, 'x', 1) ON CONFLICT DO NOTHING RETURNING id",
                "INSERT INTO item VALUES (1, 'x', 1)"
                    + " ON CONFLICT (id) DO UPDATE SET name = 'y' RETURNING *",
                "INSERT INTO item SELECT id, 'sel', 1 FROM line WHERE true"
                    + " ON CONFLICT (id) DO NOTHING",
                "SELECT * FROM item ORDER BY id",
                "SELECT * FROM code ORDER BY id");
    // DO NOTHING wrote nothing: the row that was there has no writer from it.
    try (Connection connection = watched.watched();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("INSERT INTO item VALUES (50, 'z', 1)");
      int before = writers(watched, statement);
      statement.execute(
          place.isMySqlLike() || place.is(ServerKind.H2)
              ? "UPDATE item SET qty = 0 WHERE id = 999"
              : "INSERT INTO item VALUES (50, 'q', 2) ON CONFLICT DO NOTHING");
      assertThat(writers(watched, statement)).isEqualTo(before);
    }
  }

  private static int writers(TestDatabase watched, Statement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery("SELECT * FROM item WHERE id = 50")) {
      assertThat(rows.next()).isTrue();
      assertThat(rows.next()).isFalse();
    }
    List<Event.StatementExecuted> statements = watched.statements();
    return statements.get(statements.size() - 1).rows().get(0).writers().size();
  }

  @OnEach
  @DisplayName("22 REPLACE")
  void replace(Place place) throws SQLException {
    place
        .shopWith(UNIQUE, "INSERT INTO code VALUES (1, 'a', 1), (2, 'b', 2)")
        .run(
            "REPLACE INTO item VALUES (1, 'new', 1)",
            "REPLACE INTO item VALUES (1, 'old', 1), (1, 'newer', 2)",
            "REPLACE INTO item (id, name) VALUES (2, 'short')",
            "REPLACE INTO item SET id = 3, name = 'set'",
            "REPLACE INTO item SELECT id, 'sel', 0 FROM line",
            "INSERT OR REPLACE INTO item VALUES (1, 'or', 1)",
            // Two rows go: one for each unique key.
            "REPLACE INTO code VALUES (1, 'b', 7)",
            "SELECT * FROM item ORDER BY id",
            "SELECT * FROM code ORDER BY id");
  }

  @OnEach
  @DisplayName("23 MERGE")
  void merge(Place place) throws SQLException {
    place
        .shop()
        .run(
            "MERGE INTO item t USING (SELECT 1 AS id, 5 AS q) s ON t.id = s.id"
                + " WHEN MATCHED THEN UPDATE SET qty = s.q"
                + " WHEN NOT MATCHED THEN INSERT (id, qty) VALUES (s.id, s.q)",
            "MERGE INTO item t USING line s ON t.id = s.id + 1"
                + " WHEN MATCHED AND s.amount > 5 THEN DELETE"
                + " WHEN NOT MATCHED THEN INSERT VALUES (s.id + 1, 'm', s.amount)",
            "MERGE INTO item t USING line s ON t.id = s.id WHEN MATCHED THEN DO NOTHING",
            "MERGE INTO item (id, name, qty) KEY (id) VALUES (1, 'keyed', 3)",
            "SELECT * FROM item ORDER BY id");
  }

  @OnEach
  @DisplayName("24 UPDATE and DELETE with ORDER BY, LIMIT")
  void limited(Place place) throws SQLException {
    place
        .shop()
        .run(
            "UPDATE item SET qty = 0 ORDER BY id DESC LIMIT 1",
            "UPDATE item SET qty = qty + 1 WHERE qty >= 0 ORDER BY qty, id LIMIT 2",
            "UPDATE item SET qty = 7 LIMIT 1",
            "UPDATE item SET name = 'first' FETCH FIRST 1 ROW ONLY",
            "DELETE FROM line ORDER BY id LIMIT 1",
            "DELETE FROM line LIMIT 1",
            "DELETE FROM line FETCH FIRST 1 ROW ONLY",
            "DELETE FROM line WHERE id = NULL",
            "DELETE FROM line WHERE 1 = 0",
            "SELECT * FROM item ORDER BY id",
            "SELECT COUNT(*) FROM line");
  }

  @OnEach
  @DisplayName("25 UPDATE and DELETE of several tables")
  void severalTables(Place place) throws SQLException {
    place
        .shop()
        .run(
            "UPDATE item i JOIN line l ON l.item_id = i.id SET i.qty = i.qty + 1, l.amount = 0",
            "UPDATE item, line SET item.qty = 5 WHERE line.item_id = item.id AND line.id = 3",
            "UPDATE item i LEFT JOIN line l ON l.item_id = i.id SET i.name = 'none'"
                + " WHERE l.id IS NULL",
            "UPDATE item SET qty = l.amount FROM line l WHERE l.item_id = item.id AND l.id = 3",
            "UPDATE item AS i SET qty = 1 FROM line AS l WHERE l.item_id = i.id",
            "DELETE l FROM line l JOIN item i ON l.item_id = i.id WHERE i.id = 2",
            "DELETE FROM l USING line AS l JOIN item AS i ON l.item_id = i.id WHERE i.id = 2",
            "DELETE FROM line USING item i WHERE line.item_id = i.id AND i.id = 2",
            "SELECT * FROM item ORDER BY id",
            "SELECT * FROM line ORDER BY id");
  }

  @OnEach
  @DisplayName("26 writable CTEs, and CTEs before a write")
  void writableCtes(Place place) throws SQLException {
    place
        .shopWith("CREATE TABLE gone (id INT PRIMARY KEY, item_id INT, amount INT)")
        .run(
            "WITH moved AS (DELETE FROM line WHERE id = 1 RETURNING *)"
                + " INSERT INTO gone SELECT * FROM moved",
            "WITH u AS (UPDATE item SET qty = 0 WHERE id = 1 RETURNING id, qty) SELECT * FROM u",
            "WITH n AS (INSERT INTO item VALUES (30, 'cte', 1) RETURNING *)"
                + " SELECT n.*, i.id FROM n, item i ORDER BY i.id",
            "WITH c AS (SELECT id FROM line WHERE id > 1) DELETE FROM line WHERE id IN"
                + " (SELECT id FROM c)",
            "WITH c AS (SELECT MAX(amount) AS m FROM line) UPDATE item SET qty ="
                + " (SELECT m FROM c) WHERE id = 2",
            "WITH c AS (SELECT 31 AS id) INSERT INTO item (id) SELECT id FROM c",
            "WITH r AS (MERGE INTO item t USING line l ON l.item_id = t.id"
                + " WHEN MATCHED THEN UPDATE SET qty = 9 RETURNING t.id) SELECT * FROM r ORDER BY 1",
            "SELECT * FROM item ORDER BY id",
            "SELECT * FROM line ORDER BY id",
            "SELECT * FROM gone ORDER BY id");
  }

  @OnEach(ServerKind.POSTGRESQL)
  @DisplayName("62 the row that was to be inserted, as a whole row")
  void excludedAsAWholeRow(Place place) throws SQLException {
    place
        .shop()
        .run(
            "INSERT INTO item VALUES (1, 'a', 1) ON CONFLICT (id) DO UPDATE SET name = excluded::text",
            "INSERT INTO item AS i VALUES (2, 'b', 2) ON CONFLICT (id) DO UPDATE"
                + " SET name = left(excluded::text, 9) || i::text WHERE excluded IS NOT NULL",
            "INSERT INTO item VALUES (3, 'c', 3) ON CONFLICT (id) DO UPDATE"
                + " SET qty = octet_length(row_to_json(excluded)::text) RETURNING qty",
            "SELECT * FROM item ORDER BY id");
  }

  @OnEach(ServerKind.POSTGRESQL)
  @DisplayName("26 a write inside WITH is counted as not seen, and returns what it returned")
  void writesInsideWith(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shopWith("CREATE TABLE gone (id INT PRIMARY KEY, item_id INT, amount INT)")
            .run(
                "WITH u AS (UPDATE item SET qty = qty + 1 WHERE id = 1 RETURNING *) SELECT * FROM u",
                "SELECT qty FROM item WHERE id = 1",
                "WITH n AS (INSERT INTO item VALUES (30, 'n', 1) RETURNING item.*, qty * 2 AS k)"
                    + " SELECT * FROM n",
                "SELECT qty FROM item WHERE id = 30",
                "WITH moved AS (DELETE FROM line AS l WHERE id = 1 RETURNING *)"
                    + " INSERT INTO gone SELECT * FROM moved",
                "SELECT amount FROM gone",
                "WITH a AS (UPDATE line SET amount = i.qty FROM item i WHERE i.id = item_id"
                    + " RETURNING line.*, i.name), b AS (UPDATE item SET qty = 0 WHERE id IN"
                    + " (SELECT item_id FROM a)) SELECT * FROM a ORDER BY 1",
                "SELECT amount FROM line ORDER BY id LIMIT 1");
    List<Event.StatementExecuted> statements = watched.statements();
    for (int i = 0; i < 8; i += 2) { // the first time; then the rows are there
      WriterList writers = statements.get(i + 1).rows().get(0).writers();
      long transaction = statements.get(i).transaction();
      assertThat(writers.statement(0)).isEqualTo(WriterToken.BY_DBMS);
      assertThat(watched.events(Event.Gap.class))
          .as(statements.get(i).sql())
          .anyMatch(gap -> gap.transaction() == transaction);
    }
  }

  @OnEach
  @DisplayName("27 RETURNING")
  void returning(Place place) throws SQLException {
    place
        .shop()
        .run(
            "INSERT INTO item VALUES (40, 'r', 1) RETURNING *",
            "INSERT INTO item VALUES (41, 'r', 1), (42, 's', 2) RETURNING id, name AS n",
            "UPDATE item SET qty = qty + 1 WHERE id < 3 RETURNING *",
            "UPDATE item AS i SET qty = 0 WHERE id = 99 RETURNING i.id",
            "DELETE FROM item WHERE id >= 40 RETURNING *",
            "DELETE FROM item WHERE id = 3 RETURNING id, qty * 2",
            "REPLACE INTO item VALUES (1, 'rep', 1) RETURNING *",
            "SELECT * FROM FINAL TABLE (UPDATE item SET qty = 9 WHERE id = 2)",
            "SELECT id FROM OLD TABLE (DELETE FROM item WHERE id = 2)",
            "SELECT * FROM item ORDER BY id");
  }

  @OnEach({ServerKind.MYSQL, ServerKind.MARIADB})
  @DisplayName("57 a row of InnoDB that was there is as long after each write as before")
  void listOfOneLength(Place place) throws SQLException {
    TestDatabase database = place.shop().watched();
    List<String> writes =
        List.of(
            "UPDATE item SET qty = 5 WHERE id = 1",
            "UPDATE item SET qty = qty + 1",
            "UPDATE item SET name = concat('n', qty) WHERE qty < 99",
            "UPDATE item SET qty = 20 - qty WHERE id IN (1, 2)",
            "INSERT INTO item VALUES (1, 'fig', 5) ON DUPLICATE KEY UPDATE qty = qty + 9");
    String lengths = "SELECT count(*), min(length(txw_wl)), max(length(txw_wl)) FROM item";
    try (Connection watched = database.watched();
        Statement statement = watched.createStatement();
        Connection raw = database.raw();
        Statement unwatched = raw.createStatement()) {
      for (int write = 0; write <= 12; write++) {
        if (write > 0) {
          statement.execute(writes.get(write % writes.size()));
        }
        try (ResultSet rows = unwatched.executeQuery(lengths)) {
          assertThat(rows.next()).isTrue();
          assertThat(rows.getInt(1)).isEqualTo(3);
          assertThat(rows.getInt(2)).isEqualTo(WriterList.WINDOW_LENGTH);
          assertThat(rows.getInt(3)).isEqualTo(WriterList.WINDOW_LENGTH);
        }
        try (ResultSet rows = statement.executeQuery("SELECT qty FROM item WHERE id = 1")) {
          assertThat(rows.next()).isTrue();
        }
        List<Event.StatementExecuted> seen = database.statements();
        WriterList writers = seen.get(seen.size() - 1).rows().get(0).writers();
        assertThat(writers.size()).isEqualTo(Math.min(write, WriterList.WINDOW));
        assertThat(writers.complete()).isEqualTo(write < WriterList.WINDOW);
      }
    }
  }

  @OnEach(preparedOnly = true)
  @DisplayName("57 the list of writers is a bounded window")
  void boundedWindow(Place place) throws SQLException {
    TestDatabase watched = place.shop().watched();
    try (Connection connection = watched.watched();
        PreparedStatement write =
            connection.prepareStatement("UPDATE item SET qty = ? WHERE id = 1");
        Statement read = connection.createStatement()) {
      for (int i = 0; i < 30; i++) {
        write.setInt(1, i);
        assertThat(write.executeUpdate()).isEqualTo(1);
      }
      try (ResultSet rows = read.executeQuery("SELECT qty FROM item WHERE id = 1")) {
        assertThat(rows.next()).isTrue();
      }
    }
    List<Event.StatementExecuted> statements = watched.statements();
    WriterList writers = statements.get(30).rows().get(0).writers();
    assertThat(writers.size()).isEqualTo(WriterList.WINDOW);
    List<Long> newest = new ArrayList<>();
    for (int i = 0; i < writers.size(); i++) {
      newest.add(writers.transaction(i));
    }
    assertThat(newest)
        .isEqualTo(
            statements.subList(30 - WriterList.WINDOW, 30).stream()
                .map(Event.StatementExecuted::transaction)
                .toList());
    assertThat(statements.get(30).rows()).extracting(RowAccess::table).hasSize(1);
  }
}
