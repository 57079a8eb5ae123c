package io.txwatch.interleave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Operations that race, and their siblings that do not, at READ COMMITTED. */
class InterleaverTest {

  private String url = "";

  private void on(ServerKind kind, String... setup) throws SQLException {
    url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : setup) {
        statement.execute(sql);
      }
    }
  }

  /** What an operation does within a transaction. */
  private interface Work {
    Object on(Connection connection) throws SQLException;
  }

  private Object inTransaction(Work work) throws SQLException {
    Properties settings = new Properties();
    settings.setProperty("txwatch.analyzer", "none");
    try (Connection connection =
        DriverManager.getConnection(url.replaceFirst("jdbc:", "jdbc:txwatch:"), settings)) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      try {
        Object result = work.on(connection);
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  private static int number(Connection connection, String sql, int... parameters)
      throws SQLException {
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        query.setInt(i + 1, parameters[i]);
      }
      try (ResultSet rows = query.executeQuery()) {
        return rows.next() ? rows.getInt(1) : -1;
      }
    }
  }

  private static int update(Connection connection, String sql, int... parameters)
      throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        update.setInt(i + 1, parameters[i]);
      }
      return update.executeUpdate();
    }
  }

  @Test
  void theOrdersThatAreGivenComeFirst() throws Exception {
    on(
        ServerKind.H2,
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
        "INSERT INTO account VALUES (1, 100)");
    Work withdraw =
        bank -> {
          int balance = number(bank, "SELECT balance FROM account WHERE id = 1");
          return update(bank, "UPDATE account SET balance = ? WHERE id = 1", balance - 10);
        };
    Interleaver once =
        new Interleaver()
            .operation("A", () -> inTransaction(withdraw))
            .operation("B", () -> inTransaction(withdraw))
            .executions(1);
    assertThat(once.run().verdict()).isEqualTo(Verdict.UNDECIDED);
    assertThat(once.first(List.of(new Interruption(1, 1))).run().schedule())
        .extracting(line -> line.substring(0, 1))
        .containsExactly("B", "A", "A", "A", "B", "B");
    assertThat(once.first(List.of(new Interruption(1, 2))).run().verdict())
        .as("A waits for B, which goes on")
        .isEqualTo(Verdict.RACE);
    assertThat(once.first(List.of(new Interruption(1, 3))).run().verdict())
        .isEqualTo(Verdict.UNDECIDED);
  }

  private Interleaved twice(Work work) throws InterruptedException {
    return new Interleaver()
        .operation("A", () -> inTransaction(work))
        .operation("B", () -> inTransaction(work))
        .run();
  }

  private void stock(ServerKind kind) throws SQLException {
    on(
        kind,
        "CREATE TABLE stock (id INT PRIMARY KEY, n INT, version INT)",
        "INSERT INTO stock VALUES (1, 1, 0), (2, 5, 0)");
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aValueThatIsReadAndWrittenIsLost(ServerKind kind) throws Exception {
    stock(kind);
    Interleaved found =
        twice(
            c -> {
              int n = number(c, "SELECT n FROM stock WHERE id = ?", 1);
              return n > 0 ? update(c, "UPDATE stock SET n = ? WHERE id = ?", n - 1, 1) : 0;
            });
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
    assertThat(found.schedule())
        .hasSize(6)
        .startsWith("A: SELECT n FROM stock WHERE id = ?")
        .contains("B: UPDATE stock SET n = ? WHERE id = ?", "B: commit");
    assertThat(found.schedule().indexOf("B: SELECT n FROM stock WHERE id = ?"))
        .isLessThan(found.schedule().indexOf("A: commit"));
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aGuardedUpdateIsSafe(ServerKind kind) throws Exception {
    stock(kind);
    Interleaved found =
        twice(c -> update(c, "UPDATE stock SET n = n - 1 WHERE id = ? AND n > 0", 1));
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB"})
  void keysThatAreDrawnFromASequenceSomeAtATimeAreNoOtherOrder(ServerKind kind) throws Exception {
    on(
        kind,
        "CREATE SEQUENCE purchase_key START WITH 1 INCREMENT BY 5",
        "CREATE TABLE stock (id INT PRIMARY KEY, n INT)",
        "INSERT INTO stock VALUES (1, 5)",
        "CREATE TABLE purchase (id INT PRIMARY KEY, n INT)");
    String next =
        kind == ServerKind.POSTGRESQL
            ? "SELECT nextval('purchase_key')"
            : "SELECT NEXT VALUE FOR purchase_key";
    AtomicInteger key = new AtomicInteger();
    Interleaved found =
        twice(
            c -> {
              if (key.get() % 5 == 0) {
                key.set(number(c, next));
              }
              update(c, "INSERT INTO purchase VALUES (?, ?)", key.getAndIncrement(), 1);
              return update(c, "UPDATE stock SET n = n - 1 WHERE id = ?", 1);
            });
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aLockedReadIsSafe(ServerKind kind) throws Exception {
    stock(kind);
    Interleaved found =
        twice(
            c -> {
              int n = number(c, "SELECT n FROM stock WHERE id = ? FOR UPDATE", 1);
              return n > 0 ? update(c, "UPDATE stock SET n = ? WHERE id = ?", n - 1, 1) : 0;
            });
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aVersionWhoseCountIsCheckedIsSafe(ServerKind kind) throws Exception {
    stock(kind);
    Interleaved found = twice(c -> versioned(c, true));
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
    assertThat(found.notes())
        .hasSize(2)
        .allMatch(note -> note.contains("throws java.lang.IllegalStateException, and leaves"));
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aVersionWhoseCountIsIgnoredIsARace(ServerKind kind) throws Exception {
    stock(kind);
    Interleaved found = twice(c -> versioned(c, false));
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
  }

  private static Object versioned(Connection c, boolean checks) throws SQLException {
    int version = number(c, "SELECT version FROM stock WHERE id = ?", 2);
    int n = number(c, "SELECT n FROM stock WHERE id = ?", 2);
    int count =
        update(
            c,
            "UPDATE stock SET n = ?, version = version + 1 WHERE id = ? AND version = ?",
            n - 1,
            2,
            version);
    if (checks && count == 0) {
      throw new IllegalStateException("changed meanwhile");
    }
    return "sold";
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void twoConditionsThatEachHoldAreSkewed(ServerKind kind) throws Exception {
    on(
        kind,
        "CREATE TABLE doctor (id INT PRIMARY KEY, shift BOOLEAN)",
        "INSERT INTO doctor VALUES (1, TRUE), (2, TRUE)");
    Interleaved found =
        new Interleaver()
            .operation("first leaves", () -> inTransaction(c -> leave(c, 1)))
            .operation("second leaves", () -> inTransaction(c -> leave(c, 2)))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
  }

  private static Object leave(Connection c, int doctor) throws SQLException {
    return number(c, "SELECT count(*) FROM doctor WHERE shift") > 1
        ? update(c, "UPDATE doctor SET shift = FALSE WHERE id = ?", doctor)
        : 0;
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aRowThatIsInsertedIfThereIsNoneIsThereTwice(ServerKind kind) throws Exception {
    on(kind, "CREATE TABLE grab (id " + identity(kind) + ", item INT)");
    Interleaved found = twice(InterleaverTest::grab);
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aUniqueKeyMakesThatSafe(ServerKind kind) throws Exception {
    on(kind, "CREATE TABLE grab (id " + identity(kind) + ", item INT UNIQUE)");
    if (kind == ServerKind.H2) {
      // It reports no wait for a key of another transaction, and tries again for so long.
      url += ";LOCK_TIMEOUT=100";
    }
    Interleaved found = twice(InterleaverTest::grab);
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
  }

  private static String identity(ServerKind kind) {
    return kind == ServerKind.MARIADB || kind == ServerKind.MYSQL
        ? "INT AUTO_INCREMENT PRIMARY KEY"
        : "INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY";
  }

  private static Object grab(Connection c) throws SQLException {
    return number(c, "SELECT id FROM grab WHERE item = ?", 7) < 0
        ? update(c, "INSERT INTO grab (item) VALUES (?)", 7)
        : 0;
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void operationsOnOtherRowsNeedFewOrders(ServerKind kind) throws Exception {
    stock(kind);
    Interleaved found =
        new Interleaver()
            .operation("A", () -> inTransaction(c -> tenTimes(c, 1)))
            .operation("B", () -> inTransaction(c -> tenTimes(c, 2)))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.SAFE);
    assertThat(found.executions()).isEqualTo(1);
  }

  private static Object tenTimes(Connection c, int row) throws SQLException {
    for (int i = 0; i < 10; i++) {
      update(c, "UPDATE stock SET n = n + 1 WHERE id = ?", row);
    }
    return "done";
  }

  @Test
  void anOperationThatHangsIsUndecidedAndLeavesNoLock() throws Exception {
    stock(ServerKind.H2);
    Interleaved found =
        new Interleaver()
            .limit(Duration.ofSeconds(3))
            .operation("A", () -> inTransaction(InterleaverTest::lockAndSleep))
            .operation(
                "B", () -> inTransaction(c -> update(c, "UPDATE stock SET n = 0 WHERE id = ?", 1)))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.UNDECIDED);
    try (Connection connection = DriverManager.getConnection(url)) {
      assertThat(update(connection, "UPDATE stock SET n = 7 WHERE id = ?", 1)).isEqualTo(1);
    }
  }

  private static Object lockAndSleep(Connection c) throws SQLException {
    number(c, "SELECT n FROM stock WHERE id = ? FOR UPDATE", 1);
    try {
      Thread.sleep(600_000);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return "woken";
  }

  @Test
  void anOperationThatTriesAgainWithoutEndIsUndecidedAndLeavesNoLock() throws Exception {
    stock(ServerKind.H2);
    Interleaved found =
        new Interleaver()
            .limit(Duration.ofSeconds(10))
            .operation("A", () -> inTransaction(InterleaverTest::awaitStock))
            .operation(
                "B", () -> inTransaction(c -> update(c, "UPDATE stock SET n = 9 WHERE id = ?", 2)))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.UNDECIDED);
    assertThat(found.reason()).contains("calls and not ended");
    try (Connection connection = DriverManager.getConnection(url)) {
      assertThat(update(connection, "UPDATE stock SET n = 7 WHERE id = ?", 1)).isEqualTo(1);
    }
  }

  /** Waits, with a lock, for what only another operation does. */
  private static Object awaitStock(Connection c) throws SQLException {
    update(c, "UPDATE stock SET version = 1 WHERE id = ?", 1);
    while (number(c, "SELECT n FROM stock WHERE id = ?", 2) != 9) {
      // It tries again.
    }
    return "there";
  }

  @Test
  void moreThanFiveOperationsAreRefused() {
    Interleaver six = new Interleaver().times(3).operation("A", () -> 1).operation("B", () -> 2);
    assertThatThrownBy(six::run)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("two to five operations can be interleaved, and there are 6");
  }

  @Test
  void whatReachesNoDatabaseIsUndecided() throws Exception {
    Interleaved found = new Interleaver().operation("A", () -> 1).operation("B", () -> 2).run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.UNDECIDED);
  }

  @Test
  void aReadOfTheFinalStateIsComparedToo() throws Exception {
    stock(ServerKind.H2);
    Callable<Object> add = () -> inTransaction(c -> update(c, "UPDATE stock SET n = n + 1"));
    Interleaver same = new Interleaver().operation("A", add).operation("B", add);
    assertThat(same.finalRead("sum", () -> List.of(List.of("12"))).run().verdict())
        .isEqualTo(Verdict.SAFE);

    AtomicInteger reads = new AtomicInteger();
    Interleaver other = new Interleaver().operation("A", add).operation("B", add);
    // Two orders of whole operations, one of them again, and then the first order of calls.
    Interleaved found =
        other
            .finalRead("sum", () -> List.of(List.of(reads.incrementAndGet() == 4 ? "13" : "12")))
            .run();
    assertThat(found.verdict()).as(found.toString()).isEqualTo(Verdict.RACE);
    assertThat(found.reason()).contains("sum has [[13]]");
  }
}
