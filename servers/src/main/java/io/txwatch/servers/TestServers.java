package io.txwatch.servers;

import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The servers that tests share: one of each kind per JVM, started on first use, ended with the JVM.
 *
 * <pre>{@code
 * String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
 *
 * @ParameterizedTest
 * @MethodSource("io.txwatch.servers.TestServers#kinds")
 * void onEach(ServerKind kind) { … }
 * }</pre>
 *
 * <p>The environment variable {@value #URLS_VARIABLE} contains JDBC URLs of running servers,
 * separated by commas, each with a user who may create databases: {@code
 * jdbc:postgresql://127.0.0.1:5432/postgres?user=postgres&password=x,jdbc:mysql://127.0.0.1:3306/mysql?user=root}.
 * Each replaces the server of its kind that would be started. MySQL can be started only after
 * {@code servers/mysql fetch}; otherwise its tests are skipped, which {@link #kinds()} reports
 * once.
 */
public final class TestServers {

  private static final String URLS_VARIABLE = "TXWATCH_TEST_URLS";
  private static final Map<ServerKind, DatabaseServer> RUNNING = new EnumMap<>(ServerKind.class);
  private static final AtomicBoolean MISSING_MYSQL_REPORTED = new AtomicBoolean();
  private static final AtomicInteger COUNT = new AtomicInteger();

  private TestServers() {}

  /** The server of that kind. */
  public static DatabaseServer of(ServerKind kind) {
    synchronized (RUNNING) {
      return RUNNING.computeIfAbsent(kind, TestServers::start);
    }
  }

  /**
   * Starts a server with other settings, unless one of its kind already runs or is named by {@value
   * #URLS_VARIABLE}.
   */
  public static void startBy(ServerKind kind, Supplier<DatabaseServer> start) {
    synchronized (RUNNING) {
      if (startsItself(kind)) {
        RUNNING.computeIfAbsent(kind, any -> start.get());
      }
    }
  }

  /** The URL of a new, empty database, with user and password. */
  public static String freshDatabase(ServerKind kind) throws SQLException {
    return of(kind)
        .newDatabase("txw_" + ProcessHandle.current().pid() + "_" + COUNT.incrementAndGet());
  }

  /** The kinds that can be tested here. If MySQL is not among them, the reason is printed once. */
  public static Stream<ServerKind> kinds() {
    Optional<String> noMySql = missing(ServerKind.MYSQL);
    if (noMySql.isPresent() && MISSING_MYSQL_REPORTED.compareAndSet(false, true)) {
      System.err.println("[txwatch] " + noMySql.get());
    }
    return Stream.of(ServerKind.values()).filter(kind -> missing(kind).isEmpty());
  }

  /** The reason why a kind cannot be tested here, in one line; empty if it can. */
  public static Optional<String> missing(ServerKind kind) {
    boolean here =
        kind != ServerKind.MYSQL || MySqlServer.isFetched() || external(kind).isPresent();
    return here
        ? Optional.empty()
        : Optional.of(
            "no MySQL here, all tests on it are skipped: servers/mysql fetch gets it, or "
                + URLS_VARIABLE
                + " names one");
  }

  /** Those of {@link #kinds()} that run sessions side by side, row by row: all but SQLite. */
  public static Stream<ServerKind> concurrentKinds() {
    return kinds().filter(kind -> kind != ServerKind.SQLITE);
  }

  /** True if this class starts the server of that kind, because no other was named. */
  static boolean startsItself(ServerKind kind) {
    return external(kind).isEmpty();
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
      case MYSQL -> MySqlServer.start();
    };
  }

  private static Optional<DatabaseServer> external(ServerKind kind) {
    return urls(Optional.ofNullable(System.getenv(URLS_VARIABLE)).orElse("")).stream()
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
