package io.txwatch.cli;

import io.txwatch.servers.DatabaseServer;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

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

  /**
   * A database within the demo's own JVM, or a file.
   *
   * @param url that of the database of a phase
   */
  static DemoDatabase embedded(CommandDbms dbms, UnaryOperator<String> url) {
    return new DemoDatabase() {
      @Override
      public String name() {
        return dbms.subprotocol();
      }

      @Override
      public String empty(String phase) {
        return url.apply(phase);
      }
    };
  }

  /** A server started by the demo. */
  static DemoDatabase server(CommandDbms dbms, Supplier<? extends DatabaseServer> starter) {
    Drivers.register("jdbc:" + dbms.subprotocol() + ":", List.of());
    DatabaseServer server = starter.get();
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    return new DemoDatabase() {
      @Override
      public String name() {
        return dbms.subprotocol();
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
