package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Transcript;
import io.txwatch.servers.ServerKind;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/** Results in all their forms: of calls, several, scrolled, written through, cut short. */
class ResultsTest {

  @OnEach(ServerKind.POSTGRESQL)
  @DisplayName("36 calls on PostgreSQL")
  void callsOnPostgres(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shopWith(
                "CREATE FUNCTION twice(n INT) RETURNS INT AS 'SELECT n * 2' LANGUAGE sql",
                "CREATE PROCEDURE raise(delta INT) LANGUAGE sql"
                    + " AS 'UPDATE item SET qty = qty + delta'",
                "CREATE FUNCTION items() RETURNS SETOF item LANGUAGE sql AS"
                    + " 'SELECT * FROM item ORDER BY id'",
                "CREATE FUNCTION opened() RETURNS refcursor LANGUAGE plpgsql AS"
                    + " 'DECLARE c refcursor; BEGIN"
                    + " OPEN c FOR SELECT * FROM item ORDER BY id; RETURN c; END'")
            .run(
                (connection, transcript) -> {
                  connection.setAutoCommit(false);
                  try (CallableStatement call = connection.prepareCall("{? = call twice(?)}")) {
                    call.registerOutParameter(1, Types.INTEGER);
                    call.setInt(2, 21);
                    transcript.line("result " + call.execute() + " " + call.getInt(1));
                  }
                  try (CallableStatement call = connection.prepareCall("CALL raise(?)")) {
                    call.setInt(1, 1);
                    transcript.line("result " + call.execute() + " " + call.getUpdateCount());
                  }
                  try (CallableStatement call = connection.prepareCall("{call twice(?)}")) {
                    call.setInt(1, 4);
                    transcript.results(call, call.execute());
                  }
                  try (CallableStatement call = connection.prepareCall("{? = call opened()}")) {
                    call.registerOutParameter(1, Types.OTHER);
                    call.execute();
                    transcript.rows((ResultSet) call.getObject(1));
                  }
                  transcript.step(
                      "no such", () -> connection.prepareCall("{call nosuch()}").execute());
                  connection.rollback();
                });
    assertThat(watched.events(Event.Gap.class))
        .anySatisfy(gap -> assertThat(gap.reason()).isEqualTo(GapReason.OPAQUE));
  }

  @OnEach({ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("36, 37 calls on MySQL and MariaDB: out parameters, and several results of a call")
  void callsOnMySql(Place place) throws SQLException {
    place
        .shopWith(
            "CREATE PROCEDURE twice(IN n INT, OUT r INT) SET r = n * 2",
            "CREATE PROCEDURE both_tables(IN n INT) BEGIN SELECT * FROM item ORDER BY id;"
                + " UPDATE item SET qty = qty + n; SELECT * FROM line ORDER BY id; END",
            "CREATE FUNCTION half(n INT) RETURNS INT DETERMINISTIC RETURN n DIV 2")
        .run(
            (connection, transcript) -> {
              try (CallableStatement call = connection.prepareCall("{call twice(?, ?)}")) {
                call.setInt(1, 21);
                call.registerOutParameter(2, Types.INTEGER);
                transcript.line("result " + call.execute() + " " + call.getInt(2));
              }
              try (CallableStatement call = connection.prepareCall("{? = call half(?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setInt(2, 21);
                call.execute();
                transcript.line("half " + call.getInt(1));
              }
              try (CallableStatement call = connection.prepareCall("CALL both_tables(?)")) {
                call.setInt(1, 1);
                transcript.results(call, call.execute());
              }
              try (Statement statement = connection.createStatement()) {
                transcript.results(statement, statement.execute("CALL both_tables(2)"));
              }
            });
  }

  @OnEach(ServerKind.H2)
  @DisplayName("36 calls on H2")
  void callsOnH2(Place place) throws SQLException {
    place
        .shopWith("CREATE ALIAS absolute FOR \"java.lang.Math.abs(int)\"")
        .run(
            (connection, transcript) -> {
              try (CallableStatement call = connection.prepareCall("{call absolute(?)}")) {
                call.setInt(1, -3);
                transcript.results(call, call.execute());
              }
              try (CallableStatement call = connection.prepareCall("{? = call absolute(?)}")) {
                call.registerOutParameter(1, Types.INTEGER);
                call.setInt(2, -3);
                call.execute();
                transcript.line("value " + call.getInt(1));
              }
            });
  }

  @OnEach
  @DisplayName("36 triggers")
  void triggers(Place place) throws SQLException {
    String trigger =
        switch (place.kind()) {
          case POSTGRESQL ->
              "CREATE TRIGGER counts AFTER INSERT ON item FOR EACH ROW EXECUTE FUNCTION counts()";
          case MARIADB, MYSQL ->
              "CREATE TRIGGER counts AFTER INSERT ON item FOR EACH ROW"
                  + " UPDATE line SET amount = amount + 1";
          case H2 -> "CREATE TABLE no_trigger (a INT)";
          case SQLITE ->
              "CREATE TRIGGER counts AFTER INSERT ON item BEGIN"
                  + " UPDATE line SET amount = amount + 1; END";
        };
    String function =
        place.is(ServerKind.POSTGRESQL)
            ? "CREATE FUNCTION counts() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN"
                + " UPDATE line SET amount = amount + 1; RETURN NEW; END'"
            : "CREATE TABLE no_function (a INT)";
    place
        .shopWith(function, trigger)
        .run(
            "INSERT INTO item VALUES (4, 'd', 4), (5, 'e', 5)",
            "SELECT * FROM line ORDER BY id",
            "SELECT * FROM item ORDER BY id");
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("37 several results: the right columns of each")
  void severalResults(Place place) throws SQLException {
    place
        .shop()
        .serve(
            place.isMySqlLike() ? "allowMultiQueries=true" : "",
            (connections, transcript) -> {
              String sql =
                  "SELECT * FROM item ORDER BY id; UPDATE item SET qty = 0 WHERE id = 1;"
                      + " SELECT id FROM line ORDER BY id; SELECT l.*, i.* FROM line l, item i"
                      + " WHERE l.item_id = i.id ORDER BY l.id";
              try (Connection connection = connections.open();
                  Statement statement = connection.createStatement()) {
                transcript.results(statement, statement.execute(sql));
                transcript.line("kept " + statement.execute(sql));
                ResultSet first = statement.getResultSet();
                transcript.step(
                    "keep",
                    () -> {
                      transcript.line(
                          "more " + statement.getMoreResults(Statement.KEEP_CURRENT_RESULT));
                      transcript.line("count " + statement.getUpdateCount());
                      transcript.rows(first);
                    });
                transcript.step(
                    "close all",
                    () ->
                        transcript.line(
                            "more " + statement.getMoreResults(Statement.CLOSE_ALL_RESULTS)));
              }
            });
  }

  private static final List<Integer> SCROLLED =
      List.of(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.TYPE_SCROLL_SENSITIVE);

  @OnEach
  @DisplayName("38 results that are scrolled, or held over a commit")
  void scrolled(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                (connection, transcript) -> {
                  for (int type : SCROLLED) {
                    transcript.step(
                        "scrolled " + type,
                        () -> {
                          try (PreparedStatement statement =
                              connection.prepareStatement(
                                  "SELECT * FROM item ORDER BY id",
                                  type,
                                  ResultSet.CONCUR_READ_ONLY)) {
                            scroll(statement.executeQuery(), transcript);
                          }
                        });
                  }
                  connection.setAutoCommit(false);
                  for (int holdability :
                      new int[] {
                        ResultSet.HOLD_CURSORS_OVER_COMMIT, ResultSet.CLOSE_CURSORS_AT_COMMIT
                      }) {
                    transcript.step(
                        "held " + holdability,
                        () -> {
                          try (Statement statement =
                                  connection.createStatement(
                                      ResultSet.TYPE_FORWARD_ONLY,
                                      ResultSet.CONCUR_READ_ONLY,
                                      holdability);
                              ResultSet rows =
                                  statement.executeQuery("SELECT * FROM item ORDER BY id")) {
                            rows.next();
                            connection.commit();
                            transcript.line("closed " + rows.isClosed());
                            transcript.line("next " + rows.next() + " " + rows.getInt("qty"));
                          }
                        });
                  }
                  connection.rollback();
                });
    if (!place.is(ServerKind.SQLITE)) {
      // However often the application comes back to a row, it has read it once.
      assertThat(watched.statements().get(0).rows()).hasSize(3);
    }
  }

  private static void scroll(ResultSet rows, Transcript transcript) throws SQLException {
    transcript.line("last " + rows.last() + " " + rows.getRow() + " " + rows.getString(2));
    transcript.line("previous " + rows.previous() + " " + rows.getString("name"));
    transcript.line("absolute " + rows.absolute(1) + " " + rows.getObject("qty"));
    transcript.line("relative " + rows.relative(1) + " " + rows.getObject(3));
    transcript.line("negative " + rows.absolute(-2) + " " + rows.getRow());
    transcript.line("beyond " + rows.absolute(9) + " " + rows.isAfterLast());
    rows.beforeFirst();
    transcript.line("before " + rows.isBeforeFirst());
    transcript.wrong("before the first", () -> rows.getString(1));
    transcript.rows(rows);
  }

  @OnEach
  @DisplayName("38 results that rows are written through")
  void updatable(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                (connection, transcript) -> {
                  for (String sql :
                      List.of(
                          "SELECT * FROM item ORDER BY id",
                          "SELECT id, name, qty FROM item ORDER BY id",
                          "SELECT i.* FROM item i",
                          "SELECT name FROM item")) {
                    transcript.step(sql, () -> writeThrough(connection, transcript, sql));
                  }
                  try (Statement statement = connection.createStatement()) {
                    transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                  }
                });
    if (!place.is(ServerKind.SQLITE)) {
      assertThat(watched.events(Event.Gap.class))
          .anySatisfy(gap -> assertThat(gap.detail()).contains("through a result"));
    }
  }

  private static void writeThrough(Connection connection, Transcript transcript, String sql)
      throws SQLException {
    try (Statement statement =
            connection.createStatement(
                ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
        ResultSet rows = statement.executeQuery(sql)) {
      transcript.line("concurrency " + rows.getConcurrency());
      transcript.line("columns " + rows.getMetaData().getColumnCount());
      rows.next();
      rows.updateString("name", "via");
      rows.updateRow();
      transcript.line("updated " + rows.rowUpdated() + " " + rows.getString("name"));
      rows.next();
      rows.updateString("name", "undone");
      rows.cancelRowUpdates();
      transcript.line("cancelled " + rows.getString("name"));
      rows.moveToInsertRow();
      rows.updateInt("id", 70 + sql.length());
      rows.updateString("name", "put");
      rows.updateInt(3, 7);
      rows.insertRow();
      rows.moveToCurrentRow();
      transcript.line("current " + rows.getString("name"));
      rows.last();
      rows.deleteRow();
      transcript.wrong("a hidden name", () -> rows.updateString("txw_wl", "x"));
    }
  }

  @OnEach
  @DisplayName("59 limits, fetch sizes, streaming")
  void limits(Place place) throws SQLException {
    place
        .shop()
        .run(
            (connection, transcript) -> {
              connection.setAutoCommit(false);
              for (String sql :
                  List.of(
                      "SELECT * FROM item ORDER BY id",
                      "SELECT DISTINCT qty FROM item ORDER BY qty",
                      "UPDATE item SET qty = qty + 1",
                      "DELETE FROM line")) {
                for (int max : new int[] {0, 2}) {
                  transcript.step(
                      max + " " + sql,
                      () -> {
                        try (PreparedStatement statement = connection.prepareStatement(sql)) {
                          statement.setMaxRows(max);
                          statement.setFetchSize(1);
                          transcript.results(statement, statement.execute());
                          transcript.line(statement.getMaxRows() + " " + statement.getFetchSize());
                          statement.setMaxRows(0);
                          transcript.results(statement, statement.execute());
                        }
                      });
                }
              }
              if (place.is(ServerKind.MYSQL)) {
                try (Statement statement = connection.createStatement()) {
                  statement.setFetchSize(Integer.MIN_VALUE);
                  transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
                  ResultSet open = statement.executeQuery("SELECT * FROM item ORDER BY id");
                  open.next();
                  transcript.step(
                      "another beside a stream",
                      () -> {
                        try (Statement other = connection.createStatement()) {
                          transcript.rows(other.executeQuery("SELECT id FROM item"));
                        }
                      });
                  open.close();
                }
              }
              connection.rollback();
            });
  }
}
