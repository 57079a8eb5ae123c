package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/** The text itself: its parameters, its literals, its comments. */
class TextTest {

  @OnEach
  @DisplayName("30 the order of parameters")
  void order(Place place) throws SQLException {
    place
        .shop()
        .run(
            (connection, transcript) -> {
              try (PreparedStatement update =
                      connection.prepareStatement(
                          "UPDATE item SET qty = ?, name = ? WHERE id = ? AND qty <> ?");
                  PreparedStatement insert =
                      connection.prepareStatement("INSERT INTO item VALUES (?, ?, ?), (?, ?, ?)");
                  PreparedStatement read =
                      connection.prepareStatement(
                          "SELECT i.*, l.amount FROM item i LEFT JOIN line l"
                              + " ON l.item_id = i.id AND l.amount > ? WHERE i.qty >= ?"
                              + " ORDER BY i.id, l.id");
                  PreparedStatement select =
                      connection.prepareStatement(
                          "INSERT INTO line SELECT id + ?, item_id, ? FROM line WHERE id = ?")) {
                for (int run = 0; run < 3; run++) {
                  update.setInt(1, 30 + run);
                  update.setString(2, "u" + run);
                  update.setInt(3, 2);
                  update.setInt(4, -1);
                  transcript.line("update " + update.executeUpdate());
                  for (int i = 0; i < 2; i++) {
                    insert.setInt(3 * i + 1, 100 + 10 * run + i);
                    insert.setString(3 * i + 2, "i" + run);
                    insert.setInt(3 * i + 3, run);
                  }
                  transcript.line("insert " + insert.executeUpdate());
                  select.setInt(1, 1000 + run);
                  select.setInt(2, run);
                  select.setInt(3, 1);
                  transcript.line("select " + select.executeUpdate());
                  read.setInt(1, 5);
                  read.setInt(2, run);
                  transcript.rows(read.executeQuery());
                }
              }
            });
  }

  @OnEach
  @DisplayName("31 question marks that are no parameters")
  void questionMarks(Place place) throws SQLException {
    List<String> texts =
        switch (place.kind()) {
          case POSTGRESQL ->
              List.of(
                  "SELECT name || '?' FROM item WHERE id = ? /* ? */",
                  "UPDATE item SET name = $$what?$$ WHERE id = ?",
                  "UPDATE item SET name = $a$wh$$at?$a$ WHERE id = ? -- ?",
                  "SELECT '{\"a\":1}'::jsonb ?? 'a', id FROM item WHERE id = ?",
                  "SELECT '{\"a\":1}'::jsonb ??| ARRAY['a'], id FROM item WHERE id = ?",
                  "SELECT '{\"a\":1}'::jsonb @?? '$.a', id FROM item WHERE id = ?",
                  "SELECT E'it\\'s ?', id FROM item WHERE id = ?",
                  "SELECT id AS \"what?\" FROM item WHERE id = ?");
          case MARIADB, MYSQL ->
              List.of(
                  "SELECT CONCAT(name, '?') FROM item WHERE id = ? /* ? */",
                  "UPDATE item SET name = \"what?\" WHERE id = ? # ?",
                  "UPDATE item SET name = 'it\\'s?' WHERE id = ? -- ?",
                  "SELECT id AS `what?` FROM item WHERE id = ?");
          case H2, SQLITE ->
              List.of(
                  "SELECT name || '?' FROM item WHERE id = ? /* ? */",
                  "UPDATE item SET name = 'it''s?' WHERE id = ? -- ?",
                  "SELECT id AS \"what?\" FROM item WHERE id = ?");
        };
    place
        .shop()
        .run(
            (connection, transcript) -> {
              for (String sql : texts) {
                transcript.step(
                    sql,
                    () -> {
                      try (PreparedStatement statement = connection.prepareStatement(sql)) {
                        transcript.parameters(statement.getParameterMetaData());
                        statement.setInt(1, 2);
                        transcript.results(statement, statement.execute());
                      }
                    });
              }
              try (Statement statement = connection.createStatement()) {
                transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
              }
            });
  }

  @OnEach
  @DisplayName("32 ParameterMetaData")
  void parameterMetaData(Place place) throws SQLException {
    place
        .shop()
        .run(
            (connection, transcript) -> {
              for (String sql :
                  List.of(
                      "INSERT INTO item VALUES (?, ?, ?)",
                      "INSERT INTO item (name, id) VALUES (?, ?), (?, ?)",
                      "UPDATE item SET qty = ? WHERE name = ?",
                      "DELETE FROM item WHERE id = ?",
                      "SELECT * FROM item WHERE name = ? AND qty > ?")) {
                for (int run = 0; run < 2; run++) {
                  transcript.step(
                      run + sql,
                      () -> {
                        try (PreparedStatement statement = connection.prepareStatement(sql)) {
                          transcript.parameters(statement.getParameterMetaData());
                          int count = statement.getParameterMetaData().getParameterCount();
                          for (int i = 1; i <= count; i++) {
                            statement.setNull(i, java.sql.Types.INTEGER);
                          }
                          transcript.step("execute", statement::execute);
                          transcript.parameters(statement.getParameterMetaData());
                          transcript.wrong("beyond", () -> statement.setInt(count + 1, 1));
                          transcript.wrong("zero", () -> statement.setInt(0, 1));
                        }
                      });
                }
              }
            });
  }

  @OnEach
  @DisplayName("58 hints, executable comments and sqlcommenter's stay, byte by byte")
  void comments(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                "/*+ SeqScan(item) */ SELECT * FROM item ORDER BY id",
                "SELECT /*+ NO_INDEX(item) */ id FROM item ORDER BY id",
                "SELECT /*! STRAIGHT_JOIN */ id FROM item ORDER BY id",
                "SELECT id FROM item WHERE id = 1 /*!99999 AND nosuch = 1 */",
                "SELECT id FROM item ORDER BY id /*controller='a',action='b'*/",
                "-- a line\nUPDATE item /* between */ SET qty = 1 -- the end\nWHERE id = 1",
                "UPDATE item SET qty = 2 WHERE id = 1 -- no end of line",
                "INSERT /* x */ INTO item /* y */ VALUES /* z */ (90, 'c', 1 /* w */) /* v */",
                "SELECT id\tFROM\n  item\r\nORDER BY id");
    assertThat(watched.events(Event.Gap.class)).allMatch(gap -> gap.transaction() != 0);
    if (place.is(ServerKind.POSTGRESQL)) {
      sentAsItStands(watched);
    }
  }

  /** What the server got, as the server reports it. */
  private static void sentAsItStands(TestDatabase watched) throws SQLException {
    String sql =
        "/*+ hint */ SELECT id, query FROM item, pg_stat_activity"
            + " WHERE pid = pg_backend_pid() AND id = 1 /*key='v'*/";
    try (Connection connection = watched.watched();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      assertThat(row.next()).isTrue();
      assertThat(
              row.getString(2)
                  .replace(", item.\"id\" as txw_rid, item.xmin::pg_catalog.text as txw_wl", ""))
          .isEqualTo(sql);
    }
  }

  @OnEach
  @DisplayName("60 what cannot be read goes to the DBMS as it is, and what the DBMS refuses is its")
  void failOpen(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                "SELEKT * FROM item",
                "UPDATE item SET",
                "SELECT * FROM item WHERE (id = 1",
                "SELECT 'no end FROM item",
                "FROBNICATE the item",
                place.is(ServerKind.SQLITE)
                    ? "NOTHING"
                    : "", // its driver loses count of an empty one
                "SELECT * FROM item ORDER BY id");
    // Of a text that the DBMS refuses too, nothing remained unseen.
    assertThat(watched.events(Event.Gap.class)).isEmpty();
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("60 a session that reads quotes in another way goes unseen from then on")
  void anotherLexis(Place place) throws SQLException {
    boolean postgres = place.is(ServerKind.POSTGRESQL);
    TestDatabase watched =
        place
            .shop()
            .run(
                postgres
                    ? "SET standard_conforming_strings = off"
                    : "SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'",
                postgres
                    ? "UPDATE item SET name = 'it\\'s, qty = 7 --' WHERE id = 1"
                    : "UPDATE \"item\" SET name = 'it\\', qty = 7 WHERE id = 1 -- '",
                "SELECT * FROM item ORDER BY id",
                postgres ? "SELECT 'a\\'b'" : "SELECT \"name\" FROM item ORDER BY id");
    assertThat(watched.events(Event.Gap.class))
        .extracting(Event.Gap::reason)
        .containsOnly(GapReason.NOT_UNDERSTOOD);
  }

  @OnEach({ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("60 a mode that changes no quotes, or none any more, changes nothing")
  void theSameLexis(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                "SET SESSION sql_mode = 'ANSI_QUOTES'",
                "SET SESSION sql_mode = 'STRICT_TRANS_TABLES'",
                "UPDATE item SET qty = 7 WHERE id = 1",
                "SELECT * FROM item ORDER BY id");
    assertThat(watched.events(Event.Gap.class))
        .extracting(Event.Gap::reason)
        .doesNotContain(GapReason.NOT_UNDERSTOOD);
  }
}
