package io.txwatch.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables that must be left alone, or that one DBMS makes hard. */
class PreparationHazardsTest {

  @Test
  void mariaDbUserWithoutAlterIsReported() throws Exception {
    try (Shop shop = Shop.open(ServerKind.MARIADB)) {
      String user = "guest" + System.nanoTime() % 1_000_000;
      shop.run("CREATE USER " + user, "GRANT SELECT, INSERT, UPDATE, DELETE ON account TO " + user);
      List<String> before = shop.ddl();
      String url = shop.url().replace("user=root", "user=" + user);
      try (Connection connection = DriverManager.getConnection(url)) {
        Preparation preparation = Products.preparation(connection, url, Duration.ofSeconds(1));
        PreparationResult result = preparation.execute(preparation.planPrepare(List.of("account")));
        assertThat(result.failed())
            .singleElement()
            .satisfies(f -> assertThat(f.reason()).startsWith("no rights to change it"));
      }
      assertThat(shop.ddl()).isEqualTo(before);
      shop.run("DROP USER " + user);
    }
  }

  /** SELECT * and INSERT without columns need a right to the invisible columns, too. */
  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"MARIADB", "MYSQL"})
  void usersWithRightsToEachColumnAreNamedWithTheGrantTheyNeed(ServerKind kind) throws Exception {
    Assumptions.assumeTrue(TestServers.kinds().anyMatch(kind::equals));
    String suffix = String.valueOf(System.nanoTime() % 1_000_000);
    List<String> users =
        Stream.of("o'n\u001b", "some", "wide", "schema", "global", "other")
            .map(user -> user + suffix)
            .toList();
    String read = "`" + users.get(0) + "`";
    try (Shop shop = Shop.empty(kind)) {
      String schema = shop.connection().getCatalog();
      try {
        shop.run("CREATE TABLE a (id INT PRIMARY KEY, v INT)", "CREATE TABLE b (id INT, v INT)");
        for (String user : users) {
          shop.run("CREATE USER `" + user + "`");
        }
        shop.run("CREATE ROLE role" + suffix);
        assertThat(shop.preparation().planPrepare(List.of()).warnings()).isEmpty();
        shop.run(
            "GRANT SELECT (id, v), INSERT (v, id) ON a TO " + read,
            "GRANT SELECT (id), INSERT (id) ON a TO some" + suffix,
            "GRANT SELECT (id, v), SELECT ON a TO wide" + suffix,
            "GRANT SELECT (id, v) ON a TO schema" + suffix,
            "GRANT SELECT ON `" + schema.replace("_", "\\_") + "`.* TO schema" + suffix,
            "GRANT SELECT (id, v) ON a TO global" + suffix,
            "GRANT SELECT ON *.* TO global" + suffix,
            "GRANT SELECT (id, v) ON b TO other" + suffix,
            "GRANT INSERT (id, v) ON b TO role" + suffix);

        PreparationPlan plan = shop.preparation().planPrepare(List.of());

        if (kind == ServerKind.MYSQL) {
          assertThat(plan.warnings()).isEmpty();
          assertThat(plan.describe()).doesNotContain("warning");
          return;
        }
        String columns = " (txw_rid, txw_wl)";
        assertThat(plan.warnings())
            .satisfiesExactly(
                w ->
                    assertThat(w)
                        .startsWith(read + "@`%` has rights to each column of a, ")
                        .contains("SELECT * and INSERT without a column list fail with error 1142")
                        .endsWith(
                            ("GRANT SELECT" + columns + ", INSERT" + columns + " ON `" + schema)
                                + ("`.`a` TO " + read + "@`%`;")),
                w ->
                    assertThat(w)
                        .contains("of b, ", " SELECT * fails ")
                        .endsWith(" TO `other" + suffix + "`@`%`;"),
                w ->
                    assertThat(w)
                        .contains(" INSERT without a column list fails ")
                        .endsWith(" TO `role" + suffix + "`;"));
        assertThat(plan.describe()).contains("  warning: `o'n\\u001b" + suffix + "`@`%` has ");
        assertThat(shop.preparation().planUnprepare(List.of()).warnings()).isEmpty();

        String url = shop.url().replace("user=root", "user=" + users.get(0));
        try (Connection connection = DriverManager.getConnection(url)) {
          Shop.run(connection, "INSERT INTO a VALUES (1, 1)", "SELECT * FROM a");
          shop.preparation().execute(plan);
          assertThat(errorOf(connection, "SELECT * FROM a")).isEqualTo(1142);
          assertThat(errorOf(connection, "INSERT INTO a VALUES (2, 2)")).isEqualTo(1142);
          for (String warning : shop.preparation().planPrepare(List.of()).warnings()) {
            shop.run(warning.substring(warning.indexOf("GRANT ")));
          }
          Shop.run(connection, "INSERT INTO a VALUES (2, 2)", "SELECT * FROM a");
        }
        assertThat(shop.preparation().planPrepare(List.of()).warnings()).isEmpty();
      } finally {
        for (String user : users) {
          shop.run("DROP USER IF EXISTS `" + user + "`");
        }
        shop.run("DROP ROLE IF EXISTS role" + suffix);
      }
    }
  }

  private static int errorOf(Connection connection, String sql) {
    try {
      Shop.run(connection, sql);
      return 0;
    } catch (SQLException e) {
      return e.getErrorCode();
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
    try (Shop shop = Shop.empty(ServerKind.H2)) {
      shop.run(
          "CREATE SCHEMA \"Other\"",
          "CREATE TABLE \"Other\".t (id INT)",
          "CREATE TABLE t (id INT)");
      List<String> before = shop.ddl();
      assertThat(shop.prepare("\"Other\".t", "t").changed()).containsExactly("Other.T", "T");
      assertThat(shop.rows("SELECT sequence_schema FROM INFORMATION_SCHEMA.SEQUENCES ORDER BY 1"))
          .containsExactlyInAnyOrder("Other", "PUBLIC");
      shop.unprepare("\"Other\".t");
      shop.unprepare();
      assertThat(shop.ddl()).isEqualTo(before);
    }
  }
}
