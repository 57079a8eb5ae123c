package io.txwatch.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.prepare.TablePlan.Decision;
import io.txwatch.servers.ServerKind;
import java.sql.SQLException;
import java.util.List;
import org.h2.api.Trigger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that are left alone because something handles their rows as a whole, and is named. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DependentsTest {

  private static final String RETURN_NEW =
      "CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$; ";

  private Shop postgres = shop();

  private static Shop shop() {
    try {
      return Shop.empty(ServerKind.POSTGRESQL);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @BeforeAll
  void tablesWithoutDependentsAreChanged() throws SQLException {
    fresh();
    assertThat(plan(postgres, "t").decision()).isEqualTo(Decision.CHANGE);
  }

  @AfterAll
  void closed() throws SQLException {
    postgres.close();
  }

  private void fresh() throws SQLException {
    postgres.run(
        "DROP SCHEMA public CASCADE",
        "CREATE SCHEMA public",
        "DROP PUBLICATION IF EXISTS p",
        "CREATE TABLE t (id INT PRIMARY KEY, q TEXT)",
        "CREATE TABLE log (id INT, q TEXT)");
  }

  private static TablePlan plan(Shop shop, String table) throws SQLException {
    return shop.preparation().planPrepare(List.of(table)).tables().get(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "CREATE FUNCTION f() RETURNS t LANGUAGE sql AS 'SELECT 1, ''a''::text' | function f()",
        "CREATE FUNCTION f() RETURNS SETOF t LANGUAGE sql AS 'SELECT id, q FROM t' | function f()",
        "CREATE FUNCTION f(t) RETURNS text LANGUAGE sql AS 'SELECT $1.q' | function f(t)",
        "CREATE FUNCTION f(t[]) RETURNS int LANGUAGE sql AS 'SELECT 1' | function f(t[])",
        "CREATE FUNCTION f(OUT r t) LANGUAGE sql AS 'SELECT 1, ''a''::text' | function f()",
        "CREATE FUNCTION f() RETURNS TABLE(i int, q text) LANGUAGE sql AS 'SELECT * FROM t' | f()",
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1 FROM t NATURAL JOIN log' | f()",
        "CREATE FUNCTION f() RETURNS SETOF t BEGIN ATOMIC SELECT * FROM t; END | function f()",
        "CREATE FUNCTION f() RETURNS bigint BEGIN ATOMIC SELECT count(DISTINCT t) FROM t; END | f()",
        "CREATE PROCEDURE f() LANGUAGE plpgsql AS $$ DECLARE r t%ROWTYPE; BEGIN SELECT id, q INTO r"
            + " FROM t; INSERT INTO log VALUES (r.*); END $$ | function f()",
        "CREATE PROCEDURE f() LANGUAGE plpgsql AS $$ DECLARE r \"t\"; BEGIN r := NULL; END $$ | f()",
        "CREATE PROCEDURE f() LANGUAGE plpgsql AS $$ BEGIN PERFORM row_to_json(x) FROM public.t AS x;"
            + " END $$ | function f()",
        "CREATE PROCEDURE f() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log TABLE t; END $$ | f()",
        "CREATE PROCEDURE f() LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT /* all */ * FROM t';"
            + " END $$ | function f()",
        RETURN_NEW
            + "CREATE TRIGGER w BEFORE UPDATE ON t FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*)"
            + " EXECUTE FUNCTION touched() | trigger w on table t",
        RETURN_NEW
            + "CREATE TRIGGER w BEFORE UPDATE ON t FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW)"
            + " EXECUTE FUNCTION touched() | trigger w on table t",
        "CREATE TRIGGER w BEFORE UPDATE ON t FOR EACH ROW"
            + " EXECUTE FUNCTION suppress_redundant_updates_trigger() | trigger w on table t",
        "CREATE FUNCTION a() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log SELECT"
            + " OLD.*; RETURN NULL; END $$; CREATE TRIGGER w AFTER DELETE ON t FOR EACH ROW"
            + " EXECUTE FUNCTION a() | trigger w on table t",
        "CREATE FUNCTION a() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log SELECT *"
            + " FROM gone; RETURN NULL; END $$; CREATE TRIGGER w AFTER DELETE ON t REFERENCING OLD"
            + " TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION a() | trigger w on table t",
        "CREATE RULE r AS ON INSERT TO t DO ALSO INSERT INTO log SELECT NEW.* | rule r on table t",
        "CREATE VIEW v AS SELECT t FROM t | view v",
        "CREATE VIEW v AS SELECT row_to_json(x) FROM t x | view v",
        "CREATE MATERIALIZED VIEW v AS SELECT count(t.*) FROM t | view v",
        "CREATE TABLE holder (a t) | column a of table holder",
        "CREATE TABLE holder (a t[]) | column a of table holder",
        "CREATE DOMAIN d AS t; CREATE TABLE holder (a d) | column a of table holder",
        "ALTER TABLE t ADD CONSTRAINT c CHECK (t IS NOT NULL) | constraint c on table t",
        "CREATE POLICY y ON t USING (t IS NOT NULL) | policy y on table t",
        "CREATE PUBLICATION p FOR TABLE t | publication p",
        "CREATE PUBLICATION p FOR ALL TABLES | publication p",
        "CREATE TABLE child () INHERITS (t); CREATE FUNCTION f() RETURNS child LANGUAGE sql AS"
            + " 'SELECT 1, ''a''::text' | function f()",
      })
  void postgresDependentsAreNamed(String ddl, String named) throws Exception {
    fresh();
    postgres.run(ddl);
    TablePlan plan = plan(postgres, "t");
    assertThat(plan.decision()).isEqualTo(Decision.LEFT_ALONE);
    assertThat(plan.note()).contains("handled as a whole", named);
    assertThat(
            postgres.preparation().includingDependent().planPrepare(List.of("t")).tables().get(0))
        .extracting(TablePlan::decision)
        .isEqualTo(Decision.CHANGE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE FUNCTION f(int) RETURNS text LANGUAGE sql AS 'SELECT q FROM t WHERE id = $1'",
        "CREATE FUNCTION f() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM public.t x WHERE"
            + " x.id * 2 > 1'",
        "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT max(id) FROM t; END",
        "CREATE PROCEDURE f() LANGUAGE plpgsql AS $$ DECLARE i t.id%TYPE; BEGIN UPDATE t SET q = 'a'"
            + " WHERE id = i; INSERT INTO t VALUES (1, 'b'); DELETE FROM t AS x WHERE x.id = 2; END $$",
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1 FROM information_schema.tables'",
        RETURN_NEW
            + "CREATE TRIGGER w BEFORE UPDATE ON t FOR EACH ROW WHEN (OLD.q IS DISTINCT FROM NEW.q)"
            + " EXECUTE FUNCTION touched()",
        "CREATE VIEW v AS SELECT * FROM t",
        "CREATE POLICY y ON t USING (id > 0)",
        "CREATE INDEX i ON t (lower(q)) WHERE id > 0",
        "CREATE PUBLICATION p FOR TABLE t (id, q)",
        "CREATE PUBLICATION p FOR TABLE log",
      })
  void postgresDependentsOfSingleColumnsAreNoReason(String ddl) throws Exception {
    fresh();
    postgres.run(ddl);
    assertThat(plan(postgres, "t").note()).doesNotContain("as a whole");
    assertThat(plan(postgres, "t").decision()).isEqualTo(Decision.CHANGE);
  }

  @Test
  void postgresApplicationIsUnaffected() throws Exception {
    fresh();
    postgres.run(
        "CREATE FUNCTION f() RETURNS SETOF t LANGUAGE plpgsql AS"
            + " $$ BEGIN RETURN QUERY SELECT id, q FROM t; END $$",
        "CREATE TABLE u (id INT PRIMARY KEY, q TEXT)",
        "CREATE TRIGGER w BEFORE UPDATE ON u FOR EACH ROW"
            + " EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "INSERT INTO t VALUES (1, 'a')");
    assertThat(postgres.prepare().changed()).containsExactly("log");
    assertThat(postgres.rows("SELECT * FROM f()")).containsExactly("1|a");
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
