package io.txwatch.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.catalog.UnsupportedDatabaseException;
import io.txwatch.history.WriterList;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class PreparationTest {

  private static final String KINDS = "io.txwatch.prepare.Shop#kinds";

  @ParameterizedTest
  @MethodSource(KINDS)
  void everyRowGetsAnIdOfItsOwnAndNoWriters(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      assertThat(shop.prepare().changed())
          .extracting(name -> name.toLowerCase(Locale.ROOT))
          .containsExactly("account", "log", "transfer");

      List<String> ids =
          shop.rows("SELECT txw_rid FROM account UNION ALL SELECT txw_rid FROM transfer");
      assertThat(ids).hasSize(5).doesNotHaveDuplicates();
      assertThat(ids).allSatisfy(id -> assertThat(Long.parseLong(id)).isPositive());
      assertThat(shop.rows("SELECT DISTINCT txw_wl FROM account"))
          .containsExactly(shop.unwritten());
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void theApplicationsColumnsKeepTheirValuesAndNoTriggerFires(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      List<String> accounts = shop.rows("SELECT id, owner, balance FROM account ORDER BY id");
      List<String> transfers = shop.rows("SELECT id, amount, twice FROM transfer ORDER BY id");
      List<String> log = shop.rows("SELECT what FROM log");
      List<String> view = shop.rows("SELECT * FROM rich ORDER BY id");

      shop.prepare();

      assertThat(shop.rows("SELECT id, owner, balance FROM account ORDER BY id"))
          .isEqualTo(accounts);
      assertThat(shop.rows("SELECT id, amount, twice FROM transfer ORDER BY id"))
          .isEqualTo(transfers);
      assertThat(shop.rows("SELECT what FROM log")).isEqualTo(log);
      assertThat(shop.rows("SELECT * FROM rich ORDER BY id")).isEqualTo(view);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void anInsertThatNamesItsColumnsGetsAnIdFromTheDefault(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      shop.prepare();
      shop.run("INSERT INTO account (id, owner, balance) VALUES (7, 'dee', 1), (8, 'eve', 2)");
      List<String> ids = shop.rows("SELECT txw_rid FROM account");
      assertThat(ids).hasSize(5).doesNotHaveDuplicates().doesNotContain("null");
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void anInsertWithoutColumnListStillWorks(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      shop.prepare();
      shop.run("INSERT INTO account VALUES (7, 'dee', 1)");
      assertThat(shop.rows("SELECT id, txw_wl FROM account WHERE id = 7"))
          .containsExactly("7|" + shop.unwritten());
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void writersColumnHoldsAFullWindowAndIsCaseSensitive(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      shop.prepare();
      String full = "aB-_".repeat(WriterList.WINDOW_LENGTH / 4);
      shop.run("UPDATE account SET txw_wl = '" + full + "' WHERE id = 1");
      assertThat(shop.rows("SELECT id FROM account WHERE txw_wl = '" + full + "'"))
          .containsExactly("1");
      assertThat(shop.rows("SELECT id FROM account WHERE txw_wl = LOWER('" + full + "')"))
          .isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"1000000, 112", "1000001, 0"})
  void rowsGrowByTheColumnsAlone(int rows, int length) throws Exception {
    try (Shop shop = Shop.empty(ServerKind.MARIADB)) {
      shop.run("CREATE TABLE many AS SELECT seq AS id FROM seq_1_to_" + rows);
      String ddl = shop.preparation().planPrepare(List.of()).tables().get(0).statements().get(0);
      assertThat(ddl).contains("DEFAULT '" + ".".repeat(length) + "' INVISIBLE");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "SQLITE"})
  void tablesWithoutInvisibleColumnsAreNotPrepared(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      assertThat(shop.preparation().isPossible()).isFalse();
      assertThatThrownBy(shop::prepare)
          .isInstanceOf(UnsupportedDatabaseException.class)
          .hasMessageContaining("has no invisible columns");
    }
  }

  @Test
  void postgresColumnsOfEarlierVersionsAreRemoved() throws Exception {
    try (Shop shop = Shop.open(ServerKind.POSTGRESQL)) {
      List<String> before = shop.ddl();
      shop.run(
          "CREATE SEQUENCE txw_rid_seq AS bigint CACHE 100",
          "ALTER TABLE account ADD COLUMN txw_rid bigint"
              + " DEFAULT pg_catalog.nextval('\"public\".txw_rid_seq'),"
              + " ADD COLUMN txw_wl varchar("
              + WriterList.WINDOW_LENGTH
              + ") COLLATE pg_catalog.\"C\" DEFAULT ''",
          "CREATE TABLE copy (LIKE account)");
      assertThat(shop.unprepare().changed()).containsExactly("account", "copy");
      shop.run("DROP TABLE copy");
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  @Test
  void sqliteColumnsOfEarlierVersionsAreRemoved() throws Exception {
    try (Shop shop = Shop.open(ServerKind.SQLITE)) {
      List<String> before = shop.ddl();
      shop.run(
          "ALTER TABLE account ADD COLUMN txw_rid INTEGER",
          "ALTER TABLE account ADD COLUMN txw_wl TEXT NOT NULL DEFAULT ''",
          "UPDATE account SET txw_rid = random()");
      assertThat(shop.unprepare().changed()).containsExactly("account");
      shop.run("DELETE FROM log");
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void preparingTwiceChangesNothing(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      shop.prepare();
      List<String> ddl = shop.ddl();

      PreparationPlan again = shop.preparation().planPrepare(List.of());
      assertThat(again.changesAnything()).isFalse();
      assertThat(shop.prepare()).isEqualTo(new PreparationResult(List.of(), List.of()));
      assertThat(shop.ddl()).isEqualTo(ddl);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void unprepareLeavesTheCatalogAsItWas(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      List<String> before = shop.ddl();
      shop.prepare();
      assertThat(shop.ddl()).isNotEqualTo(before);

      assertThat(shop.unprepare().complete()).isTrue();

      assertThat(shop.ddl()).isEqualTo(before);
      assertThat(shop.preparation().planUnprepare(List.of()).changesAnything()).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void sharedObjectsAreRemovedWithTheLastTable(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      List<String> before = shop.ddl();
      shop.prepare("account", "log");
      shop.unprepare("log");
      shop.run("INSERT INTO account (id, owner) VALUES (9, 'fay')");
      shop.unprepare("account");
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void planningChangesNothing(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      List<String> before = shop.ddl();
      String described = shop.preparation().planPrepare(List.of()).describe();
      assertThat(described)
          .contains("add the auxiliary columns to 3 tables", "txw_rid", "ALTER TABLE")
          .containsIgnoringCase("left alone: rich: it is a view");
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void columnsOfTheSameNameOfTheApplicationAreKept(ServerKind kind) throws Exception {
    try (Shop shop = Shop.empty(kind)) {
      shop.run("CREATE TABLE theirs (id INT PRIMARY KEY, txw_wl VARCHAR(3))");
      List<String> before = shop.ddl();

      assertThat(shop.preparation().planPrepare(List.of()).describe())
          .containsIgnoringCase("left alone: theirs: it has a column named txw_rid or txw_wl");
      assertThat(shop.prepare().changed()).isEmpty();
      assertThat(shop.unprepare().changed()).isEmpty();

      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void missingTableIsNamed(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      PreparationPlan plan = shop.preparation().planPrepare(List.of("account", "nowhere"));
      assertThat(plan.missing()).containsExactly("nowhere");
      assertThat(plan.describe()).contains("no such table: nowhere");
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void namesThatNeedQuotesAreQuoted(ServerKind kind) throws Exception {
    try (Shop shop = Shop.empty(kind)) {
      String quote = kind == ServerKind.MARIADB || kind == ServerKind.MYSQL ? "`" : "\"";
      String name = quote + "Order's lines" + quote;
      shop.run(
          "CREATE TABLE " + name + " (id INT PRIMARY KEY)", "INSERT INTO " + name + " VALUES (1)");
      List<String> before = shop.ddl();

      assertThat(shop.prepare(name).changed()).containsExactly("Order's lines");
      assertThat(shop.rows("SELECT id, txw_wl FROM " + name))
          .containsExactly("1|" + shop.unwritten());
      shop.unprepare(name);

      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void namesOfEveryKindAreFoundChangedAndSafeToPrint(ServerKind kind) throws Exception {
    String quote = kind == ServerKind.MARIADB || kind == ServerKind.MYSQL ? "`" : "\"";
    List<String> names =
        List.of(
            "Select", "a.b,c", "$1%s", "q\"u`o'te", "\u001b[31mred\nline", "é".repeat(31) + "x");
    try (Shop shop = Shop.empty(kind)) {
      List<String> quoted = new ArrayList<>();
      for (String name : names) {
        quoted.add(quote + name.replace(quote, quote + quote) + quote);
      }
      for (String name : quoted) {
        shop.run(
            "CREATE TABLE " + name + " (id INT PRIMARY KEY)",
            "INSERT INTO " + name + " (id) VALUES (1)");
      }
      List<String> before = shop.ddl();
      List<String> asked = Preparation.names(String.join(" , ", quoted));
      assertThat(asked).isEqualTo(quoted);

      PreparationPlan plan = shop.preparation().planPrepare(asked);
      assertThat(plan.describe().replace("\n", "").chars().noneMatch(Character::isISOControl))
          .isTrue();
      PreparationResult result = shop.preparation().execute(plan);

      assertThat(result.failed()).isEmpty();
      assertThat(result.changed()).isEqualTo(names);
      for (String name : quoted) {
        assertThat(shop.rows("SELECT txw_rid FROM " + name)).doesNotContain("null");
      }
      assertThat(shop.unprepare(asked.toArray(new String[0])).failed()).isEmpty();
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void statisticsAreUpdatedOnRequest(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind)) {
      Preparation preparation = shop.preparation().analyzing();
      PreparationPlan plan = preparation.planPrepare(List.of("account", "log"));
      assertThat(plan.describe()).contains("at the end", "ANALYZE");
      assertThat(preparation.execute(plan).failed()).isEmpty();
      assertThat(preparation.planPrepare(List.of("account")).changesAnything()).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void tablesOfOneNameInTwoSchemasAreDistinguished(ServerKind kind) throws Exception {
    try (Shop shop = Shop.empty(kind)) {
      String other = "other_" + System.nanoTime();
      shop.run(
          (kind == ServerKind.MARIADB || kind == ServerKind.MYSQL
                  ? "CREATE DATABASE "
                  : "CREATE SCHEMA ")
              + other,
          "CREATE TABLE " + other + ".t (id INT PRIMARY KEY)",
          "CREATE TABLE t (id INT PRIMARY KEY)",
          "INSERT INTO t (id) VALUES (1)");
      List<String> before = shop.ddl();
      assertThat(shop.prepare("t", other + ".t").changed()).hasSize(2).doesNotHaveDuplicates();
      assertThat(shop.unprepare(other + ".t").failed()).isEmpty();
      assertThat(shop.rows("SELECT COUNT(txw_rid) FROM t")).containsExactly("1");
      shop.run("INSERT INTO t (id) VALUES (2)");
      shop.prepare(other + ".t");
      assertThat(shop.unprepare("t", other + ".t").failed()).isEmpty();
      assertThat(shop.ddl()).isEqualTo(before);
      if (kind == ServerKind.MARIADB || kind == ServerKind.MYSQL) {
        shop.run("DROP DATABASE " + other);
      }
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void lockedTableIsRetriedAndReported(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind);
        Connection other = DriverManager.getConnection(shop.url())) {
      other.setAutoCommit(false);
      Shop.run(other, "UPDATE account SET balance = 11 WHERE id = 1");
      List<String> said = new CopyOnWriteArrayList<>();
      Preparation patient =
          Products.preparation(shop.connection(), shop.url(), Duration.ofMillis(200))
              .retryingFor(
                  Duration.ofSeconds(30),
                  line -> {
                    said.add(line);
                    rollback(other);
                  });

      PreparationResult result = patient.execute(patient.planPrepare(List.of("account")));

      assertThat(result.failed()).isEmpty();
      assertThat(said)
          .singleElement()
          .satisfies(line -> assertThat(line).contains("another transaction holds it"));
    }
  }

  private static void rollback(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void tableThatStaysLockedIsLeftUnchanged(ServerKind kind) throws Exception {
    try (Shop shop = Shop.open(kind);
        Connection other = DriverManager.getConnection(shop.url())) {
      List<String> before = shop.ddl();
      other.setAutoCommit(false);
      Shop.run(other, "UPDATE account SET balance = 11 WHERE id = 1");

      PreparationResult result = shop.prepare("account");

      assertThat(result.failed())
          .singleElement()
          .satisfies(f -> assertThat(f.reason()).contains("a lock was not to be had in time"));
      other.rollback();
      assertThat(shop.ddl()).isEqualTo(before);
      assertThat(shop.prepare("account").changed()).hasSize(1);
    }
  }
}
