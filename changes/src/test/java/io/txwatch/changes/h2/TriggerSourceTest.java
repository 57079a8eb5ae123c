package io.txwatch.changes.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeGap.Reason;
import io.txwatch.changes.ChangeListener;
import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.SchemaChange;
import io.txwatch.history.BackgroundThreads;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real H2: what its triggers tell is what was committed. */
class TriggerSourceTest {

  private static final String URL = "jdbc:h2:mem:triggers";

  private final Collector collected = new Collector();
  private Connection connection;
  private Statement statement;
  private TriggerSource source;

  @BeforeEach
  void open() throws Exception {
    connection = DriverManager.getConnection(URL);
    statement = connection.createStatement();
    statement.execute("CREATE TABLE t(id INT PRIMARY KEY, n INT)");
    source = TriggerSource.of(connection);
  }

  @AfterEach
  void closeAll() throws SQLException {
    source.close();
    connection.close();
  }

  private void start() throws Exception {
    source.start(collected);
  }

  private List<String> lines() {
    LogPosition end = source.endOfLog();
    Awaitility.await()
        .pollInterval(Duration.ofMillis(1))
        .until(() -> source.position().compareTo(end) >= 0);
    return collected.lines();
  }

  private void execute(String... texts) throws SQLException {
    for (String text : texts) {
      statement.execute(text);
    }
  }

  @Test
  void rowsOfTransactionAreGroupedByStatement() throws Exception {
    start();
    connection.setAutoCommit(false);
    execute("INSERT INTO t VALUES (1, 10), (2, 20)", "UPDATE t SET n = n + 1");
    execute("DELETE FROM t WHERE id = 2");
    assertThat(lines()).isEmpty();
    connection.commit();

    assertThat(lines())
        .containsExactly(
            "0 INSERT T [1, 10]; 0 INSERT T [2, 20]; 1 UPDATE T [1, 10] [1, 11]; "
                + "1 UPDATE T [2, 20] [2, 21]; 2 DELETE T [2, 21]");
    ChangedTransaction transaction = collected.transactions.get(0);
    assertThat(transaction.connectionId()).isEqualTo(TriggerSource.sessionId(connection));
    assertThat(transaction.isComplete()).isTrue();
    assertThat(transaction.changes().get(0).table().schema()).isEqualTo("PUBLIC");
    assertThat(transaction.changes().get(0).table().keys().get(0).isPrimary()).isTrue();
    assertThat(transaction.changes().get(0).table().keys().get(0).columns()).containsExactly(0);
    assertThat(collected.gaps).isEmpty();
    assertThat(source.state()).isEqualTo(ChangeSource.State.READING);
  }

  @Test
  void samePreparedStatementTwiceIsTwoStatements() throws Exception {
    start();
    connection.setAutoCommit(false);
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO t VALUES (?, 0)")) {
      for (int id = 0; id < 3; id++) {
        insert.setInt(1, id);
        insert.executeUpdate();
      }
    }
    connection.commit();
    assertThat(lines()).containsExactly("0 INSERT T [0, 0]; 1 INSERT T [1, 0]; 2 INSERT T [2, 0]");
  }

  @Test
  void everyKindOfWriteIsSeen() throws Exception {
    execute("CREATE TABLE k(id INT PRIMARY KEY, t INT REFERENCES t(id) ON DELETE CASCADE)");
    start();
    execute("INSERT INTO t(id, n) SELECT x, x FROM SYSTEM_RANGE(1, 2)");
    execute("UPDATE t SET n = n WHERE id = 1");
    execute("MERGE INTO t KEY(id) VALUES (1, 5)");
    execute(
        "MERGE INTO t USING (VALUES (1, 6), (3, 3)) v(id, n) ON t.id = v.id"
            + " WHEN MATCHED THEN UPDATE SET n = v.n WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.n)");
    try (ResultSet rows =
        statement.executeQuery("SELECT n FROM FINAL TABLE (UPDATE t SET n = 7 WHERE id = 1)")) {
      assertThat(rows.next()).isTrue();
    }
    execute("INSERT INTO k VALUES (9, 1)", "DELETE FROM t WHERE id = 1");
    execute("UPDATE t SET id = 20 WHERE id = 2");

    assertThat(lines())
        .containsExactly(
            "0 INSERT T [1, 1]; 0 INSERT T [2, 2]",
            "0 UPDATE T [1, 1] [1, 1]",
            "0 UPDATE T [1, 1] [1, 5]",
            "0 UPDATE T [1, 5] [1, 6]; 0 INSERT T [3, 3]",
            "0 UPDATE T [1, 6] [1, 7]",
            "0 INSERT K [9, 1]",
            "0 DELETE T [1, 7]; 0 DELETE K [9, 1]",
            "0 UPDATE T [2, 2] [20, 2]");
  }

  @Test
  void rolledBackRowsAreNotDelivered() throws Exception {
    start();
    connection.setAutoCommit(false);
    execute("INSERT INTO t VALUES (1, 1)");
    connection.rollback();
    execute("INSERT INTO t VALUES (2, 2)", "UPDATE t SET n = n");
    Savepoint savepoint = connection.setSavepoint();
    execute("UPDATE t SET n = 3", "DELETE FROM t", "INSERT INTO t VALUES (2, 2)");
    execute("UPDATE t SET id = 4", "UPDATE t SET id = 2");
    connection.rollback(savepoint);
    execute("SELECT * FROM t FOR UPDATE");
    connection.rollback(savepoint);
    execute("UPDATE t SET n = 5");
    assertThatThrownBy(() -> execute("INSERT INTO t VALUES (8, 8), (2, 9)"))
        .isInstanceOf(SQLException.class);
    execute("INSERT INTO t VALUES (6, 6)");
    connection.commit();
    execute("UPDATE t SET n = 0");
    connection.close();
    connection = DriverManager.getConnection(URL + ";IFEXISTS=FALSE");

    Awaitility.await().until(() -> source.state() == ChangeSource.State.CLOSED);
    assertThat(collected.lines().get(0))
        .startsWith("0 INSERT T [2, 2]; ")
        .endsWith("UPDATE T [2, 2] [2, 5]; 9 INSERT T [6, 6]");
    assertThat(collected.lines()).hasSize(1);
  }

  @Test
  void failedCascadeLeavesNothing() throws Exception {
    execute("CREATE TABLE k(id INT PRIMARY KEY, t INT REFERENCES t(id) ON DELETE CASCADE)");
    execute("CREATE TABLE g(id INT PRIMARY KEY, k INT REFERENCES k(id))");
    execute("INSERT INTO t VALUES (1, 1), (2, 2)", "INSERT INTO k VALUES (1, 1), (2, 2)");
    execute("INSERT INTO g VALUES (2, 2)");
    start();
    connection.setAutoCommit(false);
    execute("UPDATE t SET n = 9");
    assertThatThrownBy(() -> execute("DELETE FROM t")).isInstanceOf(SQLException.class);
    execute("UPDATE k SET t = 1 WHERE id = 1");
    Savepoint savepoint = connection.setSavepoint();
    execute("DELETE FROM t WHERE id = 1", "INSERT INTO t VALUES (1, 9)");
    execute("INSERT INTO k VALUES (1, 1)", "DELETE FROM t WHERE id = 1");
    connection.rollback(savepoint);
    connection.commit();

    assertThat(lines().get(0))
        .startsWith("0 UPDATE T [1, 1] [1, 9]; 0 UPDATE T [2, 2] [2, 9]; ")
        .doesNotContain("DELETE")
        .doesNotContain("INSERT");
  }

  @Test
  void ddlOfTheApplicationWorksAndRowsHaveTheColumnsOfTheirTime() throws Exception {
    execute("CREATE SCHEMA other", "CREATE TABLE other.o(id INT PRIMARY KEY)");
    start();
    execute("INSERT INTO t VALUES (1, 1)", "ALTER TABLE t ADD COLUMN z INT DEFAULT 3");
    source.executed("PUBLIC", "CREATE TABLE");
    execute("UPDATE t SET n = 2", "ALTER TABLE t ALTER COLUMN n BIGINT");
    source.executed("PUBLIC", "CREATE TABLE");
    execute("UPDATE t SET n = 3", "ALTER TABLE t ALTER COLUMN n RENAME TO m");
    source.executed("PUBLIC", "CREATE TABLE");
    execute("UPDATE t SET m = 4", "ALTER TABLE t DROP COLUMN z");
    source.executed("PUBLIC", "CREATE TABLE");
    execute("UPDATE t SET m = 5", "ALTER TABLE t RENAME TO u");
    source.executed("PUBLIC", "CREATE TABLE");
    execute("UPDATE u SET m = 6", "INSERT INTO other.o VALUES (1)");
    execute("ALTER SCHEMA other RENAME TO another");
    source.executed("PUBLIC", "CREATE TABLE");
    execute("INSERT INTO another.o VALUES (2)");
    execute("CREATE VIEW v AS SELECT * FROM u", "UPDATE u SET m = 7");

    assertThat(lines())
        .containsExactly(
            "0 INSERT T [1, 1]",
            "0 UPDATE T [1, 1, 3] [1, 2, 3]",
            "0 UPDATE T [1, 2, 3] [1, 3, 3]",
            "0 UPDATE T [1, 3, 3] [1, 4, 3]",
            "0 UPDATE T [1, 4] [1, 5]",
            "0 UPDATE U [1, 5] [1, 6]",
            "0 INSERT O [1]",
            "0 INSERT O [2]",
            "0 UPDATE U [1, 6] [1, 7]");
    assertThat(collected.transactions.get(3).changes().get(0).table().columns().get(1).name())
        .isEqualTo("M");
    execute("DROP VIEW v", "DROP TABLE u", "DROP SCHEMA another CASCADE");
    execute("CREATE TABLE t(id INT)", "TRUNCATE TABLE t", "DROP ALL OBJECTS");
    assertThat(collected.gaps).isEmpty();
  }

  @Test
  void tablesCreatedLaterAreWatchedFromTheirFirstRow() throws Exception {
    start();
    connection.setAutoCommit(false);
    execute("CREATE TABLE late(id INT PRIMARY KEY, v VARCHAR(10))");
    source.executed("PUBLIC", "CREATE TABLE");
    execute("INSERT INTO late VALUES (1, 'a')");
    connection.commit();
    execute("CREATE GLOBAL TEMPORARY TABLE g(id INT)", "CREATE LOCAL TEMPORARY TABLE l(id INT)");
    source.executed("PUBLIC", "CREATE TABLE");
    execute("INSERT INTO g VALUES (1)", "INSERT INTO l VALUES (1)");
    connection.commit();

    assertThat(lines()).containsExactly("0 INSERT LATE [1, a]", "0 INSERT G [1]");
    assertThat(collected.gaps).isEmpty();
  }

  @Test
  void unreportedDdlIsNoticedAndIsGap() throws Exception {
    start();
    execute("CREATE TABLE late(id INT PRIMARY KEY)");
    Awaitility.await().until(() -> !collected.gaps.isEmpty());
    execute("INSERT INTO late VALUES (1)");
    assertThat(lines()).containsExactly("0 INSERT LATE [1]");
    assertThat(collected.gaps)
        .containsExactly(
            new ChangeGap(
                Reason.WRITTEN_BEFORE, "PUBLIC", "LATE", "it was created before its trigger"));
  }

  @Test
  void openTransactionsAtTheStartAreGap() throws Exception {
    connection.setAutoCommit(false);
    execute("INSERT INTO t VALUES (1, 1)");
    start();
    assertThat(collected.gaps).hasSize(1);
    assertThat(collected.gaps.get(0).detail()).contains("were open");
  }

  @Test
  void truncateIsReported() throws Exception {
    execute("INSERT INTO t VALUES (1, 1)");
    start();
    execute("TRUNCATE TABLE t");
    source.executed("PUBLIC", "TRUNCATE TABLE t");
    assertThat(lines()).isEmpty();
    assertThat(collected.schemaChanges.get(0).text()).isEqualTo("TRUNCATE TABLE t");
  }

  @Test
  void nothingStaysBehindAndIdentityAndCountsAreThoseOfTheApplication() throws Exception {
    execute(
        "CREATE TABLE a(id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n INT, u INT ON UPDATE 7)");
    start();
    assertThat(statement.executeUpdate("INSERT INTO a(n) VALUES (1)", new String[] {"ID"}))
        .isEqualTo(1);
    try (ResultSet keys = statement.getGeneratedKeys()) {
      assertThat(keys.next()).isTrue();
      assertThat(keys.getInt(1)).isEqualTo(1);
    }
    assertThat(statement.executeUpdate("UPDATE a SET n = n")).isEqualTo(1);
    assertThat(lines())
        .containsExactly("0 INSERT A [1, 1, null]", "0 UPDATE A [1, 1, null] [1, 1, null]");
    source.close();
    assertThat(source.problem()).isEqualTo("closed");
    try (ResultSet rows =
        statement.executeQuery("SELECT COUNT(*) FROM information_schema.triggers")) {
      rows.next();
      assertThat(rows.getInt(1)).isZero();
    }
    execute("INSERT INTO a(n) VALUES (2)");
  }

  @Test
  void databaseIsNotKeptOpen() throws Exception {
    start();
    connection.close();
    connection = DriverManager.getConnection(URL);
    statement = connection.createStatement();
    execute("CREATE TABLE t(id INT)");
    Awaitility.await().until(() -> source.state() == ChangeSource.State.CLOSED);
    assertThat(source.problem()).isEqualTo("the database was closed");
    source.close();
  }

  @Test
  void scriptIsRestoredBesideTheWatchedDatabaseAndAfterIt() throws Exception {
    start();
    execute("INSERT INTO t VALUES (1, 1)");
    List<String> script = new ArrayList<>();
    try (ResultSet rows = statement.executeQuery("SCRIPT")) {
      while (rows.next()) {
        script.add(rows.getString(1));
      }
    }
    source.close();
    try (Connection copy = DriverManager.getConnection("jdbc:h2:mem:copy", "sa", "");
        Statement restored = copy.createStatement()) {
      for (String line : script) {
        if (!line.startsWith("CREATE USER")) {
          restored.execute(line);
        }
      }
      restored.execute("UPDATE t SET n = 2");
    }
  }

  @Test
  void valuesAreThoseOfTheColumns() throws Exception {
    execute(
        "CREATE TABLE v(id UUID PRIMARY KEY, b BOOLEAN, d NUMERIC(10, 2), f DOUBLE PRECISION,"
            + " s VARCHAR, c CHAR(5), x VARBINARY, dt DATE, ts TIMESTAMP(9), tm TIME,"
            + " e ENUM('a', 'b'), j JSON, l CLOB, o JAVA_OBJECT, z TIMESTAMP WITH TIME ZONE)");
    execute("CREATE TABLE w(id INT PRIMARY KEY, d DECFLOAT)");
    start();
    execute(
        "INSERT INTO v VALUES ('00000000-0000-0000-0000-000000000001', TRUE, 1.50, -0.0, 'x', 'ab',"
            + " X'01', DATE '2024-02-29', TIMESTAMP '2024-02-29 01:02:03.000000004', TIME '01:02:03',"
            + " 'b', JSON '1', 'clob', X'00', CURRENT_TIMESTAMP)");
    execute("INSERT INTO w VALUES (1, 'NaN')");
    assertThat(lines())
        .containsExactly(
            "0 INSERT V [00000000-0000-0000-0000-000000000001, 1, 1.5, 0.0, x, ab, [1], 2024-02-29,"
                + " 2024-02-29T01:02:03.000000004, PT1H2M3S, b, NOT_COMPARABLE, NOT_COMPARABLE,"
                + " NOT_COMPARABLE, NOT_COMPARABLE]");
    assertThat(collected.gaps.get(0).table()).isEqualTo("W");
  }

  @Test
  void filesAndServersAreRefused(@TempDir Path folder) throws Exception {
    try (Connection file = DriverManager.getConnection("jdbc:h2:" + folder.resolve("f"))) {
      assertThat(TriggerSource.probe(file).missing()).contains("in a file");
      assertThatThrownBy(() -> TriggerSource.of(file)).hasMessageContaining("in a file");
    }
    org.h2.tools.Server server =
        org.h2.tools.Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    try (Connection remote =
        DriverManager.getConnection(
            "jdbc:h2:tcp://localhost:" + server.getPort() + "/mem:remote")) {
      assertThat(TriggerSource.probe(remote).missing()).contains("on a server");
    } finally {
      server.stop();
    }
    assertThat(TriggerSource.probe(connection).missing()).isEmpty();
    try (Connection unnamed = DriverManager.getConnection("jdbc:h2:mem:")) {
      assertThat(TriggerSource.probe(unnamed).isReadable()).isTrue();
    }
  }

  @Test
  void anH2ThatTxwatchDoesNotSeeIsRefused() throws Exception {
    URL[] seen = {
      TriggerSource.class.getProtectionDomain().getCodeSource().getLocation(),
      BackgroundThreads.class.getProtectionDomain().getCodeSource().getLocation()
    };
    try (URLClassLoader loader = new URLClassLoader(seen, ClassLoader.getPlatformClassLoader())) {
      Object probe =
          loader
              .loadClass(TriggerSource.class.getName())
              .getMethod("probe", Connection.class)
              .invoke(null, connection);
      assertThat(probe.toString()).contains("does not see H2's class org.h2.jdbc.JdbcConnection");
    }
  }

  @Test
  void listenerThatFailsIsGap() throws Exception {
    collected.isFailing = true;
    start();
    assertThatCode(() -> execute("INSERT INTO t VALUES (1, 1)")).doesNotThrowAnyException();
    lines();
    assertThat(collected.gaps.get(0).reason()).isEqualTo(Reason.LISTENER_FAILED);
  }

  /** Each row's before image is its previous after image: the order is that of commits. */
  @Test
  void versionsOfEachRowAreInTheOrderOfCommits() throws Exception {
    execute("INSERT INTO t SELECT x, 0 FROM SYSTEM_RANGE(1, 4)");
    start();
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Future<Integer>> commits = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int seed = i;
        commits.add(pool.submit(() -> writeAtRandom(seed)));
      }
      int committed = 0;
      for (Future<Integer> one : commits) {
        committed += one.get();
      }
      lines();
      assertThat(collected.transactions.size()).isGreaterThan(200).isEqualTo(committed);
    } finally {
      pool.shutdownNow();
    }
    Map<@Nullable Object, @Nullable Object> last = new HashMap<>();
    for (ChangedTransaction transaction : collected.transactions) {
      for (ChangedRow change : transaction.changes()) {
        @Nullable Object[] before = Objects.requireNonNull(change.before());
        @Nullable Object[] after = Objects.requireNonNull(change.after());
        assertThat(before[1]).isEqualTo(last.getOrDefault(before[0], 0L));
        last.put(after[0], after[1]);
      }
    }
    assertThat(collected.gaps).isEmpty();
  }

  /**
   * Random statements, some of which fail, with savepoints: each delivered change finds the row as
   * the changes before have left it, and all of them give what is stored.
   */
  @Test
  void whatIsLeftAfterSavepointsAndFailuresIsWhatIsStored() throws Exception {
    execute(
        "CREATE TABLE s(id VARCHAR PRIMARY KEY, t INT REFERENCES t(id) ON DELETE CASCADE, n INT)");
    execute("CREATE INDEX sn ON s(n)");
    start();
    connection.setAutoCommit(false);
    Random random = new Random(20261127);
    int failed = 0;
    for (int i = 0; i < 600; i++) {
      List<Savepoint> savepoints = new ArrayList<>();
      for (int k = random.nextInt(9); k >= 0; k--) {
        if (random.nextInt(3) == 0) {
          savepoints.add(connection.setSavepoint());
        } else if (!savepoints.isEmpty() && random.nextInt(4) == 0) {
          int to = random.nextInt(savepoints.size());
          connection.rollback(savepoints.get(to));
          savepoints.subList(to + 1, savepoints.size()).clear();
        }
        try {
          execute(randomStatement(random));
        } catch (SQLException e) {
          failed++;
        }
      }
      if (random.nextInt(6) == 0) {
        connection.rollback();
      } else {
        connection.commit();
      }
    }
    lines();
    assertThat(failed).isGreaterThan(100);
    assertThat(collected.gaps).isEmpty();
    assertThat(collected.transactions).hasSizeGreaterThan(100);
    Map<String, List<@Nullable Object>> stored = new HashMap<>();
    for (ChangedTransaction transaction : collected.transactions) {
      Map<String, List<@Nullable Object>> present = new HashMap<>(stored);
      for (ChangedRow change : transaction.changes()) {
        String table = change.table().name();
        if (change.before() != null) {
          assertThat(stored.remove(table + change.before()[0]))
              .as("%s after %s", Collector.line(transaction), present)
              .isEqualTo(Arrays.asList(change.before()));
        }
        if (change.after() != null) {
          assertThat(stored.put(table + change.after()[0], Arrays.asList(change.after())))
              .as("%s after %s", Collector.line(transaction), present)
              .isNull();
        }
      }
    }
    for (String table : List.of("T", "S")) {
      int count = 0;
      try (ResultSet rows = statement.executeQuery("SELECT * FROM " + table)) {
        while (rows.next()) {
          count++;
          List<@Nullable Object> row =
              Objects.requireNonNull(stored.get(table + rows.getString(1)));
          assertThat("" + row.get(row.size() - 1)).isEqualTo("" + rows.getString(row.size()));
        }
      }
      assertThat(stored.keySet().stream().filter(key -> key.startsWith(table))).hasSize(count);
    }
  }

  private static String randomStatement(Random random) {
    int id = random.nextInt(5);
    int n = random.nextInt(3);
    return switch (random.nextInt(13)) {
      case 0, 1 -> "INSERT INTO t VALUES (" + id + ", " + n + ")";
      case 2 -> "INSERT INTO t VALUES (" + (id + 5) + ", 0), (" + id + ", " + n + ")";
      case 3 -> "UPDATE t SET n = " + n + " WHERE id = " + id;
      case 4 -> "UPDATE t SET n = " + n;
      case 5 -> "UPDATE t SET id = " + (id + 1) + " WHERE id = " + id;
      case 6 -> "DELETE FROM t WHERE id = " + id;
      case 7 -> "DELETE FROM t WHERE n = " + n;
      case 8 -> "INSERT INTO s VALUES ('k" + id + "', " + n + ", " + n + ")";
      case 9 -> "UPDATE s SET n = n + 1, t = " + id;
      case 10 -> "UPDATE s SET id = 'k" + n + "' WHERE id = 'k" + id + "'";
      case 11 -> "SELECT * FROM t WHERE n <= " + n + " FOR UPDATE";
      default -> "MERGE INTO t KEY(id) VALUES (" + id + ", " + n + ")";
    };
  }

  private static int writeAtRandom(int seed) throws SQLException {
    Random random = new Random(seed);
    int committed = 0;
    try (Connection own = DriverManager.getConnection(URL);
        PreparedStatement update = own.prepareStatement("UPDATE t SET n = ? WHERE id = ?")) {
      own.setAutoCommit(false);
      for (int i = 0; i < 150; i++) {
        try {
          int kept = 0;
          int statements = 1 + random.nextInt(3);
          for (int k = 0; k < statements; k++) {
            Savepoint savepoint = random.nextInt(4) == 0 ? own.setSavepoint() : null;
            update.setInt(1, random.nextInt(1_000_000));
            update.setInt(2, 1 + random.nextInt(4));
            update.executeUpdate();
            if (savepoint == null) {
              kept++;
            } else {
              own.rollback(savepoint);
            }
          }
          if (random.nextInt(5) == 0) {
            own.rollback();
          } else {
            own.commit();
            committed += kept > 0 ? 1 : 0;
          }
        } catch (SQLException deadlock) {
          own.rollback();
        }
      }
    }
    return committed;
  }

  /** What was delivered. */
  private static final class Collector implements ChangeListener {
    final List<ChangedTransaction> transactions = new CopyOnWriteArrayList<>();
    final List<ChangeGap> gaps = new CopyOnWriteArrayList<>();
    final List<SchemaChange> schemaChanges = new CopyOnWriteArrayList<>();
    volatile boolean isFailing;

    @Override
    public void transaction(ChangedTransaction transaction) {
      if (isFailing) {
        throw new IllegalStateException("as asked");
      }
      transactions.add(transaction);
    }

    @Override
    public void gap(ChangeGap gap) {
      gaps.add(gap);
    }

    @Override
    public void schemaChange(SchemaChange change) {
      schemaChanges.add(change);
    }

    List<String> lines() {
      return transactions.stream().map(Collector::line).toList();
    }

    static String line(ChangedTransaction transaction) {
      return transaction.changes().stream().map(Collector::line).collect(Collectors.joining("; "));
    }

    private static String line(ChangedRow change) {
      return change.statement()
          + " "
          + change.kind()
          + " "
          + change.table().name()
          + image(change.before())
          + image(change.after());
    }

    private static String image(@Nullable Object @Nullable [] image) {
      return image == null
          ? ""
          : " "
              + Arrays.stream(image)
                  .map(value -> value instanceof byte[] b ? Arrays.toString(b) : "" + value)
                  .toList();
    }
  }
}
