package io.txwatch.servers;

import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * The servers that tests share: one of each kind in a JVM, started when first asked for, gone with
 * the JVM.
 *
 * <pre>{@code
 * String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
 *
 * @ParameterizedTest
 * @MethodSource("io.txwatch.servers.TestServers#kinds")
 * void onEach(ServerKind kind) { … }
 * }</pre>
 *
 * <p>The environment variable {@value #URLS} holds JDBC URLs of servers that already run, separated
 * by commas, each with a user who may create databases: {@code
 * jdbc:postgresql://127.0.0.1:5432/postgres?user=postgres&password=x,jdbc:mysql://127.0.0.1:3306/mysql?user=root}.
 * Each takes the place of the embedded server of its kind; MySQL, which has no embedded server, is
 * tested only if it is named there.
 */
public final class TestServers {

  private static final String URLS = "TXWATCH_TEST_URLS";
  private static final Map<ServerKind, DatabaseServer> RUNNING = new EnumMap<>(ServerKind.class);
  private static final AtomicInteger COUNT = new AtomicInteger();

  private TestServers() {}

  /** The server of that kind. */
  public static DatabaseServer of(ServerKind kind) {
    synchronized (RUNNING) {
      return RUNNING.computeIfAbsent(kind, TestServers::start);
    }
  }

  /** The URL of a new, empty database, with user and password. */
  public static String freshDatabase(ServerKind kind) throws SQLException {
    return of(kind)
        .newDatabase("txw_" + ProcessHandle.current().pid() + "_" + COUNT.incrementAndGet());
  }

  /** Every kind that can be tested here: MySQL only if {@code TXWATCH_TEST_URLS} names one. */
  public static Stream<ServerKind> kinds() {
    return Stream.of(ServerKind.values())
        .filter(kind -> kind != ServerKind.MYSQL || external(kind).isPresent());
  }

  /** Those of {@link #kinds()} that run sessions side by side, row by row: all but SQLite. */
  public static Stream<ServerKind> concurrentKinds() {
    return kinds().filter(kind -> kind != ServerKind.SQLITE);
  }

  private static DatabaseServer start(ServerKind kind) {
    Optional<DatabaseServer> external = external(kind);
    if (external.isPresent()) {
      return external.get();
    }
    return switch (kind) {
      case POSTGRESQL -> PostgresServer.start();
      case MARIADB -> MariaDbServer.start();
      case H2 -> EmbeddedDatabases.h2();
      case SQLITE -> EmbeddedDatabases.sqlite();
      case MYSQL ->
          throw new ServerUnavailableException("no MySQL to test with: name one in " + URLS);
    };
  }

  private static Optional<DatabaseServer> external(ServerKind kind) {
    return urls(Optional.ofNullable(System.getenv(URLS)).orElse("")).stream()
        .filter(url -> ServerKind.ofUrl(url).equals(Optional.of(kind)))
        .findFirst()
        .map(url -> new ExternalServer(kind, url));
  }

  /** The URLs in such a list; a comma within a URL (several hosts) does not end it. */
  static List<String> urls(String list) {
    return Stream.of(list.split(",(?=\\s*jdbc:)"))
        .map(String::strip)
        .filter(url -> !url.isEmpty())
        .toList();
  }
}
