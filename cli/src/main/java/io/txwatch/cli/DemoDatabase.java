package io.txwatch.cli;

import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.List;
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
    return UserDemoDatabase.open(url, options);
  }
}
