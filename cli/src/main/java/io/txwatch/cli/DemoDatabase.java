package io.txwatch.cli;

import io.txwatch.prepare.Preparation;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
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

/** The database of the demo: an empty one for each phase. */
interface DemoDatabase extends AutoCloseable {

  /** Its name before it is opened: {@code postgresql}. */
  String name();

  /**
   * The URL of an empty database, with user and password if it needs any.
   *
   * @param phase names the database: lower-case letters and underscores
   */
  String empty(String phase) throws SQLException;

  /** The user and password that are not in the URL, as environment variables of the application. */
  default Map<String, String> environment() {
    return Map.of();
  }

  /** Stops a server that was started. */
  @Override
  default void close() throws SQLException {}

  /** H2 within the demo's own JVM. */
  static DemoDatabase h2() {
    return new DemoDatabase() {
      @Override
      public String name() {
        return "h2";
      }

      @Override
      public String empty(String phase) {
        return "jdbc:h2:mem:" + phase + ";DB_CLOSE_DELAY=-1";
      }
    };
  }

  /** SQLite in temporary files. */
  static DemoDatabase sqlite() {
    return new DemoDatabase() {
      @Override
      public String name() {
        return "sqlite";
      }

      @Override
      public String empty(String phase) {
        try {
          return "jdbc:sqlite:" + NestedJars.temporaryDirectory().resolve(phase + ".db");
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
  }

  /** A PostgreSQL server started by the demo. */
  static DemoDatabase postgresql() {
    Drivers.register("jdbc:postgresql:", List.of());
    return server("postgresql", PostgresServer.start());
  }

  /** A MariaDB server started by the demo. */
  static DemoDatabase mariadb() {
    Drivers.register("jdbc:mariadb:", List.of());
    return server("mariadb", MariaDbServer.start());
  }

  private static DemoDatabase server(String name, DatabaseServer server) {
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    return new DemoDatabase() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public String empty(String phase) throws SQLException {
        return server.newDatabase(phase);
      }

      @Override
      public void close() {
        server.close();
      }
    };
  }

  /**
   * A database of the user. The demo's tables are dropped at the end; if such tables already exist,
   * the demo does not start.
   */
  static DemoDatabase ofUser(String url, DatabaseOptions options) throws SQLException {
    List<String> tables = List.of("account", "seat", "doctor");
    String real = Drivers.unwatched(url);
    try (Connection connection = Drivers.connect(real, options)) {
      List<String> there = existing(connection, tables);
      if (!there.isEmpty()) {
        throw CommandException.badInput(
            Drivers.shown(real)
                + " has tables of the names that the demo makes and drops ("
                + String.join(", ", there)
                + "): give it an empty database");
      }
    }
    Map<String, String> environment = new HashMap<>();
    options
        .credentials()
        .forEach(
            (key, value) ->
                environment.put(
                    "DEMO_" + key.toString().toUpperCase(Locale.ROOT), value.toString()));
    return new DemoDatabase() {
      @Override
      public String name() {
        return real.split(":", 3)[1];
      }

      @Override
      public String empty(String phase) throws SQLException {
        drop();
        return real;
      }

      @Override
      public Map<String, String> environment() {
        return environment;
      }

      @Override
      public void close() throws SQLException {
        try (Connection connection = Drivers.connect(real, options)) {
          List<String> ours = existing(connection, tables);
          if (!ours.isEmpty()) {
            // This also removes what preparation leaves besides the tables, if nothing else needs
            // it.
            Preparation preparation = Preparation.of(connection, real, Duration.ofSeconds(5));
            preparation.execute(preparation.planUnprepare(ours));
          }
        }
        drop();
      }

      private void drop() throws SQLException {
        try (Connection connection = Drivers.connect(real, options);
            Statement statement = connection.createStatement()) {
          for (String table : tables) {
            statement.execute("DROP TABLE IF EXISTS " + table);
          }
        }
      }
    };
  }

  private static List<String> existing(Connection connection, List<String> tables)
      throws SQLException {
    List<String> there = new ArrayList<>();
    DatabaseMetaData metaData = connection.getMetaData();
    for (String table : tables) {
      for (String name : List.of(table, table.toUpperCase(Locale.ROOT))) {
        try (ResultSet found =
            metaData.getTables(
                connection.getCatalog(), connection.getSchema(), name, new String[] {"TABLE"})) {
          if (found.next() && !there.contains(table)) {
            there.add(table);
          }
        }
      }
    }
    return there;
  }
}
