package io.txwatch.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tables that must be left alone, or that one DBMS makes hard. */
class PreparationHazardsTest {

  private static final String AUDIT =
      "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
          + " INSERT INTO audit SELECT OLD.*; RETURN NEW; END $$";

  @Test
  void postgresTriggerThatCopiesWholeRows() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.POSTGRESQL)) {
      shop.run(
          "CREATE TABLE stock (id INT PRIMARY KEY, n INT)",
          "CREATE TABLE audit (id INT, n INT)",
          AUDIT,
          "CREATE TRIGGER keep BEFORE UPDATE ON stock FOR EACH ROW EXECUTE FUNCTION keep()",
          "INSERT INTO stock VALUES (1, 1)");
      assertThat(shop.preparation().planPrepare(List.of("stock")).describe())
          .contains(
              "left alone: stock: its rows are handled as a whole", "trigger keep on table stock");
      shop.prepare();
      shop.run("UPDATE stock SET n = 2");
      assertThat(shop.rows("SELECT id, n FROM audit")).containsExactly("1|1");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BEGIN NEW.changed := now(); RETURN NEW; END | false",
        "BEGIN IF OLD.n <> new.n THEN RETURN (new); END IF; return old; END | false",
        "BEGIN INSERT INTO audit SELECT OLD.*; RETURN NEW; END | true",
        "BEGIN PERFORM log(to_jsonb(NEW)); RETURN NEW; END | true",
        "BEGIN IF NEW IS DISTINCT FROM OLD THEN RETURN NEW; END IF; END | true",
        "BEGIN INSERT INTO audit VALUES (OLD.id, new.\"N\"); RETURN NULL; END | false",
      })
  void wholeRowsInATriggersBody(String body, boolean whole) {
    assertThat(PostgresDependents.usesWholeRows(body)).isEqualTo(whole);
  }

  @Test
  void postgresPartitionsGetTheColumnsFromTheirParent() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.POSTGRESQL)) {
      shop.run(
          "CREATE TABLE event (id INT, at INT) PARTITION BY RANGE (at)",
          "CREATE TABLE event_1 PARTITION OF event FOR VALUES FROM (0) TO (10)",
          "INSERT INTO event VALUES (1, 1), (2, 2)");
      List<String> before = shop.ddl();

      assertThat(shop.prepare().changed()).containsExactly("event");
      assertThat(shop.rows("SELECT txw_rid FROM event_1")).hasSize(2).doesNotHaveDuplicates();
      assertThat(shop.unprepare().failed()).isEmpty();
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  @Test
  void postgresTableOfAnotherOwnerIsReported() throws Exception {
    try (Shop shop = Shop.open(ServerKind.POSTGRESQL)) {
      String role = "guest" + System.nanoTime();
      shop.run(
          "CREATE ROLE " + role + " LOGIN", "GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role);
      List<String> before = shop.ddl();
      String url = shop.url().replace("user=postgres", "user=" + role);
      try (Connection connection = DriverManager.getConnection(url)) {
        Preparation preparation = Preparation.of(connection, url, Duration.ofSeconds(1));
        PreparationPlan plan = preparation.planPrepare(List.of());
        assertThat(plan.describe())
            .contains(
                "left alone: account: no rights: its owner is postgres, this user is " + role);
        assertThat(plan.changesAnything()).isFalse();
      }
      assertThat(shop.ddl()).isEqualTo(before);
      shop.run("DROP OWNED BY " + role, "DROP ROLE " + role);
    }
  }

  @Test
  void mariaDbUserWithoutAlterIsReported() throws Exception {
    try (Shop shop = Shop.open(ServerKind.MARIADB)) {
      String user = "guest" + System.nanoTime() % 1_000_000;
      shop.run("CREATE USER " + user, "GRANT SELECT, INSERT, UPDATE, DELETE ON account TO " + user);
      List<String> before = shop.ddl();
      String url = shop.url().replace("user=root", "user=" + user);
      try (Connection connection = DriverManager.getConnection(url)) {
        Preparation preparation = Preparation.of(connection, url, Duration.ofSeconds(1));
        PreparationResult result = preparation.execute(preparation.planPrepare(List.of("account")));
        assertThat(result.failed())
            .singleElement()
            .satisfies(f -> assertThat(f.reason()).startsWith("no rights to change it"));
      }
      assertThat(shop.ddl()).isEqualTo(before);
      shop.run("DROP USER " + user);
    }
  }

  @Test
  void mariaDbTableWithoutTransactionsIsLeftAlone() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.MARIADB)) {
      shop.run("CREATE TABLE old (id INT PRIMARY KEY) ENGINE=MyISAM");
      assertThat(shop.preparation().planPrepare(List.of()).describe())
          .contains("left alone: old: its engine MyISAM has no transactions");
    }
  }

  @Test
  void sqliteViewThatSelectsEverything() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.SQLITE)) {
      shop.run("CREATE TABLE stock (id INT)", "CREATE VIEW every AS SELECT * FROM \"stock\"");
      assertThat(shop.preparation().planPrepare(List.of("stock")).describe())
          .contains("left alone: stock: the view every selects * and would show the columns");
    }
  }

  @Test
  void sqliteViewThatShowsTheColumnsInAWayNobodySawUndoesAll() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.SQLITE)) {
      // a name with a quote in it is not found in the view's text
      shop.run(
          "CREATE TABLE \"st\"\"ock\" (id INT)",
          "CREATE VIEW every AS SELECT * FROM \"st\"\"ock\"",
          "INSERT INTO \"st\"\"ock\" VALUES (1)");
      List<String> before = shop.ddl();
      PreparationResult result = shop.prepare();
      assertThat(result.changed()).isEmpty();
      assertThat(result.failed())
          .singleElement()
          .satisfies(f -> assertThat(f.reason()).contains("the view every would show the columns"));
      assertThat(shop.ddl()).isEqualTo(before);
      assertThat(shop.rows("SELECT * FROM every")).containsExactly("1");
    }
  }

  @Test
  void sqliteTriggerThatInsertsWithoutNamingColumns() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.SQLITE)) {
      shop.run(
          "CREATE TABLE stock (id INT)",
          "CREATE TABLE audit (id INT)",
          "CREATE TRIGGER keep AFTER DELETE ON stock BEGIN INSERT INTO audit VALUES (OLD.id); END");
      PreparationPlan plan = shop.preparation().planPrepare(List.of());
      assertThat(plan.describe())
          .contains("left alone: audit: the trigger keep inserts into it without naming");
      assertThat(shop.prepare().changed()).containsExactly("stock");
    }
  }

  @Test
  void sqliteStrictAndWithoutRowidTables() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.SQLITE)) {
      shop.run(
          "CREATE TABLE firm (id INTEGER PRIMARY KEY, n TEXT) STRICT",
          "CREATE TABLE bare (id INTEGER PRIMARY KEY) WITHOUT ROWID",
          "INSERT INTO firm VALUES (1, 'a')",
          "INSERT INTO bare VALUES (1)");
      List<String> before = shop.ddl();
      assertThat(shop.prepare().changed()).containsExactly("bare", "firm");
      shop.unprepare();
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  @Test
  void aFailureInTheMiddleLeavesTheTableAsItWas() throws Exception {
    try (Shop shop = Shop.open(ServerKind.POSTGRESQL)) {
      // a column of the row type of another: PostgreSQL refuses to rewrite the table
      shop.run("CREATE TABLE holder (a account)", "INSERT INTO holder VALUES (NULL)");
      List<String> before = shop.ddl();

      Preparation preparation = shop.preparation().includingDependent();
      PreparationResult result = preparation.execute(preparation.planPrepare(List.of("account")));

      assertThat(result.failed())
          .singleElement()
          .satisfies(f -> assertThat(f.reason()).contains("holder"));
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  @Test
  void aTableChangedSinceThePlanIsNotChangedTwice() throws Exception {
    try (Shop shop = Shop.open(ServerKind.H2)) {
      Preparation preparation = shop.preparation();
      PreparationPlan plan = preparation.planPrepare(List.of());
      shop.prepare("account");
      shop.run("DROP TABLE log");

      PreparationResult result = preparation.execute(plan);

      assertThat(result.changed()).containsExactly("TRANSFER");
      assertThat(result.failed())
          .containsExactly(new PreparationResult.Failure("LOG", "it is gone"));
    }
  }

  @Test
  void schemasAreNamedAndEachHasItsOwnSequence() throws Exception {
    try (Shop shop = Shop.empty(ServerKind.POSTGRESQL)) {
      shop.run(
          "CREATE SCHEMA \"Other\"",
          "CREATE TABLE \"Other\".t (id INT)",
          "CREATE TABLE t (id INT)");
      List<String> before = shop.ddl();
      assertThat(shop.prepare("\"Other\".t", "t").changed()).containsExactly("Other.t", "t");
      assertThat(shop.rows("SELECT schemaname FROM pg_sequences ORDER BY 1"))
          .containsExactlyInAnyOrder("Other", "public");
      shop.unprepare("\"Other\".t");
      shop.unprepare();
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }
}
