package io.txwatch.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.catalog.CatalogQueries;
import io.txwatch.prepare.PreparationPlan.Action;
import io.txwatch.prepare.PreparationResult.Failure;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Preparations that end in their middle, at each of their statements in turn. */
class InterruptedPreparationTest {

  /** Enough for several batches of a fill. */
  private static final int ROWS = 450;

  static Stream<Arguments> kindsAndKills() {
    return Shop.kinds()
        .flatMap(
            kind ->
                kind == ServerKind.H2
                    ? Stream.of(Arguments.of(kind, false))
                    : Stream.of(Arguments.of(kind, false), Arguments.of(kind, true)));
  }

  /** Whatever was done of it, unprepare takes it back to the letter, and prepare completes it. */
  @ParameterizedTest(name = "{0}, killed by the server: {1}")
  @MethodSource("kindsAndKills")
  void prepareThatDiesAtAnyStatementIsTakenBackOrCompleted(ServerKind kind, boolean byServer)
      throws Exception {
    try (Shop shop = shop(kind)) {
      List<String> before = shop.ddl();
      List<String> rows = shop.rows("SELECT id, v FROM many ORDER BY id");
      int deaths = 0;
      while (dies(shop, Action.PREPARE, deaths + 1, byServer)) {
        deaths++;
        assertThat(shop.unprepare().failed()).as("death %d", deaths).isEmpty();
        assertThat(shop.ddl()).as("death %d", deaths).isEqualTo(before);

        dies(shop, Action.PREPARE, deaths, byServer);
        assertThat(shop.prepare().failed()).as("death %d", deaths).isEmpty();
        assertThat(shop.rows("SELECT COUNT(DISTINCT txw_rid) FROM many"))
            .as("death %d", deaths)
            .containsExactly(String.valueOf(ROWS));
        assertThat(shop.preparation().planPrepare(List.of()).changesAnything()).isFalse();
        assertThat(shop.unprepare().failed()).isEmpty();
      }
      assertThat(deaths).isGreaterThanOrEqualTo(kind == ServerKind.MARIADB ? 1 : 2);
      assertThat(shop.prepare().changed()).isEmpty(); // the last one did not die
      shop.unprepare();
      assertThat(shop.ddl()).isEqualTo(before);
      assertThat(shop.rows("SELECT id, v FROM many ORDER BY id")).isEqualTo(rows);
    }
  }

  @ParameterizedTest(name = "{0}, killed by the server: {1}")
  @MethodSource("kindsAndKills")
  void unprepareThatDiesAtAnyStatementIsCompleted(ServerKind kind, boolean byServer)
      throws Exception {
    try (Shop shop = shop(kind)) {
      List<String> before = shop.ddl();
      shop.prepare();
      int deaths = 0;
      while (dies(shop, Action.UNPREPARE, deaths + 1, byServer)) {
        deaths++;
        assertThat(shop.unprepare().failed()).as("death %d", deaths).isEmpty();
        assertThat(shop.ddl()).as("death %d", deaths).isEqualTo(before);
        shop.prepare();
      }
      assertThat(deaths).isPositive();
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  /** What is left half done is called so, by a tool that still has its connection. */
  @Test
  void mySqlTableWithAnInterruptedFillIsReportedAsIncomplete() throws Exception {
    Assumptions.assumeTrue(TestServers.missing(ServerKind.MYSQL).isEmpty());
    try (Shop shop = shop(ServerKind.MYSQL);
        Connection other = DriverManager.getConnection(shop.url())) {
      other.setAutoCommit(false);
      BreakingConnection breaking =
          new BreakingConnection(
              shop.connection(), 2, () -> Shop.run(other, "UPDATE many SET v = 0 WHERE id = 200"));
      PreparationResult result = execute(shop, breaking.connection(), Action.PREPARE);

      assertThat(result.failed())
          .singleElement()
          .satisfies(
              f -> {
                assertThat(f.left()).isEqualTo(PreparationResult.Left.PARTLY_DONE);
                assertThat(f.reason()).contains("locked by another transaction");
              });
      assertThat(shop.rows("SELECT id FROM many WHERE txw_rid IS NULL")).containsExactly("200");
      assertThat(shop.preparation().planPrepare(List.of("many")).tables().get(0).steps())
          .extracting(PreparationStep::work)
          .containsExactly(PreparationStep.Work.FILL, PreparationStep.Work.INSTANT);
      other.commit();
      assertThat(shop.prepare().changed()).containsExactly("many");
    }
  }

  /** Rows come at any time from sessions that know nothing of the columns. */
  @Test
  void mySqlRowsInsertedDuringTheFillGetAnId() throws Exception {
    Assumptions.assumeTrue(TestServers.missing(ServerKind.MYSQL).isEmpty());
    boolean inserted = true;
    for (int after = 1; inserted; after++) {
      try (Shop shop = shop(ServerKind.MYSQL);
          Connection other = DriverManager.getConnection(shop.url())) {
        String insert = "INSERT INTO many (id, v) VALUES (-1, 'x'), (225, 'y'), (1000, 'z')";
        Shop.run(other, "DELETE FROM many WHERE id = 225");
        BreakingConnection breaking =
            new BreakingConnection(shop.connection(), after, () -> Shop.run(other, insert));
        assertThat(execute(shop, breaking.connection(), Action.PREPARE).failed()).isEmpty();
        inserted = breaking.hasBroken();
        int rows = inserted ? ROWS + 2 : ROWS - 1;
        assertThat(shop.rows("SELECT COUNT(*), COUNT(DISTINCT txw_rid) FROM many"))
            .as("inserted after statement %d", after)
            .containsExactly(rows + "|" + rows);
        assertThat(inserted || after > 5).isTrue();
      }
    }
  }

  /** As it was left by versions that filled in one statement and had no mark for it. */
  @Test
  void mySqlTableThatAnEarlierVersionLeftUnfilledIsCompleted() throws Exception {
    Assumptions.assumeTrue(TestServers.missing(ServerKind.MYSQL).isEmpty());
    try (Shop shop = shop(ServerKind.MYSQL)) {
      List<String> before = shop.ddl();
      String half =
          "ALTER TABLE many ADD COLUMN txw_rid BIGINT INVISIBLE COMMENT 'txwatch: row id',"
              + " ADD COLUMN txw_wl VARCHAR(252) CHARACTER SET ascii COLLATE ascii_bin NOT NULL"
              + " DEFAULT '' INVISIBLE COMMENT 'txwatch: newest writers'";
      shop.run(half);
      assertThat(shop.prepare().changed()).containsExactly("many");
      assertThat(shop.rows("SELECT COUNT(DISTINCT txw_rid) FROM many"))
          .containsExactly(String.valueOf(ROWS));
      shop.unprepare();
      assertThat(shop.ddl()).isEqualTo(before);
      shop.run(half);
      assertThat(shop.unprepare().changed()).containsExactly("many");
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }

  /** By what a table is filled in batches, and what has no order that batches could follow. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a BIGINT UNSIGNED, PRIMARY KEY (a)",
        "a INT ZEROFILL, b VARCHAR(9) COLLATE utf8mb4_0900_ai_ci, PRIMARY KEY (b, a)",
        "a BINARY(16), PRIMARY KEY (a)",
        "a DATETIME(3), b DECIMAL(9,3), PRIMARY KEY (a, b)",
        "a DATE NOT NULL, b CHAR(9) CHARACTER SET latin1 NOT NULL, UNIQUE `k``e y` (a, b DESC)",
        "a ENUM('z', 'y', 'x'), b INT, PRIMARY KEY (b, a)",
        "a VARCHAR(90), PRIMARY KEY (a(3))",
        "a DOUBLE, PRIMARY KEY (a)",
        "a INT, b INT, UNIQUE (a)",
        "a INT, b TIMESTAMP DEFAULT '2001-01-01' ON UPDATE CURRENT_TIMESTAMP",
      })
  void mySqlFillsByAnyKeyAndByNone(String definition) throws Exception {
    Assumptions.assumeTrue(TestServers.missing(ServerKind.MYSQL).isEmpty());
    try (Shop shop = Shop.empty(ServerKind.MYSQL)) {
      shop.run(
          "CREATE TABLE numbers (n INT PRIMARY KEY)",
          "SET SESSION cte_max_recursion_depth = 1000",
          "INSERT INTO numbers WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r"
              + " WHERE n < 700) SELECT n FROM r",
          "CREATE TABLE many (" + definition + ")");
      boolean two = definition.contains(" b ");
      String a =
          definition.contains("ENUM")
              ? "1 + n % 3"
              : definition.startsWith("a DATE") ? "'2020-01-01' + INTERVAL n DAY" : "n";
      shop.run(
          "INSERT INTO many (a"
              + (two && !definition.contains("TIMESTAMP") ? ", b" : "")
              + ") SELECT "
              + a
              + (two && !definition.contains("TIMESTAMP") ? ", n" : "")
              + " FROM numbers");
      List<String> before =
          shop.rows("SELECT * FROM many ORDER BY 1, 2".replace(two ? "" : ", 2", ""));
      assertThat(shop.prepare("many").failed()).isEmpty();
      assertThat(shop.rows("SELECT COUNT(DISTINCT txw_rid) FROM many")).containsExactly("700");
      assertThat(shop.rows("SELECT * FROM many ORDER BY 1, 2".replace(two ? "" : ", 2", "")))
          .isEqualTo(before);
    }
  }

  private static Shop shop(ServerKind kind) throws SQLException {
    Shop shop = Shop.empty(kind);
    List<String> values = new ArrayList<>();
    for (int i = 1; i <= ROWS; i++) {
      values.add("(" + i + ", 'v" + i % 7 + "')");
    }
    shop.run(
        "CREATE TABLE many (id INT PRIMARY KEY, v VARCHAR(10))",
        "INSERT INTO many VALUES " + String.join(", ", values));
    return shop;
  }

  /** True if it died of it; false if it had so few statements that it was completed. */
  private static boolean dies(Shop shop, Action action, int after, boolean byServer)
      throws SQLException {
    try (Connection victim = DriverManager.getConnection(shop.url())) {
      String id = byServer ? id(victim) : "";
      BreakingConnection breaking =
          new BreakingConnection(
              victim, after, byServer ? () -> kill(shop, id) : () -> abandon(victim));
      PreparationResult result;
      try {
        result = execute(shop, breaking.connection(), action);
      } catch (SQLException e) {
        return true; // it died before it came to a table, or after
      }
      for (Failure failure : result.failed()) {
        assertThat(failure.left()).isNotEqualTo(PreparationResult.Left.AS_IT_WAS);
      }
      return !result.failed().isEmpty() || breaking.hasBroken();
    }
  }

  private static PreparationResult execute(Shop shop, Connection connection, Action action)
      throws SQLException {
    Preparation preparation = Products.preparation(connection, shop.url(), Duration.ofMillis(500));
    return preparation.execute(
        action == Action.PREPARE
            ? preparation.planPrepare(List.of())
            : preparation.planUnprepare(List.of()));
  }

  /** As when the process is gone: what was not committed is lost. */
  private static void abandon(Connection victim) throws SQLException {
    victim.abort(Runnable::run);
    victim.close();
  }

  private static String id(Connection victim) throws SQLException {
    return CatalogQueries.query(
            victim, "SELECT CONNECTION_ID()", row -> CatalogQueries.text(row, 1))
        .get(0);
  }

  private static void kill(Shop shop, String id) throws SQLException {
    shop.run("KILL " + id);
  }
}
