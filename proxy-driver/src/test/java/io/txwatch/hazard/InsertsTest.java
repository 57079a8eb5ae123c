package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowAccess;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.servers.ServerKind;
import io.txwatch.settings.Setting;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/** INSERT in its shapes: the values go where they went, and each new row has an id of its own. */
class InsertsTest {

  /** The rows that a query reads through a watched connection. */
  private static List<RowAccess> read(TestDatabase watched, String sql) throws SQLException {
    try (Connection connection = watched.watched();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        assertThat(rows.getRow()).isNotNegative();
      }
    }
    List<Event.StatementExecuted> statements = watched.statements();
    return statements.get(statements.size() - 1).rows();
  }

  @OnEach(rewrittenOnly = true)
  @DisplayName("15 INSERT without a column list")
  void withoutColumnList(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                "INSERT INTO item VALUES (4, 'fig', 1)",
                "INSERT INTO item VALUES (5, NULL, 1), (6, 'kiwi', 2)",
                "INSERT INTO item VALUES (7, DEFAULT, 3)",
                "INSERT INTO item VALUES (8, 'few')",
                "INSERT INTO item VALUES (9, 'many', 1, 2)",
                "INSERT INTO item VALUES (10, 'more', 1, 2, 'x')",
                "INSERT INTO item () VALUES ()",
                "INSERT INTO item DEFAULT VALUES",
                "INSERT INTO item SET id = 12, name = 'set'",
                "SELECT * FROM item ORDER BY id");
    assertThat(read(watched, "SELECT * FROM item WHERE id = 4"))
        .singleElement()
        .satisfies(row -> assertThat(row.writers().size()).isEqualTo(1));
  }

  @OnEach(rewrittenOnly = true)
  @DisplayName("16 INSERT … SELECT *")
  void selectStar(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shopWith("CREATE TABLE copied (id INT PRIMARY KEY, name VARCHAR(20), qty INT)")
            .run(
                "INSERT INTO copied SELECT * FROM item",
                "INSERT INTO copied (id, name, qty) SELECT i.* FROM item i WHERE id > 99",
                "INSERT INTO copied SELECT i.id + 10, i.name, i.qty FROM item i",
                "INSERT INTO copied SELECT * FROM (SELECT id + 20, name, qty FROM item) t",
                "INSERT INTO copied SELECT DISTINCT id + 30, name, qty FROM item WHERE id = 1",
                "INSERT INTO copied SELECT 40, 'u', 1 UNION SELECT 40, 'u', 1",
                "INSERT INTO copied SELECT * FROM item, line",
                "INSERT INTO copied SELECT * FROM line",
                "SELECT * FROM copied ORDER BY id");
    List<RowAccess> originals = read(watched, "SELECT * FROM item ORDER BY id");
    List<RowAccess> copies = read(watched, "SELECT * FROM copied WHERE id < 10 ORDER BY id");
    assertThat(copies).hasSameSizeAs(originals).isNotEmpty();
    assertThat(copies).extracting(RowAccess::row).doesNotHaveDuplicates();
    if (place.isPrepared()) { // else the key is the id
      assertThat(copies)
          .extracting(RowAccess::row)
          .doesNotContainAnyElementsOf(originals.stream().map(RowAccess::row).toList());
    }
    assertThat(copies).allMatch(copy -> copy.writers().size() == 1);
  }

  @OnEach
  @DisplayName("17 tables made from tables, and while running")
  void tablesFromTables(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                "CREATE TABLE made AS SELECT * FROM item",
                "SELECT * FROM made ORDER BY id",
                "INSERT INTO made VALUES (50, 'new', 5)",
                "CREATE TABLE alike (LIKE item)",
                "CREATE TABLE alike LIKE item",
                "INSERT INTO alike VALUES (60, 'new', 6)",
                "SELECT * FROM alike",
                "CREATE TEMPORARY TABLE fleeting AS SELECT id, name FROM item",
                "SELECT * FROM fleeting ORDER BY id",
                "CREATE VIEW seen AS SELECT * FROM item",
                "SELECT * FROM seen ORDER BY id",
                "DROP VIEW seen",
                "CREATE TABLE fresh (a INT PRIMARY KEY, b INT)",
                "INSERT INTO fresh VALUES (1, 2)",
                "UPDATE fresh SET b = 3",
                "SELECT * FROM fresh",
                "ALTER TABLE fresh ADD COLUMN c INT",
                "INSERT INTO fresh VALUES (2, 2, 2)",
                "SELECT * FROM fresh ORDER BY a",
                "DROP TABLE fresh",
                "SELECT * FROM fresh");
    assertThat(
            watched.events(Event.Gap.class).stream()
                .anyMatch(gap -> gap.reason() == GapReason.NOT_PREPARED))
        .isEqualTo(place.isPrepared());
  }

  @OnEach(rewrittenOnly = true)
  @DisplayName("17 a table made while running is prepared, if that is asked for")
  void preparedWhileRunning(Place place) throws SQLException {
    Twins twins = place.shop();
    TestDatabase watched = twins.watched();
    try (Connection connection =
            watched.watched(watched.raw(), twins.settings().with(Setting.PREPARE, "auto"));
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE fresh (a INT PRIMARY KEY, b INT)");
      assertThat(statement.executeUpdate("INSERT INTO fresh VALUES (1, 2), (2, 3)")).isEqualTo(2);
      try (ResultSet rows = statement.executeQuery("SELECT * FROM fresh ORDER BY a")) {
        assertThat(rows.getMetaData().getColumnCount()).isEqualTo(2);
        while (rows.next()) {
          assertThat(rows.getInt(2)).isEqualTo(rows.getInt(1) + 1);
        }
      }
    }
    List<Event.StatementExecuted> statements = watched.statements();
    assertThat(statements.get(statements.size() - 1).rows()).hasSize(2);
  }

  @OnEach(rewrittenOnly = true)
  @DisplayName("18 several rows in VALUES have a row id each")
  void severalRows(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                "INSERT INTO item (id, qty) VALUES (11, 1), (12, 2), (13, 3)",
                "INSERT INTO item (id) VALUES (14), (14)",
                "SELECT * FROM item ORDER BY id");
    assertThat(read(watched, "SELECT * FROM item WHERE id > 10 ORDER BY id"))
        .hasSize(3)
        .extracting(RowAccess::row)
        .doesNotHaveDuplicates();
  }

  @OnEach(ServerKind.POSTGRESQL)
  @DisplayName("61 COPY")
  void copy(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                "COPY item (id, name) TO '/dev/null'",
                "COPY (SELECT * FROM item) TO '/dev/null'",
                "COPY item TO '/dev/null'",
                "COPY item FROM '/nosuch/file'",
                "SELECT * FROM item ORDER BY id");
    assertThat(watched.events(Event.Gap.class))
        .anySatisfy(gap -> assertThat(gap.reason()).isEqualTo(GapReason.OPAQUE));
  }

  @OnEach({ServerKind.MARIADB, ServerKind.MYSQL, ServerKind.H2})
  @DisplayName("61 LOAD DATA and its like")
  void load(Place place) throws SQLException {
    place
        .shop()
        .run(
            "LOAD DATA INFILE '/nosuch/file' INTO TABLE item",
            "INSERT INTO item SELECT * FROM CSVREAD('/nosuch/file')",
            "SELECT * FROM item ORDER BY id");
  }
}
