package io.txwatch.cli;

import io.txwatch.catalog.UnsupportedDatabaseException;
import io.txwatch.prepare.Preparation;
import io.txwatch.product.registry.Products;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A database of the user, in which the demo creates and drops its tables. */
final class UserDemoDatabase implements DemoDatabase {

  private static final List<String> TABLES = List.of("account", "seat", "doctor");

  private final String url;
  private final DatabaseOptions options;

  private UserDemoDatabase(String url, DatabaseOptions options) {
    this.url = url;
    this.options = options;
  }

  /** Checks that the database has none of the demo's tables. */
  static UserDemoDatabase open(String url, DatabaseOptions options) throws SQLException {
    String real = Drivers.unwatched(url);
    try (Connection connection = Drivers.connect(real, options)) {
      List<String> existing = existing(connection);
      if (!existing.isEmpty()) {
        throw CommandException.badInput(
            Drivers.shown(real)
                + " has tables of the names that the demo makes and drops ("
                + String.join(", ", existing)
                + "): give it an empty database");
      }
    }
    return new UserDemoDatabase(real, options);
  }

  @Override
  public String name() {
    return url.split(":", 3)[1];
  }

  @Override
  public String empty(String phase) throws SQLException {
    drop();
    return url;
  }

  @Override
  public Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    options
        .credentials()
        .forEach(
            (key, value) ->
                environment.put(
                    "DEMO_" + key.toString().toUpperCase(Locale.ROOT), value.toString()));
    return environment;
  }

  @Override
  public void close() throws SQLException {
    try (Connection connection = Drivers.connect(url, options)) {
      List<String> existing = existing(connection);
      if (!existing.isEmpty()) {
        unprepare(connection, existing);
      }
    }
    drop();
  }

  /** Also removes what preparation leaves besides the tables, if nothing else needs it. */
  private void unprepare(Connection connection, List<String> tables) throws SQLException {
    try {
      Preparation preparation = Products.preparation(connection, url, Duration.ofSeconds(5));
      preparation.execute(preparation.planUnprepare(tables));
    } catch (UnsupportedDatabaseException e) {
      // Then they are not prepared.
    }
  }

  private void drop() throws SQLException {
    try (Connection connection = Drivers.connect(url, options);
        Statement statement = connection.createStatement()) {
      for (String table : TABLES) {
        statement.execute("DROP TABLE IF EXISTS " + table);
      }
    }
  }

  private static List<String> existing(Connection connection) throws SQLException {
    List<String> existing = new ArrayList<>();
    DatabaseMetaData metaData = connection.getMetaData();
    for (String table : TABLES) {
      for (String name : List.of(table, table.toUpperCase(Locale.ROOT))) {
        try (ResultSet found =
            metaData.getTables(
                connection.getCatalog(), connection.getSchema(), name, new String[] {"TABLE"})) {
          if (found.next() && !existing.contains(table)) {
            existing.add(table);
          }
        }
      }
    }
    return existing;
  }
}
