package io.txwatch.interleave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.interleave.Interleaved.Verdict;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an interleaver is given beside operations, and what its answer contains. */
class InterleaverUseTest {

  private final String name = "mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

  @BeforeEach
  void stock() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:" + name);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE stock (id INT PRIMARY KEY, n INT)");
      statement.execute("INSERT INTO stock VALUES (1, 5), (2, 5)");
    }
  }

  private Connection open(String analyzer) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:txwatch:h2:" + name + ";txwatch.analyzer=" + analyzer + ";txwatch.log=none");
  }

  /** Reads a value and writes it, less one. */
  private Object take(String select, String analyzer) throws SQLException {
    try (Connection connection = open(analyzer);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      int n;
      try (ResultSet row = statement.executeQuery(select)) {
        row.next();
        n = row.getInt(1);
        row.next(); // so that the query has ended
      }
      statement.executeUpdate("UPDATE stock SET n = " + (n - 1) + " WHERE id = 1");
      connection.commit();
      return n;
    }
  }

  private Object takeUnlocked() throws SQLException {
    return take("SELECT n FROM stock WHERE id = 1", "none");
  }

  private Object takeLocked() throws SQLException {
    return take("SELECT n FROM stock WHERE id = 1 FOR UPDATE", "none");
  }

  @Test
  void anOperationIsExecutedByTwoClients() throws Exception {
    Interleaved found = new Interleaver().operation("take", this::takeUnlocked).times(2).run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
    assertThat(found.schedule())
        .contains("take: SELECT n FROM stock WHERE id = ?", "take #2: commit");
  }

  @Test
  void theDependencyGraphNamesThePhenomenon() throws Exception {
    Interleaved found =
        new Interleaver()
            .operation("take", () -> take("SELECT n FROM stock WHERE id = 1", "inprocess"))
            .times(2)
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
    assertThat(found.anomalies())
        .as(found.toString())
        .extracting(one -> one.phenomenon())
        .contains(Phenomenon.LOST_UPDATE);
    assertThat(found.toString()).contains("LOST_UPDATE", "InterleaverUseTest.java");
  }

  @Test
  void anAnomalyThatChangesNoResultIsANote() throws Exception {
    Interleaved found =
        new Interleaver()
            .operation("twice", () -> readTwice("inprocess"))
            .operation("write", () -> write("inprocess"))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
    assertThat(found.notes())
        .anyMatch(
            note -> note.startsWith("NON_REPEATABLE_READ in ") && note.contains("changes no"));
  }

  private Object readTwice(String analyzer) throws SQLException {
    try (Connection connection = open(analyzer);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < 2; i++) {
        try (ResultSet row = statement.executeQuery("SELECT n FROM stock WHERE id = 1")) {
          while (row.next()) {
            row.getInt(1);
          }
        }
      }
      connection.commit();
      return "read";
    }
  }

  private Object write(String analyzer) throws SQLException {
    try (Connection connection = open(analyzer);
        Statement statement = connection.createStatement()) {
      return statement.executeUpdate("UPDATE stock SET n = 9 WHERE id = 1");
    }
  }

  @Test
  void theScheduleThatShowedARaceIsExecutedFirst(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("new").resolve("take.txt");
    Interleaver interleaver =
        new Interleaver().operation("take", this::takeUnlocked).times(2).keep(file);
    Interleaved first = interleaver.run();
    Interleaved again = interleaver.run();
    assertThat(Files.readAllLines(file)).containsAll(first.schedule());
    assertThat(again.schedule()).isEqualTo(first.schedule());
    assertThat(again.executions()).as(again.toString()).isEqualTo(1);
    assertThat(again.notes())
        .contains("the kept schedule was executed first", "the order is kept in " + file);
    assertThat(again.toString())
        .startsWith(
            """
            RACE: no order of whole operations gives {take returns 5, take #2 returns 5, STOCK has \
            also [[1, 4]]};
              one after the other they give {take returns 4, take #2 returns 5, STOCK has also \
            [[1, 3]]},
                or {take returns 5, take #2 returns 4, STOCK has also [[1, 3]]} (1 orders executed)
            """);
  }

  @Test
  void aKeptScheduleThatDoesNotFitIsReplaced(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("take.txt");
    Files.writeString(file, "take: SELECT 1\nsomeone: commit\n");
    Interleaved found =
        new Interleaver().operation("take", this::takeUnlocked).times(2).keep(file).run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
    assertThat(found.notes()).anyMatch(note -> note.startsWith("the kept schedule does not fit"));
    assertThat(Files.readAllLines(file)).containsAll(found.schedule());
  }

  @Test
  void aKeptScheduleOfWhatIsSafeNowStays(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("take.txt");
    new Interleaver().operation("take", this::takeUnlocked).times(2).keep(file).run();
    String kept = Files.readString(file);
    Interleaved found =
        new Interleaver().operation("take", this::takeLocked).times(2).keep(file).run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
    assertThat(file).hasContent(kept);
  }

  @Test
  void aRaceIsReportedIfItsScheduleCannotBeKept(@TempDir Path folder) throws Exception {
    Path file = Files.createFile(folder.resolve("file")).resolve("take.txt");
    Interleaved found =
        new Interleaver().operation("take", this::takeUnlocked).times(2).keep(file).run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
    assertThat(found.notes()).anyMatch(note -> note.startsWith("the order cannot be kept in "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"#1 takes", " takes ", "takes: one", "takes\none"})
  void namesOfManyKindsAreKept(String operation, @TempDir Path folder) throws Exception {
    Interleaver interleaver =
        new Interleaver()
            .operation(operation, this::takeUnlocked)
            .times(2)
            .keep(folder.resolve("take.txt"));
    interleaver.run();
    assertThat(interleaver.run().notes()).contains("the kept schedule was executed first");
  }

  @Test
  void aKeptScheduleThatIsNoTextIsNamed(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("take.txt");
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
    Interleaver interleaver =
        new Interleaver().operation("take", this::takeUnlocked).times(2).keep(file);
    assertThatThrownBy(interleaver::run)
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("take.txt cannot be read: delete it");
  }

  @Test
  void theTablesAreAsTheyWere() throws Exception {
    new Interleaver().operation("take", this::takeUnlocked).times(2).run();
    try (Connection connection = DriverManager.getConnection("jdbc:h2:" + name);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT n FROM stock WHERE id = 1")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getInt(1)).isEqualTo(5);
    }
  }

  @Test
  void fewOrdersAreExecutedAllAndManyAreSampled() throws Exception {
    assertThat(new Interleaver().operation("take", this::takeLocked).times(2).run().bound())
        .isEqualTo("all orders");
    Interleaved many =
        new Interleaver()
            .operation("count", this::countFiveTimes)
            .times(2)
            .preemptions(0)
            .sampled(3, 7)
            .run();
    assertThat(many.verdict()).as(many.toString()).isEqualTo(Verdict.SAFE);
    assertThat(many.bound()).isEqualTo("0 preemptions and 3 random orders");
    assertThat(many.executions()).as("two orders without preemption, and three").isEqualTo(5);
  }

  private @Nullable Object countFiveTimes() throws SQLException {
    try (Connection connection = open("none");
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < 5; i++) {
        statement.executeUpdate("UPDATE stock SET n = n + 1 WHERE id = 1");
      }
      return null;
    }
  }

  @Test
  void differingResultsOfOneOrderAreShown() throws Exception {
    int[] calls = new int[1];
    Interleaved found =
        new Interleaver()
            .operation("write", () -> write("none"))
            .operation("other", () -> set(calls[0]++ % 3))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.UNDECIDED);
    assertThat(found.reason()).contains("not deterministic");
  }

  @Test
  void anExecutionWhoseCallsDifferLeavesNoTransactionOpen() throws Exception {
    int[] calls = new int[1];
    try (Connection connection = open("none")) {
      connection.setAutoCommit(false);
      Interleaved found =
          new Interleaver()
              .operation("count", () -> countSometimes(connection, ++calls[0]))
              .operation("read", this::takeLocked)
              .run();
      assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.UNDECIDED);
      assertThat(found.reason()).startsWith("in the same order an operation executes ");
    }
  }

  /** Does not roll back if it cannot go on, as an operation of an application may not. */
  private static Object countSometimes(Connection connection, int times) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (int i = 0; i < times; i++) {
        statement.executeUpdate("UPDATE stock SET n = n + 0 WHERE id = 1");
      }
    }
    connection.commit();
    return "counted";
  }

  private Object set(int n) throws SQLException {
    if (n == 0) {
      return 0;
    }
    try (Connection connection = open("none");
        Statement statement = connection.createStatement()) {
      return statement.executeUpdate("INSERT INTO stock VALUES (3, 1)");
    }
  }

  /** A pool of one connection. */
  private final class Pool {
    private final Semaphore free = new Semaphore(1);

    Connection getConnection() throws SQLException, InterruptedException {
      free.acquire();
      return open("none");
    }
  }

  @Test
  void aPoolThatIsTooSmallIsNamed() throws Exception {
    Pool pool = new Pool();
    Interleaved found =
        new Interleaver()
            .operation("take", () -> takeFrom(pool))
            .times(2)
            .limit(Duration.ofSeconds(20))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.UNDECIDED);
    assertThat(found.reason()).contains("a pool that is too small", "Pool.getConnection");
  }

  private static Object takeFrom(Pool pool) throws SQLException, InterruptedException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      return List.of(
          statement.executeUpdate("UPDATE stock SET n = n - 1 WHERE id = 1"),
          statement.executeUpdate("UPDATE stock SET n = n - 1 WHERE id = 2"));
    } finally {
      pool.free.release();
    }
  }

  @Test
  void aDatabaseThatIsNotForTestsIsNotTouched() throws Exception {
    String production = "jdbc:h2:mem:production;DB_CLOSE_DELAY=-1";
    try (Connection connection = DriverManager.getConnection(production);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE stock (id INT PRIMARY KEY, n INT)");
      Interleaved found =
          new Interleaver()
              .operation("A", () -> insert(production, 1))
              .operation("B", () -> insert(production, 2))
              .run();
      assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.UNDECIDED);
      assertThat(found.reason())
          .startsWith("jdbc:h2:mem:production")
          .contains("set txwatch.test-database");
      try (ResultSet rows = statement.executeQuery("SELECT * FROM stock")) {
        assertThat(rows.next()).isFalse();
      }
    }
  }

  private static Object insert(String url, int id) throws SQLException {
    String watched = url.replace("jdbc:", "jdbc:txwatch:") + ";txwatch.analyzer=none";
    try (Connection connection = DriverManager.getConnection(watched);
        Statement statement = connection.createStatement()) {
      return statement.executeUpdate("INSERT INTO stock VALUES (" + id + ", 1)");
    }
  }

  @Test
  void operationsThatWaitForOneAnotherOutsideTheDatabaseAreARace() throws Exception {
    ReentrantLock lock = new ReentrantLock();
    Interleaved found =
        new Interleaver()
            .operation("row first", () -> rowFirst(lock))
            .operation("lock first", () -> lockFirst(lock))
            .limit(Duration.ofSeconds(3))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
    assertThat(found.reason())
        .startsWith("nothing went on for 3 s: row first waits in this process at ")
        .contains("; lock first waits for a lock with UPDATE stock");
    assertThat(found.schedule()).isNotEmpty();
  }

  private Object rowFirst(ReentrantLock lock) throws SQLException, InterruptedException {
    try (Connection connection = open("none");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeUpdate("UPDATE stock SET n = n - 1 WHERE id = 1");
      lock.lockInterruptibly();
      try {
        connection.commit();
      } finally {
        lock.unlock();
      }
      return "done";
    }
  }

  private Object lockFirst(ReentrantLock lock) throws SQLException {
    lock.lock();
    try (Connection connection = open("none");
        Statement statement = connection.createStatement()) {
      statement.execute("SET LOCK_TIMEOUT 60000");
      return statement.executeUpdate("UPDATE stock SET n = n - 1 WHERE id = 1");
    } finally {
      lock.unlock();
    }
  }

  @Test
  void rowsThatReferToGeneratedKeysAreCompared() throws Exception {
    execute(
        "CREATE TABLE orders (id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer TEXT,"
            + " at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)",
        "CREATE TABLE line (order_id INT REFERENCES orders, item TEXT)",
        "INSERT INTO orders (customer) VALUES ('Zoe')");
    Interleaved right =
        new Interleaver()
            .operation("Ann", () -> order("Ann", "SELECT ?"))
            .operation("Bob", () -> order("Bob", "SELECT ?"))
            .run();
    assertThat(right.verdict()).as(right.toString()).isEqualTo(Verdict.SAFE);
    Interleaved wrong =
        new Interleaver()
            .operation("Ann", () -> order("Ann", "SELECT MAX(id) FROM orders WHERE id >= ?"))
            .operation("Bob", () -> order("Bob", "SELECT MAX(id) FROM orders WHERE id >= ?"))
            .run();
    assertThat(wrong.verdict()).as(wrong.toString()).isEqualTo(Verdict.RACE);
  }

  /** Creates an order, and a line of the order that a query finds. */
  private @Nullable Object order(String customer, String query) throws SQLException {
    try (Connection connection = open("none");
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO orders (customer) VALUES (?)", Statement.RETURN_GENERATED_KEYS);
        PreparedStatement find = connection.prepareStatement(query);
        PreparedStatement line = connection.prepareStatement("INSERT INTO line VALUES (?, ?)")) {
      insert.setString(1, customer);
      insert.executeUpdate();
      try (ResultSet keys = insert.getGeneratedKeys()) {
        keys.next();
        find.setInt(1, keys.getInt(1));
      }
      try (ResultSet found = find.executeQuery()) {
        found.next();
        line.setInt(1, found.getInt(1));
      }
      line.setString(2, "pen of " + customer);
      line.executeUpdate();
      return null;
    }
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:" + name);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Plain enumeration would execute up to 20! / (10! 10!) = 184 756 orders. */
  @Test
  void tenStatementsOfWhichThreeConflictNeedFewOrders() throws Exception {
    for (int row = 3; row < 20; row++) {
      execute("INSERT INTO stock VALUES (" + row + ", 5)");
    }
    Interleaved found =
        new Interleaver()
            .operation("A", () -> changeTen(false, 3))
            .operation("B", () -> changeTen(false, 10))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
    assertThat(found.executions()).as(found.toString()).isLessThanOrEqualTo(60);
    Interleaved each =
        new Interleaver()
            .operation("A", () -> changeTen(true, 3))
            .operation("B", () -> changeTen(true, 10))
            .sampled(0, 0)
            .run();
    assertThat(each.verdict()).as(each.toString()).isEqualTo(Verdict.SAFE);
    assertThat(each.executions()).as(each.toString()).isLessThanOrEqualTo(60);
  }

  /** Changes rows 1 and 2, row 1 again, and seven rows of its own, in one transaction or in ten. */
  private @Nullable Object changeTen(boolean autoCommit, int first) throws SQLException {
    try (Connection connection = open("none");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(autoCommit);
      int own = first;
      for (int i = 0; i < 10; i++) {
        int row = i == 2 || i == 8 ? 1 : i == 5 ? 2 : own++;
        statement.executeUpdate("UPDATE stock SET n = n + 1 WHERE id = " + row);
      }
      if (!autoCommit) {
        connection.commit();
      }
      return null;
    }
  }
}
