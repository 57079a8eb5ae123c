package io.txwatch.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether something of a table's own may keep rows that a DELETE matches. */
class DeletedMatchesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          POSTGRESQL | | true
          H2         | | true
          MARIADB    | | false
          SQLITE     | | false
          POSTGRESQL | CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER k BEFORE DELETE ON website FOR EACH ROW EXECUTE FUNCTION f() | false
          POSTGRESQL | CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER k AFTER DELETE ON website FOR EACH ROW EXECUTE FUNCTION f() | true
          POSTGRESQL | CREATE RULE k AS ON DELETE TO website DO INSTEAD NOTHING | false
          POSTGRESQL | ALTER TABLE website ENABLE ROW LEVEL SECURITY | false
          POSTGRESQL | CREATE TABLE child () INHERITS (website) | false
          H2         | CREATE TRIGGER k BEFORE DELETE ON website FOR EACH ROW AS 'org.h2.api.Trigger create() { return new org.h2.tools.TriggerAdapter() { public void fire(java.sql.Connection c, java.sql.ResultSet o, java.sql.ResultSet n) {} }; }' | false
          """)
  void tableDeletesAllThatMatches(ServerKind kind, String change, boolean expected)
      throws SQLException {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE website (id INT PRIMARY KEY, hits INT)");
      if (change != null) {
        statement.execute(change);
      }
      try (JdbcCatalog catalog =
          JdbcCatalog.open(
              connection,
              url,
              "me",
              () -> DriverManager.getConnection(url),
              CatalogMode.rewriting(Products.catalogs()),
              () -> true,
              notice -> {})) {
        assertThat(catalog.find(List.of("website")).orElseThrow().traits().deletesAllMatches())
            .isEqualTo(expected);
      }
    }
  }
}
