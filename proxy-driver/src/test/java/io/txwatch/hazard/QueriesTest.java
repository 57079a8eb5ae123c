package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.jdbc.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

/** Queries whose result rows are not rows of tables: a further column would change them. */
class QueriesTest {

  /** Of each query either the rows were seen, or it was counted that they were not. */
  private static void nothingIsLost(TestDatabase watched) {
    List<Long> counted =
        watched.events(Event.Gap.class).stream().map(Event.Gap::transaction).toList();
    assertThat(watched.statements())
        .filteredOn(s -> s.succeeded() && s.rows().isEmpty() && !findsNothing(s.sql()))
        .allSatisfy(s -> assertThat(counted).as(s.sql()).contains(s.transaction()));
  }

  /** True of the queries here that no row answers, so that there is none to be seen. */
  private static boolean findsNothing(String sql) {
    return sql.contains("WHERE id < ?") || sql.equals("SELECT SUM(qty) FROM item WHERE id > ?");
  }

  @OnEach
  @DisplayName("5 DISTINCT")
  void distinct(Place place) throws SQLException {
    nothingIsLost(
        place
            .shop()
            .run(
                "SELECT DISTINCT qty FROM item ORDER BY qty",
                "SELECT DISTINCT * FROM item ORDER BY id",
                "SELECT DISTINCT i.qty, l.item_id FROM item i, line l ORDER BY 1, 2",
                "SELECT COUNT(DISTINCT qty) FROM item",
                "SELECT DISTINCT ON (qty) id, qty FROM item ORDER BY qty, id",
                "SELECT * FROM (SELECT DISTINCT qty FROM item) t ORDER BY qty"));
  }

  @OnEach
  @DisplayName("6 GROUP BY and HAVING")
  void groups(Place place) throws SQLException {
    nothingIsLost(
        place
            .shop()
            .run(
                "SELECT item_id, SUM(amount) FROM line GROUP BY item_id ORDER BY item_id",
                "SELECT item_id FROM line GROUP BY item_id HAVING COUNT(*) > 1",
                "SELECT COUNT(*) FROM line HAVING COUNT(*) > 1",
                "SELECT qty, COUNT(*) AS n, MIN(name), MAX(name) FROM item GROUP BY qty ORDER BY n",
                "SELECT qty / 10, COUNT(*) FROM item GROUP BY qty / 10 ORDER BY 1",
                "SELECT i.name, SUM(l.amount) FROM item i JOIN line l ON l.item_id = i.id"
                    + " GROUP BY i.name ORDER BY 1",
                "SELECT item_id, SUM(amount) FROM line GROUP BY item_id WITH ROLLUP",
                "SELECT item_id, SUM(amount) FROM line GROUP BY ROLLUP (item_id) ORDER BY 1, 2"));
    // No row behind it: there is nothing to see, and nothing is missed.
    place.shop().run("SELECT item_id FROM line WHERE id < 0 GROUP BY item_id");
  }

  @OnEach(rewrittenOnly = true)
  @DisplayName("7 aggregates and window functions")
  void aggregates(Place place) throws SQLException {
    nothingIsLost(
        place
            .shop()
            .run(
                "SELECT COUNT(*) FROM item",
                "SELECT MAX(qty), MIN(name), AVG(qty) FROM item",
                "SELECT COUNT(*), COUNT(name) FROM item WHERE qty = 20",
                "SELECT SUM(qty) FILTER (WHERE id > 1) FROM item",
                "SELECT id, SUM(qty) OVER (ORDER BY id) FROM item ORDER BY id",
                "SELECT id, ROW_NUMBER() OVER (PARTITION BY qty ORDER BY id) FROM item ORDER BY id",
                "SELECT id, RANK() OVER w FROM item WINDOW w AS (ORDER BY qty) ORDER BY id",
                "SELECT qty, SUM(COUNT(*)) OVER (ORDER BY qty) FROM item GROUP BY qty ORDER BY qty",
                "SELECT MAX(i.qty) - MIN(l.amount) FROM item i, line l"));
    // No row behind it: there is nothing to see, and nothing is missed.
    place.shop().run("SELECT SUM(qty) FROM item WHERE id > 99");
  }

  @OnEach
  @DisplayName("8 UNION, INTERSECT, EXCEPT")
  void setOperations(Place place) throws SQLException {
    nothingIsLost(
        place
            .shop()
            .run(
                "SELECT id FROM item UNION SELECT item_id FROM line ORDER BY id",
                "SELECT qty FROM item UNION ALL SELECT amount FROM line ORDER BY 1",
                "SELECT * FROM item UNION ALL SELECT * FROM item ORDER BY 1",
                "SELECT * FROM item UNION SELECT * FROM item ORDER BY 1",
                "SELECT id FROM item INTERSECT SELECT item_id FROM line ORDER BY id",
                "SELECT id FROM item EXCEPT SELECT item_id FROM line ORDER BY id",
                "(SELECT id FROM item WHERE id = 1) UNION ALL (SELECT id FROM line WHERE id = 3)",
                "SELECT id, name FROM item UNION ALL SELECT 9, 'x' ORDER BY 1",
                "SELECT t.id FROM (SELECT id FROM item UNION SELECT id FROM line) t ORDER BY 1"));
  }

  @OnEach(rewrittenOnly = true)
  @DisplayName("9 subqueries in IN, EXISTS, scalar, row comparison")
  void subqueries(Place place) throws SQLException {
    nothingIsLost(
        place
            .shop()
            .run(
                "SELECT id FROM item WHERE id IN (SELECT item_id FROM line) ORDER BY id",
                "SELECT id FROM item i WHERE EXISTS (SELECT * FROM line l WHERE l.item_id = i.id)"
                    + " ORDER BY id",
                "SELECT id FROM item i WHERE NOT EXISTS (SELECT 1 FROM line WHERE item_id = i.id)",
                "SELECT id, (SELECT MAX(amount) FROM line WHERE item_id = item.id) FROM item"
                    + " ORDER BY id",
                "SELECT (SELECT COUNT(*) FROM line) AS n",
                "SELECT id FROM item WHERE (id, qty) = (SELECT id, qty FROM item WHERE id = 2)",
                "SELECT id FROM item WHERE (id, qty) IN (SELECT item_id, 10 FROM line)",
                "SELECT id FROM item WHERE qty > ALL (SELECT amount FROM line) ORDER BY id",
                "SELECT id FROM item ORDER BY (SELECT COUNT(*) FROM line WHERE item_id = item.id),"
                    + " id",
                "UPDATE item SET qty = (SELECT MAX(amount) FROM line) WHERE id = 1",
                "DELETE FROM line WHERE item_id IN (SELECT id FROM item WHERE qty > 10)"));
  }
}
