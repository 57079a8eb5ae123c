package io.txwatch.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.prepare.TablePlan.Decision;
import io.txwatch.servers.ServerKind;
import java.sql.SQLException;
import java.util.List;
import org.h2.api.Trigger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that are left alone because something handles their rows as a whole, and is named. */
class DependentsTest {

  private static TablePlan plan(Shop shop, String table) throws SQLException {
    return shop.preparation().planPrepare(List.of(table)).tables().get(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CREATE VIEW v AS SELECT /* all */ * FROM t | the view v selects *",
        "CREATE VIEW v AS SELECT u.id FROM u NATURAL JOIN t | the view v selects *",
        "CREATE VIEW v AS SELECT id FROM u WHERE (id, q) IN t | the view v asks for its rows",
        "CREATE TRIGGER w AFTER INSERT ON u BEGIN INSERT INTO t VALUES (NEW.id, 'x'); END"
            + " | the trigger w inserts into it",
        "CREATE TRIGGER w AFTER INSERT ON u BEGIN REPLACE INTO t SELECT 1, 'x'; END"
            + " | the trigger w inserts into it",
        "CREATE TRIGGER w AFTER INSERT ON u BEGIN INSERT INTO log SELECT * FROM t; END"
            + " | the trigger w selects *",
        "CREATE TRIGGER w AFTER INSERT ON u WHEN NEW.id > 1 BEGIN DELETE FROM u WHERE (id, q) NOT IN"
            + " t; END | the trigger w asks for its rows",
        "CREATE VIRTUAL TABLE v USING fts5(q, content='t', content_rowid='id')"
            + " | the virtual table v has its columns",
      })
  void sqliteDependentsAreNamed(String ddl, String named) throws Exception {
    try (Shop shop = sqlite()) {
      shop.run(ddl);
      TablePlan plan = plan(shop, "t");
      assertThat(plan.decision()).isEqualTo(Decision.LEFT_ALONE);
      assertThat(plan.note()).contains(named);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE VIEW v AS SELECT id * 2 AS n, (SELECT count(*) FROM u) AS m FROM t",
        "CREATE TRIGGER w AFTER INSERT ON t BEGIN INSERT INTO log SELECT * FROM u; END",
        "CREATE TRIGGER w AFTER INSERT ON t BEGIN INSERT INTO u (id, q) VALUES (NEW.id * 2, 'x'); END",
      })
  void sqliteDependentsThatNameColumnsAreNoReason(String ddl) throws Exception {
    try (Shop shop = sqlite()) {
      shop.run(ddl);
      assertThat(shop.prepare("t").failed()).isEmpty();
      shop.run("INSERT INTO t (id, q) VALUES (1, 'a')");
    }
  }

  private static Shop sqlite() throws SQLException {
    Shop shop = Shop.empty(ServerKind.SQLITE);
    shop.run(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, q TEXT)",
        "CREATE TABLE u (id INTEGER PRIMARY KEY, q TEXT)",
        "CREATE TABLE log (id INTEGER, q TEXT)");
    return shop;
  }

  @ParameterizedTest
  @CsvSource({
    "DECLARE r ROW TYPE OF t; SELECT * INTO r FROM t LIMIT 1, true",
    "DECLARE r ROW TYPE OF `t`; SET r.id = 1, true",
    "DECLARE r TYPE OF t.id; SELECT id INTO r FROM t LIMIT 1, false",
    "FOR r IN (SELECT * FROM t) DO INSERT INTO u VALUES (r.id); END FOR, false",
  })
  void onMariaDbRowTypesOfTheTable(String body, boolean dependent) throws Exception {
    try (Shop shop = Shop.empty(ServerKind.MARIADB)) {
      shop.run(
          "CREATE TABLE t (id INT PRIMARY KEY)",
          "CREATE TABLE u (id INT PRIMARY KEY)",
          "INSERT INTO t VALUES (1)",
          "CREATE PROCEDURE p() BEGIN " + body + "; END");
      assertThat(plan(shop, "t").decision())
          .isEqualTo(dependent ? Decision.LEFT_ALONE : Decision.CHANGE);
      shop.prepare();
      shop.run("CALL p()");
    }
  }

  @Test
  void onMariaDbSystemVersionedTables() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.MARIADB)) {
      shop.run("CREATE TABLE t (id INT PRIMARY KEY) WITH SYSTEM VERSIONING");
      assertThat(plan(shop, "t").note()).contains("it is system-versioned");
    }
  }

  @Test
  void onH2TriggersThatAreGivenRowsAsArrays() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.H2)) {
      shop.run(
          "CREATE TABLE t (id INT PRIMARY KEY)",
          "CREATE TRIGGER w BEFORE UPDATE ON t FOR EACH ROW CALL '"
              + Counting.class.getName()
              + "'");
      assertThat(plan(shop, "t").note()).contains("handled as a whole", "trigger W");
    }
  }

  /** A trigger in Java. */
  public static final class Counting implements Trigger {
    @Override
    public void fire(java.sql.Connection connection, Object[] before, Object[] after) {
      assertThat(after).hasSize(1);
    }
  }
}
