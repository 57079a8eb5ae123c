package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowAccess;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.prepare.Preparation;
import io.txwatch.prepare.TablePlan;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;

/** Hidden columns stay hidden, wherever a star, a join or a view would show them. */
class ColumnsTest {

  @OnEach
  @DisplayName("1 SELECT *")
  void selectStar(Place place) throws SQLException {
    place
        .shop()
        .run(
            "SELECT * FROM item ORDER BY id",
            "SELECT i.* FROM item i ORDER BY i.id",
            "SELECT * FROM item i JOIN line l ON l.item_id = i.id ORDER BY l.id",
            "SELECT l.*, i.* FROM item i JOIN line l ON l.item_id = i.id ORDER BY l.id",
            "SELECT i.*, i.id FROM item i ORDER BY i.id",
            "SELECT 0 AS zero, item.*, 1 AS one FROM item ORDER BY id",
            "SELECT * FROM item, line WHERE item.id = line.item_id ORDER BY line.id");
  }

  @OnEach
  @DisplayName("2 ResultSetMetaData.getColumnCount")
  void columnCount(Place place) throws SQLException {
    place
        .shop()
        .run(
            (connection, transcript) -> {
              for (String sql :
                  List.of(
                      "SELECT * FROM item",
                      "SELECT id FROM item",
                      "SELECT i.*, l.amount FROM item i LEFT JOIN line l ON l.item_id = i.id")) {
                try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(sql)) {
                  transcript.line("columns " + rows.getMetaData().getColumnCount());
                  transcript.metaData(rows.getMetaData());
                }
              }
            });
  }

  @OnEach
  @DisplayName("3 the hidden columns by name")
  void byName(Place place) throws SQLException {
    place
        .shop()
        .run(
            (connection, transcript) -> {
              try (Statement statement = connection.createStatement();
                  ResultSet rows = statement.executeQuery("SELECT * FROM item ORDER BY id")) {
                rows.next();
                for (String name : List.of("txw_rid", "TXW_RID", "txw_wl", "Txw_Wl")) {
                  transcript.wrong("find", () -> rows.findColumn(name));
                  transcript.wrong("string", () -> rows.getString(name));
                  transcript.wrong("long", () -> rows.getLong(name));
                  transcript.wrong("object", () -> rows.getObject(name));
                }
                transcript.wrong("beyond", () -> rows.getObject(4));
                transcript.line("still " + rows.getString("name"));
              }
              for (String sql :
                  List.of("SELECT name FROM item ORDER BY id", "SELECT COUNT(*) AS n FROM item")) {
                transcript.step(
                    sql,
                    () -> {
                      try (Statement statement = connection.createStatement()) {
                        transcript.rows(statement.executeQuery(sql));
                      }
                    });
              }
            });
  }

  @OnEach
  @DisplayName("4 the application has a column of that name")
  void nameTaken(Place place) throws SQLException {
    TestDatabase database = TestDatabase.of(place.kind(), "CREATE TABLE item (id INT PRIMARY KEY)");
    try (Connection raw = DriverManager.getConnection(database.url)) {
      TestDatabase.execute(
          raw,
          "CREATE TABLE taken (id INT PRIMARY KEY, txw_rid VARCHAR(20))",
          "INSERT INTO taken VALUES (1, 'mine')");
      Preparation preparation = Products.preparation(raw, database.url, Duration.ofSeconds(5));
      if (preparation.isPossible()) {
        List<TablePlan> plans = preparation.planPrepare(List.of()).tables();
        assertThat(plans)
            .filteredOn(plan -> plan.decision() == TablePlan.Decision.LEFT_ALONE)
            .singleElement()
            .satisfies(plan -> assertThat(plan.note()).contains("txw_rid"));
      }
    }
    try (Connection watched = database.watched();
        Statement statement = watched.createStatement()) {
      try (ResultSet rows = statement.executeQuery("SELECT * FROM taken")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getMetaData().getColumnCount()).isEqualTo(2);
        assertThat(rows.getString("txw_rid")).isEqualTo("mine");
      }
      assertThat(statement.executeUpdate("UPDATE taken SET txw_rid = 'still mine'")).isEqualTo(1);
      String name = watched.getMetaData().storesUpperCaseIdentifiers() ? "TAKEN" : "taken";
      try (ResultSet columns = watched.getMetaData().getColumns(null, null, name, null)) {
        assertThat(columns.next()).isTrue();
        assertThat(columns.next()).isTrue();
        assertThat(columns.getString("COLUMN_NAME")).isEqualToIgnoringCase("txw_rid");
      }
    }
    if (place.isPrepared()) {
      assertThat(database.events(Event.Gap.class))
          .extracting(Event.Gap::reason)
          .contains(GapReason.NOT_PREPARED);
    }
  }

  @OnEach
  @DisplayName("10 derived tables and CTEs")
  void derivedTables(Place place) throws SQLException {
    place
        .shop()
        .run(
            "SELECT * FROM (SELECT * FROM item) t ORDER BY id",
            "SELECT t.id FROM (SELECT id, qty FROM item WHERE qty > 10) t ORDER BY t.id",
            "SELECT * FROM (SELECT id AS a FROM item) t CROSS JOIN (SELECT id AS b FROM line) u"
                + " ORDER BY a, b",
            "WITH c AS (SELECT id FROM item) SELECT * FROM c ORDER BY id",
            "WITH c AS (SELECT * FROM item), d AS (SELECT * FROM c WHERE id > 1)"
                + " SELECT c.*, d.id FROM c JOIN d ON d.id = c.id ORDER BY 1",
            "WITH item AS (SELECT 7 AS id) SELECT * FROM item",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)"
                + " SELECT * FROM n ORDER BY i",
            "SELECT o.id, t.n FROM item o JOIN (SELECT item_id, COUNT(*) AS n FROM line"
                + " GROUP BY item_id) t ON t.item_id = o.id ORDER BY o.id");
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("11 NATURAL JOIN")
  void naturalJoin(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                "SELECT * FROM item NATURAL JOIN line ORDER BY id",
                "SELECT id, name, amount FROM item NATURAL JOIN line ORDER BY id",
                "SELECT id FROM item NATURAL LEFT JOIN line ORDER BY id",
                "SELECT * FROM item JOIN line USING (id) ORDER BY id",
                "SELECT COUNT(*) FROM item NATURAL JOIN line",
                "SELECT x FROM (SELECT amount AS x FROM item NATURAL JOIN line) t ORDER BY x");
    // The hazard is a join over our columns, which finds nothing.
    try (Connection connection = watched.watched();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM item NATURAL JOIN line")) {
      assertThat(rows.next()).isTrue();
    }
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("11 chains of joins by name")
  void chainsOfJoins(Place place) throws SQLException {
    String odd = place.isMySqlLike() ? "`Odd`" : "\"Odd\"";
    List<String> statements = new ArrayList<>();
    String[] shown = {"*", "article.*, writer.name", "COUNT(*)", "name, title", "DISTINCT *"};
    for (String first : joins("author", "uid", "writer.uid = author.uid")) {
      for (String then : joins("article", "aid", "author.aid = article.aid")) {
        for (String what : shown) {
          String order = what.contains("COUNT") ? "" : " ORDER BY name, title, note";
          statements.add("SELECT " + what + " FROM writer " + first + " " + then + order);
        }
      }
    }
    statements.addAll(
        List.of(
            "SELECT * FROM author NATURAL JOIN article NATURAL JOIN writer ORDER BY 1, 2, 3, 4, 5",
            "SELECT * FROM article a NATURAL JOIN author b NATURAL JOIN writer c ORDER BY name, title",
            "SELECT a.*, c.* FROM article a NATURAL JOIN author b NATURAL JOIN writer c ORDER BY c.uid, a.aid",
            "SELECT * FROM writer NATURAL JOIN writer w NATURAL JOIN author ORDER BY name, note",
            "SELECT * FROM writer NATURAL JOIN author NATURAL JOIN article NATURAL JOIN "
                + odd
                + " ORDER BY name, title",
            "SELECT * FROM writer NATURAL JOIN author NATURAL JOIN "
                + odd
                + " o NATURAL JOIN article ORDER BY name, title",
            "SELECT * FROM (writer NATURAL JOIN author) NATURAL JOIN article ORDER BY name, title",
            "SELECT * FROM writer NATURAL JOIN (author NATURAL JOIN article) ORDER BY name, title",
            "SELECT * FROM (SELECT * FROM writer) w NATURAL JOIN author NATURAL JOIN article ORDER BY name, title",
            "SELECT * FROM writer NATURAL JOIN (SELECT * FROM author) a NATURAL JOIN article ORDER BY name, title",
            "SELECT * FROM writer, author NATURAL JOIN article NATURAL JOIN writer w ORDER BY 1, 2, 3, 4, 5, 6",
            "SELECT * FROM all_of NATURAL JOIN article ORDER BY name, title",
            "SELECT * FROM writer NATURAL JOIN all_of NATURAL JOIN article ORDER BY name, title",
            "SELECT name FROM writer WHERE EXISTS (SELECT * FROM author NATURAL JOIN article NATURAL JOIN writer w) ORDER BY name",
            "INSERT INTO target SELECT * FROM writer NATURAL JOIN author NATURAL JOIN article",
            "SELECT * FROM target ORDER BY 1, 2, 3",
            "CREATE VIEW joined AS SELECT * FROM writer NATURAL JOIN author NATURAL JOIN article",
            "SELECT * FROM joined ORDER BY 1, 2, 3",
            "SELECT * FROM writer CROSS JOIN (author JOIN article USING (aid)) ORDER BY name, note",
            "SELECT * FROM writer, (author CROSS JOIN article) ORDER BY name, note, title"));
    statements.add(
        "SELECT name FROM writer NATURAL JOIN author NATURAL JOIN article ORDER BY name, title FOR UPDATE");
    if (place.isMySqlLike()) {
      String chain = "writer NATURAL JOIN author NATURAL JOIN article";
      statements.add("UPDATE " + chain + " SET note = 'x' WHERE title = 'p'");
      statements.add("DELETE author FROM " + chain + " WHERE title = 'q'");
      statements.add("SELECT * FROM author ORDER BY 1, 2, 3");
    }
    place
        .of(
            "CREATE TABLE writer (name VARCHAR(9), uid INT PRIMARY KEY)",
            "CREATE TABLE author (note VARCHAR(9), aid INT, uid INT)",
            "CREATE TABLE article (title VARCHAR(9), aid INT PRIMARY KEY)",
            "CREATE TABLE "
                + odd
                + " ("
                + odd.replace("Odd", "the id")
                + " INT, uid INT, title VARCHAR(9))",
            "CREATE TABLE target (a VARCHAR(9), b VARCHAR(9), c VARCHAR(9), d VARCHAR(9), e VARCHAR(9))",
            "INSERT INTO writer VALUES ('a', 1), ('b', 2), ('c', 3)",
            "INSERT INTO author VALUES ('k', 1, 1), ('l', 2, 2), ('m', 2, 1), ('n', 9, 2)",
            "INSERT INTO article VALUES ('p', 1), ('q', 2), ('r', 3)",
            "INSERT INTO " + odd + " VALUES (1, 1, 'p'), (2, 2, 'q')",
            "CREATE VIEW all_of AS SELECT name, aid FROM writer JOIN author ON author.uid = writer.uid")
        .run(
            (connection, transcript) -> {
              try (Statement statement = connection.createStatement()) {
                for (String sql : statements) {
                  transcript.step(sql, () -> transcript.results(statement, statement.execute(sql)));
                }
              }
            });
  }

  private static List<String> joins(String table, String name, String on) {
    return List.of(
        "NATURAL JOIN " + table,
        "NATURAL LEFT JOIN " + table,
        "JOIN " + table + " USING (" + name + ")",
        "RIGHT JOIN " + table + " USING (" + name + ")",
        "LEFT JOIN " + table + " ON " + on,
        "RIGHT JOIN " + table + " ON " + on,
        "CROSS JOIN " + table);
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("11 NATURAL JOIN in a definition")
  void naturalJoinInADefinition(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                "CREATE VIEW joined_lines AS SELECT item.id, name, amount FROM item NATURAL JOIN line",
                "SELECT * FROM joined_lines ORDER BY id",
                "CREATE TABLE line_sums AS SELECT item.id, amount FROM item NATURAL JOIN line",
                "SELECT id, amount FROM line_sums ORDER BY id");
    // The hazard is a join over our columns, which finds nothing.
    try (Connection connection = watched.watched();
        Statement statement = connection.createStatement()) {
      for (String of : List.of("joined_lines", "line_sums")) {
        try (ResultSet rows = statement.executeQuery("SELECT id FROM " + of)) {
          assertThat(rows.next()).isTrue();
        }
      }
    }
  }

  /** H2 compares invisible columns, too. */
  @OnEach(ServerKind.H2)
  @DisplayName("11 NATURAL JOIN of two prepared tables")
  void naturalJoinOfTwoTables(Place place) throws SQLException {
    TestDatabase shop =
        place
            .shopWith("CREATE TABLE other (nothing INT)", "INSERT INTO other VALUES (1), (2)")
            .run(
                "SELECT * FROM item NATURAL JOIN line ORDER BY id",
                "SELECT l.*, item.name FROM item NATURAL JOIN line AS l WHERE l.id > 0 ORDER BY 1",
                "SELECT * FROM item NATURAL JOIN other ORDER BY id, nothing",
                "SELECT COUNT(*) FROM public.item NATURAL JOIN line",
                "SELECT name FROM item WHERE id IN (SELECT id FROM line a NATURAL JOIN line b)"
                    + " ORDER BY id",
                "SELECT * FROM line NATURAL JOIN (SELECT 1 AS id)",
                "SELECT 'a NATURAL JOIN line' FROM line",
                "SELECT * FROM item JOIN line USING (id)",
                "DELETE FROM item WHERE id IN (SELECT id FROM public.item NATURAL JOIN line)",
                "SELECT * FROM item ORDER BY id");
    try (Connection watched = shop.watched();
        Statement statement = watched.createStatement()) {
      int before = shop.events(Event.Gap.class).size();
      statement.execute("SELECT * FROM item NATURAL JOIN line NATURAL JOIN other"); // sent as it is
      assertThat(shop.events(Event.Gap.class)).hasSize(before + 1);
    }
  }

  @OnEach(rewrittenOnly = true)
  @DisplayName("12 the null side of an outer join is no row")
  void outerJoin(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                "SELECT i.id, l.id FROM item i LEFT JOIN line l ON l.item_id = i.id ORDER BY 1, 2",
                "SELECT i.*, l.* FROM line l RIGHT JOIN item i ON l.item_id = i.id AND l.id > 99"
                    + " ORDER BY i.id",
                "SELECT * FROM item i FULL JOIN line l ON l.item_id = i.id AND i.id = 1"
                    + " ORDER BY i.id, l.id");
    Event.StatementExecuted right =
        watched.statements().stream()
            .filter(s -> s.sql().contains("RIGHT JOIN") && s.succeeded())
            .findFirst()
            .orElseThrow();
    assertThat(right.rows()).hasSize(3).allMatch(row -> row.table().equalsIgnoreCase("item"));
  }

  @OnEach(rewrittenOnly = true)
  @DisplayName("13 self join")
  void selfJoin(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shop()
            .run(
                "SELECT a.id, b.id FROM item a JOIN item b ON a.qty = b.qty AND a.id < b.id",
                "SELECT a.*, item.* FROM item, item a WHERE a.id = 1 AND item.id = 2");
    Set<Long> rows =
        watched.statements().get(0).rows().stream().map(RowAccess::row).collect(Collectors.toSet());
    assertThat(rows).hasSize(2);
  }

  @OnEach
  @DisplayName("14 views")
  void views(Place place) throws SQLException {
    TestDatabase watched =
        place
            .shopWith(
                "CREATE VIEW named AS SELECT id, name FROM item",
                "CREATE VIEW everything AS SELECT * FROM item",
                "CREATE VIEW joined AS SELECT i.id, l.amount FROM item i, line l"
                    + " WHERE l.item_id = i.id")
            .run(
                "SELECT * FROM named ORDER BY id",
                "SELECT * FROM everything ORDER BY id",
                "SELECT v.*, i.* FROM named v JOIN item i ON i.id = v.id ORDER BY 1",
                "SELECT id, amount FROM joined ORDER BY 1, 2",
                "SELECT COUNT(*) FROM joined",
                "UPDATE named SET name = 'fig' WHERE id = 2",
                "INSERT INTO named VALUES (9, 'plum')",
                "DELETE FROM named WHERE id = 9",
                "SELECT * FROM item ORDER BY id");
    // A view's rows are resolved to its tables' or counted, never taken for rows of its own.
    assertThat(watched.statements())
        .flatExtracting(Event.StatementExecuted::rows)
        .extracting(row -> row.table().toLowerCase(java.util.Locale.ROOT))
        .isSubsetOf("item", "line");
  }

  @OnEach(ServerKind.POSTGRESQL)
  @DisplayName("62 whole rows as values")
  void wholeRows(Place place) throws SQLException {
    place
        .shop()
        .run(
            "SELECT COUNT(i) FROM item i",
            "SELECT id FROM item WHERE item IS NOT NULL ORDER BY id",
            "SELECT (i).name FROM item i ORDER BY id",
            "SELECT (item).id FROM item ORDER BY 1",
            "SELECT item FROM item ORDER BY id",
            "SELECT row_to_json(q)::text FROM (SELECT * FROM item) q ORDER BY 1",
            "SELECT q FROM (SELECT id, name FROM item) q ORDER BY 1",
            "CREATE TABLE rows_of_item AS SELECT item FROM item",
            "SELECT item::text FROM rows_of_item ORDER BY 1");
  }
}
