package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/**
 * What a DBMS keeps of the last statement is the application's: reads of ours beside it leave it
 * alone.
 */
class DiagnosticsTest {

  private static final String NUMBERED =
      "CREATE TABLE numbered (id INT AUTO_INCREMENT PRIMARY KEY, item_id INT)";

  /** Writes with reads beside them, each followed by all that can be asked about it. */
  private static String[] each(List<String> writes, List<String> questions) {
    List<String> texts = new ArrayList<>();
    for (String write : writes) {
      texts.add(write);
      texts.addAll(questions);
    }
    return texts.toArray(String[]::new);
  }

  @OnEach({ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("59 ROW_COUNT(), FOUND_ROWS(), LAST_INSERT_ID() and warnings")
  void ofMySql(Place place) throws SQLException {
    place
        .shopWith(NUMBERED)
        .run(
            each(
                List.of(
                    "INSERT INTO numbered (item_id) SELECT item_id FROM line WHERE amount < 7",
                    "INSERT INTO numbered (item_id) VALUES (3), (4)",
                    "INSERT INTO numbered (id, item_id) VALUES (1, 5)"
                        + " ON DUPLICATE KEY UPDATE item_id = 5",
                    "UPDATE item SET qty = (SELECT max(amount) FROM line) WHERE id < 3",
                    "UPDATE numbered SET item_id = item_id",
                    "DELETE n FROM numbered n JOIN item i ON i.id = n.item_id WHERE i.id = 3",
                    "REPLACE INTO item SELECT 2, name, qty + 1 FROM item WHERE id = 2",
                    "SELECT DISTINCT qty FROM item ORDER BY qty",
                    "SELECT SQL_CALC_FOUND_ROWS id FROM item ORDER BY id LIMIT 1",
                    "SELECT id + 'x' FROM item WHERE id = 1"),
                List.of(
                    "SELECT ROW_COUNT(), FOUND_ROWS()",
                    "SELECT LAST_INSERT_ID() > 0, @@warning_count",
                    "SHOW WARNINGS")));
  }

  @OnEach({ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("27, 59 ROW_COUNT() after a DELETE is the DBMS's own from the second time on")
  void rowCountOfDeletes(Place place) throws SQLException {
    List<List<String>> reported = new ArrayList<>();
    for (boolean watched : new boolean[] {false, true}) {
      TestDatabase database = place.shop().watched();
      List<String> lines = new ArrayList<>();
      try (Connection connection =
              watched ? database.watched(database.raw(), place.shop().settings()) : database.raw();
          PreparedStatement delete =
              connection.prepareStatement("DELETE FROM line WHERE amount < ?")) {
        for (int amount = 6; amount < 9; amount++) {
          delete.setInt(1, amount);
          String count = "count " + delete.executeUpdate();
          try (Statement statement = connection.createStatement();
              ResultSet rows = statement.executeQuery("SELECT ROW_COUNT()")) {
            assertThat(rows.next()).isTrue();
            lines.add(amount == 6 ? count : count + " " + rows.getInt(1));
          }
        }
      }
      reported.add(lines);
    }
    assertThat(reported.get(0)).containsExactly("count 1", "count 1 1", "count 1 1");
    assertThat(reported.get(1)).isEqualTo(reported.get(0));
  }

  @OnEach(ServerKind.SQLITE)
  @DisplayName("59 changes(), total_changes() and last_insert_rowid()")
  void ofSqlite(Place place) throws SQLException {
    place
        .shopWith("CREATE TABLE numbered (id INTEGER PRIMARY KEY, item_id INT)")
        .run(
            each(
                List.of(
                    "INSERT INTO numbered (item_id) SELECT item_id FROM line WHERE amount < 7",
                    "INSERT INTO numbered (item_id) VALUES (3), (4)",
                    "UPDATE item SET qty = (SELECT max(amount) FROM line) WHERE id < 3",
                    "UPDATE numbered SET item_id = 8 WHERE item_id = 77",
                    "DELETE FROM line WHERE item_id IN (SELECT id FROM item WHERE qty = 7)",
                    "SELECT DISTINCT qty FROM item ORDER BY qty"),
                List.of("SELECT changes(), total_changes(), last_insert_rowid()")));
  }

  @OnEach(ServerKind.POSTGRESQL)
  @DisplayName("45, 59 what a block of PL/pgSQL finds, and sequences")
  void ofPostgres(Place place) throws SQLException {
    place
        .shopWith("CREATE TABLE numbered (id SERIAL PRIMARY KEY, item_id INT)")
        .run(
            each(
                List.of(
                    "INSERT INTO numbered (item_id) VALUES (3), (4)",
                    "UPDATE item SET qty = (SELECT max(amount) FROM line) WHERE id < 3",
                    "DELETE FROM line USING item WHERE item.id = line.item_id AND item.qty = 7",
                    "SELECT DISTINCT qty FROM item ORDER BY qty"),
                List.of("SELECT lastval(), currval('numbered_id_seq')")));
    // lastval() after INSERT … SELECT is of the row id's own sequence, as docs/changes.md says.
    place
        .shopWith("CREATE TABLE numbered (id SERIAL PRIMARY KEY, item_id INT)")
        .run(
            "INSERT INTO numbered (item_id) SELECT item_id FROM line WHERE amount < 7",
            "SELECT currval('numbered_id_seq')");
  }

  @OnEach({ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("24, 44 under a binary log of statements our texts neither warn nor fail")
  void binaryLogOfStatements(Place place) throws SQLException {
    List<String> updates =
        List.of(
            "UPDATE item SET qty = 11 WHERE id = 1",
            "UPDATE item SET qty = qty, name = concat(name, '!') WHERE id < 3",
            "UPDATE item SET qty = 20 WHERE qty = 20",
            "INSERT INTO item (id, qty) VALUES (1, 5) ON DUPLICATE KEY UPDATE qty = 6",
            "INSERT INTO item (id, qty) VALUES (8, 5)",
            "DELETE FROM line WHERE id = 1");
    // On MariaDB the default of the column txw_rid makes a statement unsafe for such a log, whoever
    // sends it: so both databases are prepared there, and what is compared is the text.
    try (MariaDbServer logging =
        place.is(ServerKind.MARIADB) ? MariaDbServer.start("--log-bin", "--server-id=1") : null) {
      List<List<String>> reported = new ArrayList<>();
      for (boolean watched : new boolean[] {false, true}) {
        String url =
            logging == null
                ? TestServers.freshDatabase(place.kind())
                : logging.newDatabase("twin_" + watched);
        TestDatabase database = TestDatabase.at(place.kind(), url, place.shop().setup());
        if (watched || logging != null) {
          try (Connection raw = database.raw()) {
            database.prepare(raw);
          }
        }
        Connection real = DriverManager.getConnection(url);
        try (Connection connection =
                watched ? database.watched(real, place.shop().settings()) : real;
            Statement statement = connection.createStatement()) {
          statement.execute("SET SESSION binlog_format = 'STATEMENT'");
          List<String> lines = new ArrayList<>();
          for (String sql : updates) {
            lines.add(sql + ": " + statement.executeUpdate(sql));
            for (SQLWarning w = statement.getWarnings(); w != null; w = w.getNextWarning()) {
              lines.add("warning " + w.getErrorCode() + " " + w.getMessage());
            }
          }
          try (ResultSet log = statement.executeQuery("SELECT @@log_bin, @@binlog_format")) {
            assertThat(log.next()).isTrue();
            assertThat(log.getInt(1)).isEqualTo(1);
            assertThat(log.getString(2)).isEqualTo("STATEMENT");
          }
          reported.add(lines);
        }
        assertThat(database.events(Event.Gap.class))
            .extracting(Event.Gap::reason)
            .doesNotContain(GapReason.FAULT);
      }
      assertThat(reported.get(1)).isEqualTo(reported.get(0));
    }
  }
}
