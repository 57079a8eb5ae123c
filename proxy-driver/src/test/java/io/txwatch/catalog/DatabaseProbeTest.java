package io.txwatch.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Database;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseProbeTest {

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#kinds")
  void eachDbmsIsKnownByItsNameAndVersion(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url)) {
      DatabaseProbe probe = Products.probe(connection, url);
      assertThat(probe.database().product().name()).isEqualTo(kind.product());
      assertThat(probe.database().product().version()).matches("[0-9]+(\\.[0-9]+)+");
      assertThat(probe.dialect()).contains(Dialect.valueOf(kind.name()));
      assertThat(probe.database().place()).startsWith("jdbc:").doesNotContain("user=");
      assertThat(connection.getAutoCommit()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mysql://me:secret@h1/shop",
        "jdbc:mysql://me:sec/ret-secret@h1/shop?password=secret",
        "jdbc:mysql://me:s@ecret@h1/shop",
        "jdbc:mysql://me:secret,@h1,h2/shop",
        "jdbc:mysql://me:p?secret@h1/shop",
        "jdbc:mysql://(host=h1,user=me,password1=secret)/shop",
        "jdbc:oracle:thin:me/secret@h1:1521/shop",
        "jdbc:db2://h1:50000/shop:user=me;password=secret;",
        "jdbc:mysql://me:secret@h1,me:secret@h2/shop",
        "jdbc:mysql://(host=h1,user=me,password=secret)/shop",
        "jdbc:mariadb://address=(host=h1)(user=me)(password=secret)/shop",
        "jdbc:h2:tcp://h1/shop;USER=me;PASSWORD=secret",
        "jdbc:postgresql://h1,h2/shop?user=me&password=secret"
      })
  void aPlaceHasNoPassword(String url) {
    assertThat(Products.catalogs().place(url)).contains("h1", "shop").doesNotContain("ecret");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:h2:file:/data/a@b:c/shop",
        "jdbc:h2:tcp://h1/~/me:a@b/shop",
        "jdbc:sqlite:/data//me:a@b/shop.db",
        "jdbc:mysql://h1:3306,h2:3307/shop",
        "jdbc:postgresql://[::1]:5432/shop",
        "jdbc:postgresql:shop"
      })
  void aPlaceThatNamesNobodyIsKeptWhole(String url) {
    assertThat(Products.catalogs().place(url)).isEqualTo(url);
  }

  @Test
  void settingsThatChangeAGuaranteeAreReported() throws Exception {
    Database postgres = probe(TestServers.of(ServerKind.POSTGRESQL).url());
    assertThat(postgres.settings())
        .containsEntry("default_transaction_isolation", "read committed");
    Database mariadb = probe(TestServers.of(ServerKind.MARIADB).url());
    assertThat(mariadb.settings())
        .containsEntry("tx_isolation", "REPEATABLE-READ")
        .containsKey("log_bin");
    assertThat(probe("jdbc:h2:mem:probe;MODE=PostgreSQL").settings())
        .containsEntry("MODE", "PostgreSQL");
  }

  /** As after SET GLOBAL, when SHOW fails, or gives no row. */
  @ParameterizedTest
  @CsvSource({
    "MYSQL, max_join_size=1", "MYSQL, sql_select_limit=0",
    "MARIADB, max_join_size=1", "MARIADB, sql_select_limit=0",
  })
  void aSessionThatLimitsItsQueriesIsKnown(ServerKind kind, String limit) throws Exception {
    String url = TestServers.of(kind).url();
    Map<String, String> known = probe(url).settings();
    Map<String, String> limited = probe(url + "&sessionVariables=" + limit).settings();
    assertThat(limited.keySet()).contains("sql_mode").isEqualTo(known.keySet());
    known.forEach(
        (name, value) -> {
          if (!name.equals("sql_mode")) { // which Connector/J sets where it reads no row
            assertThat(limited).containsEntry(name, value);
          }
        });
  }

  @Test
  void anotherLexisIsNotRewritten() throws Exception {
    String url =
        TestServers.of(ServerKind.MARIADB).url() + "&sessionVariables=sql_mode=ANSI_QUOTES";
    try (Connection connection = DriverManager.getConnection(url)) {
      assertThat(Products.probe(connection, url).dialect()).isEmpty();
    }
    String postgres =
        TestServers.of(ServerKind.POSTGRESQL).url()
            + "&options=-c%20standard_conforming_strings=off";
    try (Connection connection = DriverManager.getConnection(postgres)) {
      assertThat(Products.probe(connection, postgres).dialect()).isEmpty();
    }
  }

  @Test
  void twoDatabasesWithoutANameAreTwoPlaces() throws Exception {
    assertThat(probe("jdbc:h2:mem:").place()).isNotEqualTo(probe("jdbc:h2:mem:").place());
    assertThat(probe("jdbc:sqlite::memory:").place())
        .isNotEqualTo(probe("jdbc:sqlite::memory:").place());
    assertThat(probe("jdbc:h2:mem:one").place()).isEqualTo(probe("jdbc:h2:mem:one").place());
  }

  @Test
  void credentialsAreNoPartOfThePlace() throws Exception {
    String url = "jdbc:h2:mem:secret;USER=me;PASSWORD=hush";
    assertThat(probe(url).place()).isEqualTo("jdbc:h2:mem:secret");
  }

  @Test
  void versionsAreComparedNumberByNumber() {
    assertThat(List.of("8.0.23", "8.0.100", "8.1", "10"))
        .allMatch(version -> DbmsVersion.isAtLeast(version, 8, 0, 23));
    assertThat(List.of("8.0.3", "8", "5.7.40", "x"))
        .noneMatch(version -> DbmsVersion.isAtLeast(version, 8, 0, 23));
  }

  private static Database probe(String url) throws Exception {
    try (Connection connection = DriverManager.getConnection(url)) {
      return Optional.of(Products.probe(connection, url)).get().database();
    }
  }
}
