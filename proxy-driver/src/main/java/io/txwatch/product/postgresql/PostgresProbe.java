package io.txwatch.product.postgresql;

import io.txwatch.catalog.CatalogProduct.Probed;
import io.txwatch.history.Product;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads what PostgreSQL, or a DBMS with its protocol, returns of itself. */
final class PostgresProbe {

  private static final String STRINGS = "standard_conforming_strings";

  private PostgresProbe() {}

  static Probed probe(Connection connection) throws SQLException {
    Map<String, String> settings = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                PgCatalogNames.qualify(
                    "SELECT version(), current_setting('default_transaction_isolation'),"
                        + " current_setting('standard_conforming_strings')"))) {
      row.next();
      Product product = ofVersion(row.getString(1));
      settings.put("default_transaction_isolation", row.getString(2));
      if (!"on".equals(row.getString(3))) {
        settings.put(STRINGS, row.getString(3));
      }
      return new Probed(product, settings, !settings.containsKey(STRINGS));
    }
  }

  /** Reads what {@code SELECT version()} states behind a PostgreSQL driver. */
  static Product ofVersion(String text) {
    for (String name : new String[] {"CockroachDB", "openGauss", "PostgreSQL"}) {
      Matcher found =
          Pattern.compile(name + "\\D{0,12}([0-9][0-9A-Za-z.]*)", Pattern.CASE_INSENSITIVE)
              .matcher(text);
      if (found.find()) {
        return new Product(name, found.group(1));
      }
    }
    return new Product("PostgreSQL", text);
  }
}
