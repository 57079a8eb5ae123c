package io.txwatch.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.plan.Catalog;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tables that a new connection reads before the application has got it. */
class ReadAheadTest {

  private static final int MAX_QUERIES = 40;

  private static final CatalogMode UNHURRIED =
      new CatalogMode(Optional.empty(), CatalogMode.Versions.COLUMNS, false, Duration.ofMinutes(1));

  /** On MariaDB no table can be looked up before the application is about to send a statement. */
  @Test
  void theNextConnectionGoesOnWhereOneFailed() throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.MARIADB);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String table : List.of("a", "b", "c", "d")) {
        statement.execute("CREATE TABLE " + table + " (id INT PRIMARY KEY)");
      }
    }
    int interrupted = 0;
    for (int query = 1; query <= MAX_QUERIES; query++) {
      AtomicInteger left = new AtomicInteger(query);
      try (Connection first = DriverManager.getConnection(url);
          Connection second = DriverManager.getConnection(url);
          JdbcCatalog ignored = open(failing(first, left), url, query);
          JdbcCatalog catalog = open(second, url, query)) {
        interrupted += left.get() <= 0 ? 1 : 0;
        long unknown =
            List.of("a", "b", "c", "d").stream().filter(table -> isUnknown(catalog, table)).count();
        assertThat(unknown).as("tables not read if query %d fails", query).isLessThanOrEqualTo(1);
      } catch (SQLException e) {
        assertThat(e.getMessage()).isEqualTo("interrupted"); // before the tables are read
      }
    }
    assertThat(interrupted).isGreaterThan(2);
  }

  /**
   * On one URL, one run after another makes tables of its own, some under names of before, and
   * opens one connection: the catalog's only moment, if its transactions keep their snapshots.
   */
  @Test
  void tablesOfTheNextRunAreReadAsThoseOfTheFirst() throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.MYSQL);
    try (Connection raw = DriverManager.getConnection(url)) {
      for (int run = 0; run < 8; run++) {
        List<String> tables = List.of("run" + run + "_a", "run" + run + "_b", "common");
        for (String table : tables) {
          TestDatabase.execute(raw, "CREATE TABLE " + table + " (id INT PRIMARY KEY, v INT)");
        }
        try (Connection fresh = DriverManager.getConnection(url);
            JdbcCatalog catalog = open(fresh, url, 0)) {
          assertThat(tables).noneMatch(table -> isUnknown(catalog, table));
        }
        TestDatabase.execute(raw, "DROP TABLE common");
      }
    }
  }

  /**
   * A session that looks names up elsewhere by now: the last moment to see where, and its tables,
   * is the statement that begins a transaction which keeps a snapshot.
   */
  @Test
  void tablesOfAnotherDatabaseAreReadBeforeTheTransactionBegins() throws SQLException {
    String other = TestServers.freshDatabase(ServerKind.MYSQL);
    TestDatabase there = TestDatabase.at(ServerKind.MYSQL, other, List.of());
    TestDatabase here =
        TestDatabase.at(ServerKind.MYSQL, TestServers.freshDatabase(ServerKind.MYSQL), List.of());
    String name;
    try (Connection raw = there.raw()) {
      name = raw.getCatalog();
      TestDatabase.execute(raw, "CREATE TABLE elsewhere (id INT PRIMARY KEY, v INT)");
      there.prepare(raw);
    }
    for (boolean byText : List.of(true, false)) {
      try (Connection watched = here.watched()) {
        if (byText) {
          TestDatabase.execute(watched, "USE " + name);
        } else {
          watched.setCatalog(name);
        }
        TestDatabase.execute(
            watched, "START TRANSACTION", "SELECT v FROM elsewhere WHERE id = 1", "COMMIT");
      }
    }
    assertThat(here.events(Event.Gap.class)).isEmpty();
    assertThat(here.statements()).hasSize(3); // USE, and both queries
  }

  @Test
  void usedTablesComeFirstAndOthersOnce() {
    TableUsage usage = new TableUsage(2);
    List<String> tables = List.of("s\0a", "s\0b", "s\0c");
    assertThat(usage.wanted("s\0", tables)).isEqualTo(tables);
    tables.forEach(usage::read);
    assertThat(usage.wanted("s\0", tables)).isEmpty();
    usage.use("s\0c");
    assertThat(usage.wanted("s\0", List.of("s\0a", "s\0b", "s\0c", "s\0new")))
        .containsExactly("s\0c", "s\0new");
    usage.use("s\0a");
    usage.use("s\0b");
    assertThat(usage.wanted("s\0", tables)).containsExactly("s\0a", "s\0b");
    assertThat(usage.wanted("s\0", List.of("s\0b", "s\0c"))).containsExactly("s\0b");
    assertThat(usage.wanted("s\0", tables)) // "a" was dropped and made again
        .containsExactly("s\0a", "s\0b");
    assertThat(usage.wanted("t\0", List.of("t\0a"))).containsExactly("t\0a");
  }

  @Test
  void aCauseIsLoggedOnceAMinuteWithAnExampleAndTheirNumber() {
    AtomicLong seconds = new AtomicLong();
    LookupLog log = new LookupLog(() -> TimeUnit.SECONDS.toNanos(seconds.get()));
    List<String> lines = new ArrayList<>();
    for (int second = 0; second <= LookupLog.INTERVAL_SECONDS; second += 20) {
      seconds.set(second);
      log.log("busy", "busy at " + second, lines::add);
    }
    log.log("closed", "closed", lines::add);
    assertThat(lines)
        .containsExactly("busy at 0", "busy at 60 (and 2 more since the last such line)", "closed");
  }

  @Test
  void aPostponedLookUpIsNoFault() throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.MYSQL);
    List<String> lines = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        JdbcCatalog catalog =
            JdbcCatalog.open(
                connection,
                url,
                "",
                () -> DriverManager.getConnection(url),
                CatalogMode.REWRITING,
                () -> false,
                lines::add)) {
      TestDatabase.execute(connection, "CREATE TABLE late (id INT PRIMARY KEY)");
      assertThat(isUnknown(catalog, "late")).isTrue();
      catalog.executing("SELECT 1");
      connection.setAutoCommit(false);
      TestDatabase.execute(connection, "SELECT id FROM late");
      assertThat(isUnknown(catalog, "late")).isTrue();
      assertThat(lines).isEmpty();
    }
  }

  private static JdbcCatalog open(Connection connection, String url, int query)
      throws SQLException {
    return JdbcCatalog.open(
        connection,
        url,
        "user " + query,
        () -> DriverManager.getConnection(url),
        UNHURRIED,
        () -> true,
        line -> {});
  }

  private static boolean isUnknown(JdbcCatalog catalog, String table) {
    return catalog.find(List.of(table)).orElseThrow().status() == Catalog.Status.LOOKUP_FAILED;
  }

  /** A connection that makes no statement when its turn has come, and goes on afterwards. */
  private static Connection failing(Connection real, AtomicInteger left) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              boolean makes =
                  method.getName().equals("createStatement")
                      || method.getName().equals("prepareStatement");
              if (makes && left.decrementAndGet() == 0) {
                throw new SQLException("interrupted");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
