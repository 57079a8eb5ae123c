package io.txwatch.changes.binlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeGap.Reason;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.binlog.LoggedServer.Collector;
import io.txwatch.changes.binlog.LoggedServer.Session;
import io.txwatch.servers.ServerKind;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables are described in time, and rows only with the version of their table. */
class TableDescriptionsTest {

  private static final String KINDS = "io.txwatch.changes.binlog.LoggedServer#kinds";
  private static final String COLUMNS = " (id INT PRIMARY KEY, n INT, m INT)";
  private static final String SWAP = " RENAME COLUMN n TO m, RENAME COLUMN m TO n";

  private final List<List<String>> queries = new CopyOnWriteArrayList<>();

  /** By the table that is described first: what happens before it is. */
  private final Map<String, Step> steps = new ConcurrentHashMap<>();

  private interface Step {
    void run() throws Exception;
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void manyTablesAreDescribedInFewQueries(ServerKind kind) throws Exception {
    int tables = 300;
    try (Session session = session(kind, create(tables))) {
      session.execute(insert(tables, 1));
      Collector collected = session.await();
      assertThat(collected.transactions).hasSize(tables);
      assertThat(collected.gaps).isEmpty();
      assertThat(queries.size()).isLessThan(15);

      queries.clear();
      session.execute("CREATE TABLE other (id INT PRIMARY KEY)");
      session.execute(insert(tables, 2));
      assertThat(session.await().transactions).hasSize(2 * tables);
      assertThat(queries).hasSize(1);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void fewTablesAreDescribedThatAreNotWritten(ServerKind kind) throws Exception {
    try (Session session = session(kind, create(300))) {
      session.execute(insert(1, 1));
      session.await();
      assertThat(queries).containsExactly(List.of("t0"));
      session.execute("INSERT INTO t299 VALUES (1, 1, 1)");
      session.await();
      assertThat(queries.get(1)).contains("t299").hasSize(64);
    }
  }

  /** Each table, in a schema of its own, is described only once the next one is in the log. */
  @ParameterizedTest
  @MethodSource(KINDS)
  void whatIsCertainGoesOnWhileOtherTablesAreNot(ServerKind kind) throws Exception {
    int count = 6;
    List<Integer> delivered = new ArrayList<>();
    List<LogPosition> positions = new ArrayList<>();
    try (Session session = session(kind)) {
      String home = session.url.replaceAll(".*/([^?]*).*", "$1");
      for (int i = 0; i < count; i++) {
        session.execute("CREATE DATABASE " + home + "_" + i);
        session.execute("CREATE TABLE " + home + "_" + i + ".chain" + i + COLUMNS);
      }
      CountDownLatch over = new CountDownLatch(1);
      for (int i = 0; i < count; i++) {
        int next = i + 1;
        steps.put(
            "chain" + i,
            () -> {
              delivered.add(session.collected.transactions.size());
              positions.add(session.source.position());
              if (next < count) {
                session.execute(
                    "INSERT INTO " + home + "_" + next + ".chain" + next + " VALUES (1, 1, 1)");
              } else {
                over.countDown();
              }
            });
      }
      session.execute("INSERT INTO " + home + "_0.chain0 VALUES (1, 1, 1)");
      over.await();
      assertThat(delivered).containsExactly(0, 0, 1, 2, 3, 4);
      assertThat(positions).isSorted();
      assertThat(positions.get(5)).isGreaterThan(positions.get(4));
      assertThat(session.await().lines())
          .containsExactlyElementsOf(
              IntStream.range(0, count)
                  .mapToObj(i -> "0 INSERT chain" + i + " [1, 1, 1]")
                  .toList());
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void rowsWithoutTheirVersionOfATableThatWasDescribedAheadAreAGap(ServerKind kind)
      throws Exception {
    try (Session session = session(kind, create(3))) {
      CountDownLatch isLogged = new CountDownLatch(1);
      steps.put("t0", isLogged::await); // until then nothing is read
      steps.put("t1", () -> session.execute("ALTER TABLE t2" + SWAP));
      session.execute("INSERT INTO t0 VALUES (1, 1, 1)", "INSERT INTO t1 VALUES (1, 1, 1)");
      session.execute("INSERT INTO t2 VALUES (1, 5, 6)");
      isLogged.countDown();
      Awaitility.await().until(() -> !session.collected.schemaChanges.isEmpty());
      session.execute("INSERT INTO t2(id, n, m) VALUES (2, 5, 6)");

      Collector collected = session.await();
      assertThat(collected.rows())
          .filteredOn(row -> row.table().name().equals("t2"))
          .singleElement()
          .satisfies(
              row -> {
                assertThat(row.after()).containsExactly(2L, 6L, 5L);
                assertThat(row.table().columnNames()).containsExactly("id", "m", "n");
              });
      assertThat(collected.rows()).filteredOn(row -> row.table().name().equals("t0")).hasSize(1);
      assertThat(collected.gaps).extracting(ChangeGap::reason).containsOnly(Reason.TABLE_UNKNOWN);
      assertThat(collected.gaps).extracting(ChangeGap::table).contains("t2");
    }
  }

  /** A description that another change of schema has made void stays void for what is prepared. */
  @ParameterizedTest
  @MethodSource(KINDS)
  void preparedRowsWithoutTheirVersionOfATableAreAGap(ServerKind kind) throws Exception {
    try (Session session = session(kind, create(1));
        Connection connection = session.connect();
        Statement statement = connection.createStatement()) {
      steps.put(
          "t0",
          () -> {
            session.execute("CREATE TABLE other (id INT PRIMARY KEY)");
            statement.execute("XA COMMIT 'x'");
            session.execute("ALTER TABLE t0" + SWAP);
          });
      statement.execute("XA START 'x'");
      statement.execute("INSERT INTO t0 VALUES (1, 5, 6)");
      statement.execute("XA END 'x'");
      statement.execute("XA PREPARE 'x'");
      Awaitility.await().until(() -> session.collected.schemaChanges.size() == 2);

      Collector collected = session.await();
      assertThat(collected.rows()).isEmpty();
      assertThat(collected.gaps)
          .singleElement()
          .satisfies(gap -> assertThat(gap.table()).isEqualTo("t0"));
    }
  }

  private Session session(ServerKind kind, String... setup) throws Exception {
    return new Session(LoggedServer.of(kind), this::observed, setup);
  }

  private static String[] create(int tables) {
    return IntStream.range(0, tables)
        .mapToObj(i -> "CREATE TABLE t" + i + COLUMNS)
        .toArray(String[]::new);
  }

  private static String[] insert(int tables, int id) {
    return Stream.iterate(0, i -> (i + 37) % tables)
        .limit(tables)
        .map(i -> "INSERT INTO t" + i + " VALUES (" + id + ", 1, 1)")
        .toArray(String[]::new);
  }

  private Connection observed(Connection connection) {
    return proxy(
        Connection.class,
        connection,
        (method, arguments, result) -> {
          if (method.equals("prepareStatement")
              && String.valueOf(arguments[0]).contains("INFORMATION_SCHEMA.COLUMNS")) {
            return observed((PreparedStatement) result.get());
          }
          return result.get();
        });
  }

  private PreparedStatement observed(PreparedStatement statement) {
    List<String> tables = new ArrayList<>();
    return proxy(
        PreparedStatement.class,
        statement,
        (method, arguments, result) -> {
          if (method.equals("setString") && !arguments[0].equals(1)) {
            tables.add((String) arguments[1]);
          } else if (method.equals("executeQuery")) {
            queries.add(tables);
            Step step = steps.remove(tables.get(0));
            if (step != null) {
              step.run();
            }
          }
          return result.get();
        });
  }

  private interface Result {
    Object get() throws Throwable;
  }

  private interface Call {
    Object of(String method, Object[] arguments, Result result) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, T target, Call call) {
    InvocationHandler handler =
        (proxy, method, arguments) ->
            call.of(
                method.getName(),
                arguments,
                () -> {
                  try {
                    return method.invoke(target, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
