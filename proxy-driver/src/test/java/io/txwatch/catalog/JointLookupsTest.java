package io.txwatch.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is read of many tables at once is what is read of each. */
class JointLookupsTest {

  private static final int QUERIES_OF_A_TABLE = 4;

  private static final String[] TABLES = {
    "CREATE TABLE plain (id INT PRIMARY KEY, v VARCHAR(9) NOT NULL DEFAULT 'a')",
    "CREATE TABLE Plain2 (b BIGINT UNSIGNED, a INT NOT NULL, x CHAR(3) CHARACTER SET latin1,"
        + " UNIQUE KEY two (a), UNIQUE KEY maybe (b), PRIMARY KEY (a, x))",
    "CREATE TABLE stamped (id INT PRIMARY KEY,"
        + " at TIMESTAMP DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP)",
    "CREATE TABLE triggered (id INT PRIMARY KEY, v INT)",
    "CREATE TRIGGER changing BEFORE UPDATE ON triggered FOR EACH ROW SET NEW.v = 1",
    "CREATE TABLE lockless (id INT PRIMARY KEY) ENGINE = MyISAM",
    "CREATE TABLE keyless (v INT)",
    "CREATE VIEW shown AS SELECT id FROM plain"
  };

  private static final List<String> NAMES =
      List.of("plain", "Plain2", "stamped", "triggered", "lockless", "keyless", "shown", "none");

  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "MARIADB"})
  void tablesReadTogetherAreAsThoseReadAlone(ServerKind kind) throws Exception {
    String url = database(kind);
    try (Connection connection = DriverManager.getConnection(url)) {
      SchemaReader reader = reader(connection, url);
      String schema = connection.getCatalog();
      Map<String, TableInfo> alone = new HashMap<>();
      for (String name : NAMES) {
        reader.table(connection, schema, name).ifPresent(table -> alone.put(name, table));
      }
      assertThat(alone).hasSize(NAMES.size() - 1);
      assertThat(reader.tables(connection, schema, NAMES)).isEqualTo(alone);
      assertThat(reader.tables(connection, schema, List.of("none"))).isEmpty();
    }
  }

  /** With 200 threads and 1,000 tables, the first statements waited for each other's look-ups. */
  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "MARIADB", "H2"})
  void whatManyThreadsWantIsReadTogether(ServerKind kind) throws Exception {
    String url = database(kind);
    AtomicInteger queries = new AtomicInteger();
    try (Connection any = DriverManager.getConnection(url);
        SeparateConnection own =
            new SeparateConnection(() -> counted(DriverManager.getConnection(url), queries))) {
      SchemaReader reader = reader(any, url);
      own.of(reader);
      List<String> path = reader.path(any);
      JointLookups lookups = new JointLookups(reader, own);
      CountDownLatch free = new CountDownLatch(1);
      Running<Boolean> using =
          Running.of(
              () ->
                  own.use(
                      connection -> {
                        Awaitility.await().until(() -> free.getCount() == 0);
                        return true;
                      }));
      Awaitility.await().until(() -> isWaiting(using.thread));
      List<String> wanted = kind == ServerKind.H2 ? List.of("plain", "none") : NAMES;
      List<Running<Optional<TableInfo>>> all = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        for (String name : wanted) {
          all.add(Running.of(() -> lookups.find(path, List.of(name))));
        }
      }
      for (Running<?> each : all) {
        Awaitility.await().until(() -> isWaiting(each.thread));
      }
      queries.set(0);
      free.countDown();
      for (int i = 0; i < all.size(); i++) {
        List<String> parts = List.of(wanted.get(i % wanted.size()));
        assertThat(all.get(i).task.get()).isEqualTo(reader.find(any, path, parts));
      }
      assertThat(using.task.get()).isTrue();
      if (kind == ServerKind.MYSQL) { // for the first one, and for the others; and the view's text
        assertThat(queries.get()).isLessThanOrEqualTo(2 * (QUERIES_OF_A_TABLE + 1));
      }
    }
  }

  /** A look-up that fails is its own thread's failure; the others are made. */
  @ParameterizedTest
  @EnumSource(names = "MYSQL")
  void aFailureIsNotOneOfOthers(ServerKind kind) throws Exception {
    String url = database(kind);
    AtomicInteger opened = new AtomicInteger();
    try (Connection any = DriverManager.getConnection(url);
        SeparateConnection own =
            new SeparateConnection(
                () -> {
                  if (opened.getAndIncrement() == 0) {
                    throw new SQLException("not now", "08001");
                  }
                  return DriverManager.getConnection(url);
                })) {
      SchemaReader reader = reader(any, url);
      JointLookups lookups = new JointLookups(reader, own);
      List<String> path = reader.path(any);
      List<Running<Optional<TableInfo>>> all = new ArrayList<>();
      for (String name : List.of("plain", "keyless", "stamped")) {
        all.add(Running.of(() -> lookups.find(path, List.of(name))));
      }
      int failed = 0;
      for (Running<Optional<TableInfo>> each : all) {
        try {
          assertThat(each.task.get()).isPresent();
        } catch (ExecutionException e) {
          failed++;
        }
      }
      assertThat(failed).isEqualTo(1);
    }
  }

  private record Running<T>(Thread thread, FutureTask<T> task) {
    static <T> Running<T> of(Callable<T> doing) {
      FutureTask<T> task = new FutureTask<>(doing);
      Thread thread = new Thread(task);
      thread.setDaemon(true);
      thread.start();
      return new Running<>(thread, task);
    }
  }

  private static boolean isWaiting(Thread thread) {
    return switch (thread.getState()) {
      case BLOCKED, WAITING, TIMED_WAITING -> true;
      default -> false;
    };
  }

  private static String database(ServerKind kind) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : kind == ServerKind.H2 ? new String[] {TABLES[0]} : TABLES) {
        statement.execute(sql);
      }
    }
    return url;
  }

  private static SchemaReader reader(Connection connection, String url) throws SQLException {
    return Products.probe(connection, url).reader(connection);
  }

  private static Connection counted(Connection real, AtomicInteger queries) {
    return (Connection)
        Proxy.newProxyInstance(
            JointLookupsTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                queries.incrementAndGet();
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
