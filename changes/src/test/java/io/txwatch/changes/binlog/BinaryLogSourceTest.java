package io.txwatch.changes.binlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.txwatch.changes.ChangeGap.Reason;
import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.ConnectionOpener;
import io.txwatch.changes.binlog.LoggedServer.Collector;
import io.txwatch.changes.binlog.LoggedServer.Session;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.ServerKind;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What real servers log is delivered as transactions of rows. */
class BinaryLogSourceTest {

  private static final String KINDS = "io.txwatch.changes.binlog.LoggedServer#kinds";
  private static final String TABLE = "CREATE TABLE t(id INT PRIMARY KEY, n INT)";

  @ParameterizedTest
  @MethodSource(KINDS)
  void transactionHasItsRowsInOrderByStatement(ServerKind kind) throws Exception {
    try (Session session = new Session(LoggedServer.of(kind), TABLE);
        Connection connection = session.connect();
        Statement statement = connection.createStatement()) {
      long id;
      try (ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
        row.next();
        id = row.getLong(1);
      }
      connection.setAutoCommit(false);
      statement.execute("INSERT INTO t VALUES (1, 10), (2, 20)");
      statement.execute("UPDATE t SET n = n + 1");
      statement.execute("DELETE FROM t WHERE id = 2");
      connection.commit();
      statement.execute("UPDATE t SET n = 0");
      connection.rollback();

      Collector collected = session.await();

      assertThat(collected.lines())
          .containsExactly(
              "0 INSERT t [1, 10]; 0 INSERT t [2, 20]; 1 UPDATE t [1, 10] [1, 11]; "
                  + "1 UPDATE t [2, 20] [2, 21]; 2 DELETE t [2, 21]");
      assertThat(collected.gaps).isEmpty();
      ChangedTransaction transaction = collected.transactions.get(0);
      assertThat(transaction.connectionId()).isEqualTo(kind == ServerKind.MYSQL ? id : -1);
      assertThat(transaction.isComplete()).isTrue();
      assertThat(transaction.changes().get(0).table().keys().get(0).columns()).containsExactly(0);
      assertThat(session.source.state()).isEqualTo(ChangeSource.State.READING);
      assertThat(session.source.statistics().transactions()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void commitTimeAndLatency(ServerKind kind) throws Exception {
    try (Session session = new Session(LoggedServer.of(kind), TABLE)) {
      long before = System.currentTimeMillis() * 1000;
      session.execute("INSERT INTO t VALUES (1, 1)");
      ChangedTransaction transaction = session.await().transactions.get(0);

      long precision = transaction.commitPrecisionMicros();
      assertThat(precision).isEqualTo(kind == ServerKind.MYSQL ? 1 : 1_000_000);
      assertThat(transaction.commitMicros())
          .isBetween(before - precision, System.currentTimeMillis() * 1000 + precision);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void statementTextIsThatOfTheClient(ServerKind kind) throws Exception {
    String sql = "INSERT INTO t VALUES (1, 1)";
    try (Session session = new Session(LoggedServer.of(kind), TABLE)) {
      if (kind == ServerKind.MYSQL) {
        session.execute("SET binlog_rows_query_log_events = 1", sql);
      } else {
        session.execute(sql);
      }
      assertThat(session.await().rows().get(0).text()).isEqualTo(sql);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void triggersCascadesAndSavepoints(ServerKind kind) throws Exception {
    try (Session session =
        new Session(
            LoggedServer.of(kind),
            TABLE,
            "CREATE TABLE child(id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES t(id)"
                + " ON DELETE CASCADE)",
            "CREATE TABLE audit(id INT AUTO_INCREMENT PRIMARY KEY, n INT)",
            "CREATE TRIGGER tr AFTER UPDATE ON t FOR EACH ROW INSERT INTO audit(n) VALUES (NEW.n)",
            "INSERT INTO t VALUES (1, 1), (2, 2)",
            "INSERT INTO child VALUES (7, 1)")) {
      session.execute(
          "SET autocommit = 0",
          "UPDATE t SET n = 5 WHERE id = 1",
          "SAVEPOINT s",
          "UPDATE t SET n = 6 WHERE id = 2",
          "ROLLBACK TO s",
          "DELETE FROM t WHERE id = 1",
          "COMMIT");

      Collector collected = session.await();

      assertThat(collected.gaps).isEmpty();
      String line = collected.lines().get(0);
      assertThat(line)
          .startsWith("0 UPDATE t [1, 1] [1, 5]; 0 INSERT audit [1, 5]; 1 DELETE ")
          .contains("1 DELETE t [1, 5]")
          .doesNotContain("6");
      // MariaDB 10.11 does not log what a foreign key does.
      assertThat(line.contains("DELETE child [7, 1]")).isEqualTo(kind == ServerKind.MYSQL);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void xaTransactionIsDeliveredAtItsCommit(ServerKind kind) throws Exception {
    try (Session session =
            new Session(LoggedServer.of(kind), TABLE, "INSERT INTO t VALUES (1, 1)");
        Connection connection = session.connect();
        Statement statement = connection.createStatement()) {
      for (String end : new String[] {"XA ROLLBACK 'a','b'", "XA COMMIT 'a','b'"}) {
        statement.execute("XA START 'a','b'");
        statement.execute("UPDATE t SET n = 2 WHERE id = 1");
        statement.execute("XA END 'a','b'");
        statement.execute("XA PREPARE 'a','b'");
        assertThat(session.await().transactions).isEmpty();
        statement.execute(end);
      }
      statement.execute("XA START 'c'");
      statement.execute("UPDATE t SET n = 3 WHERE id = 1");
      statement.execute("XA END 'c'");
      statement.execute("XA COMMIT 'c' ONE PHASE");

      Collector collected = session.await();

      assertThat(collected.lines())
          .containsExactly("0 UPDATE t [1, 1] [1, 2]", "0 UPDATE t [1, 2] [1, 3]");
      assertThat(collected.transactions.get(0).xid()).isEqualTo("x'61',x'62',1");
      assertThat(collected.gaps).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void minimalImages(ServerKind kind) throws Exception {
    try (Session session =
        new Session(
            LoggedServer.of(kind),
            "CREATE TABLE t(id INT PRIMARY KEY, n INT, m INT)",
            "INSERT INTO t VALUES (1, 1, 1)")) {
      session.execute(
          "SET binlog_row_image = MINIMAL",
          "UPDATE t SET n = 2 WHERE id = 1",
          "DELETE FROM t WHERE id = 1");

      assertThat(session.await().lines())
          .containsExactly(
              "0 UPDATE t [1, ABSENT, ABSENT] [1, 2, ABSENT]", "0 DELETE t [1, ABSENT, ABSENT]");
    }
  }

  /** MySQL keeps the values of such a key in a column that the catalog does not show. */
  @ParameterizedTest
  @MethodSource(KINDS)
  void rowsOfTablesWithKeysOfExpressions(ServerKind kind) throws Exception {
    assumeThat(kind).isEqualTo(ServerKind.MYSQL);
    try (Session session =
        new Session(
            LoggedServer.of(kind),
            "CREATE TABLE t(id INT PRIMARY KEY, n INT, UNIQUE KEY u((n + 1)), KEY k((n * 2)))")) {
      session.execute("INSERT INTO t VALUES (1, 1)", "UPDATE t SET n = 2", "DELETE FROM t");
      Collector collected = session.await();
      assertThat(collected.gaps).isEmpty();
      assertThat(collected.lines())
          .containsExactly("0 INSERT t [1, 1]", "0 UPDATE t [1, 1] [1, 2]", "0 DELETE t [1, 2]");
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void compressedTransactions(ServerKind kind) throws Exception {
    String on =
        kind == ServerKind.MYSQL
            ? "SET binlog_transaction_compression = ON"
            : "SET GLOBAL log_bin_compress = ON, GLOBAL log_bin_compress_min_len = 10";
    try (Session session =
        new Session(LoggedServer.of(kind), "CREATE TABLE t(id INT PRIMARY KEY, n TEXT)")) {
      session.execute(
          on,
          "INSERT INTO t VALUES (1, REPEAT('x', 1000))",
          "UPDATE t SET n = REPEAT('y', 1000)",
          "DELETE FROM t");
      Collector collected = session.await();
      assertThat(collected.gaps).isEmpty();
      assertThat(collected.lines())
          .containsExactly(
              "0 INSERT t [1, " + "x".repeat(1000) + "]",
              "0 UPDATE t [1, " + "x".repeat(1000) + "] [1, " + "y".repeat(1000) + "]",
              "0 DELETE t [1, " + "y".repeat(1000) + "]");
    } finally {
      if (kind == ServerKind.MARIADB) {
        try (Connection connection = LoggedServer.of(kind).connect();
            Statement statement = connection.createStatement()) {
          statement.execute("SET GLOBAL log_bin_compress = OFF");
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void tableIsDescribedAsItWasWhenItsRowsWereWritten(ServerKind kind) throws Exception {
    try (Session session = new Session(LoggedServer.of(kind), TABLE)) {
      session.execute(
          "INSERT INTO t VALUES (1, 1)",
          "ALTER TABLE t ADD COLUMN m INT UNSIGNED DEFAULT 4000000000 FIRST",
          "INSERT INTO t(id, n) VALUES (2, 2)",
          "ALTER TABLE t RENAME COLUMN m TO k, RENAME COLUMN n TO m",
          "INSERT INTO t(id, m) VALUES (3, 3)",
          "TRUNCATE TABLE t");
      Collector collected = session.await();
      collected
          .rows()
          .forEach(
              row -> {
                Object id =
                    Objects.requireNonNull(row.after())[row.table().keys().get(0).columns().get(0)];
                assertThat(row.table().columns().stream().map(column -> column.name()))
                    .containsExactly(
                        id.equals(1L)
                            ? new String[] {"id", "n"}
                            : id.equals(2L)
                                ? new String[] {"m", "id", "n"}
                                : new String[] {"k", "id", "m"});
              });
      // Either the rows as they were, or a gap.
      assertThat(collected.rows().size() + collected.gaps.size()).isGreaterThanOrEqualTo(3);
      assertThat(collected.schemaChanges).hasSize(3);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void tableThatWasEmptiedIsNotDescribedAgain(ServerKind kind) throws Exception {
    try (Session session = new Session(LoggedServer.of(kind), TABLE)) {
      session.execute(
          "INSERT INTO t VALUES (1, 1)", "TRUNCATE TABLE t", "INSERT INTO t VALUES (2, 2)");
      Collector collected = session.await();
      assertThat(collected.gaps).isEmpty();
      assertThat(collected.rows()).hasSize(2);
      assertThat(collected.rows().get(1).table()).isSameAs(collected.rows().get(0).table());
      assertThat(collected.schemaChanges).hasSize(1);
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void statementFormatIsAGap(ServerKind kind) throws Exception {
    try (Session session = new Session(LoggedServer.of(kind), TABLE)) {
      session.execute("SET binlog_format = STATEMENT", "INSERT INTO t VALUES (1, 1)");
      Collector collected = session.await();
      assertThat(collected.rows()).isEmpty();
      assertThat(collected.gaps)
          .singleElement()
          .satisfies(gap -> assertThat(gap.reason()).isEqualTo(Reason.STATEMENT_FORMAT));
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void nothingIsLostOrRepeatedByRotationAndKilledConnections(ServerKind kind) throws Exception {
    try (Session session = new Session(LoggedServer.of(kind), TABLE)) {
      for (int i = 0; i < 60; i++) {
        session.execute("INSERT INTO t VALUES (" + i + ", " + i + ")");
        if (i % 20 == 5) {
          session.execute("FLUSH BINARY LOGS");
        }
        if (i % 20 == 10) {
          killDumpThreads(session);
        }
      }
      Collector collected = session.await();
      assertThat(collected.gaps).isEmpty();
      assertThat(collected.lines())
          .containsExactlyElementsOf(
              IntStream.range(0, 60).mapToObj(i -> "0 INSERT t [" + i + ", " + i + "]").toList());
      assertThat(session.source.statistics().reconnects()).isPositive();
    }
  }

  private static void killDumpThreads(Session session) throws Exception {
    try (Connection connection = session.connect();
        Statement statement = connection.createStatement();
        ResultSet threads =
            statement.executeQuery(
                "SELECT id FROM information_schema.processlist WHERE command LIKE 'Binlog Dump%'")) {
      while (threads.next()) {
        session.execute("KILL " + threads.getLong(1));
      }
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void purgedLogIsAGapAndReadingGoesOn(ServerKind kind) throws Exception {
    try (DatabaseServer server = LoggedServer.start(kind);
        Session session = new Session(server, TABLE)) {
      session.execute("INSERT INTO t VALUES (1, 1)");
      session.await();
      session.execute(kind == ServerKind.MYSQL ? "RESET BINARY LOGS AND GTIDS" : "RESET MASTER");
      killDumpThreads(session);
      Awaitility.await().until(() -> !session.collected.gaps.isEmpty());
      session.execute("INSERT INTO t VALUES (2, 2)");

      Awaitility.await().until(() -> session.collected.transactions.size() == 2);
      assertThat(session.collected.gaps.get(0).reason()).isEqualTo(Reason.RECORD_LOST);
      assertThat(session.collected.lines())
          .containsExactly("0 INSERT t [1, 1]", "0 INSERT t [2, 2]");
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void readingGoesOnAfterACrash(ServerKind kind) throws Exception {
    try (DatabaseServer server = LoggedServer.start(kind);
        Session session = new Session(server, TABLE)) {
      session.execute("INSERT INTO t VALUES (1, 1)");
      session.await();
      if (server instanceof MySqlServer mysql) {
        mysql.crash();
      } else {
        ((MariaDbServer) server).crash();
      }
      session.execute("REPLACE INTO t VALUES (2, 2)");

      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> session.collected.transactions.size() == 2);
      assertThat(session.collected.lines().get(1)).isEqualTo("0 INSERT t [2, 2]");
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void probeNamesTheMissingRight(ServerKind kind) throws Exception {
    DatabaseServer server = LoggedServer.of(kind);
    try (Session session =
        new Session(
            server,
            "CREATE USER IF NOT EXISTS app@'%' IDENTIFIED BY ''",
            "GRANT SELECT ON *.* TO app@'%'")) {
      ConnectionOpener app =
          () -> DriverManager.getConnection(session.url.replace("user=root", "user=app"));
      String position = kind == ServerKind.MYSQL ? "REPLICATION CLIENT" : "BINLOG MONITOR";
      assertThat(BinaryLogSource.probe(session::connect).isReadable()).isTrue();
      assertThat(BinaryLogSource.probe(app).missing())
          .isEqualTo(
              "the user may not read the log: GRANT REPLICATION SLAVE, "
                  + position
                  + " ON *.* TO 'app'@'%'");
      session.execute("GRANT REPLICATION SLAVE, " + position + " ON *.* TO app@'%'");
      assertThat(BinaryLogSource.probe(app).isReadable()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource(KINDS)
  void everyUserMayReadTheLogOfAServerWithoutRights(ServerKind kind) throws Exception {
    assumeThat(kind).isEqualTo(ServerKind.MARIADB);
    try (DatabaseServer server =
        MariaDbServer.start(
            "--log-bin=binlog", "--binlog-format=ROW", "--server-id=7", "--skip-grant-tables")) {
      assertThat(BinaryLogSource.probe(server::connect).missing()).isEmpty();
    }
  }

  /** A server before MySQL 5.6 is imitated: it has no such setting. */
  @ParameterizedTest
  @MethodSource(KINDS)
  void probeRefusesLogsWithoutChecksums(ServerKind kind) throws Exception {
    try (Session session = new Session(LoggedServer.of(kind))) {
      ConnectionOpener old = () -> without("binlog_checksum", session.connect(), Connection.class);
      assertThat(BinaryLogSource.probe(old).missing())
          .isEqualTo("its binary log has the form of MySQL before 5.6, which is not read");
    }
  }

  /** A connection, or a statement, to which a setting's name is unknown. */
  private static <T> T without(String setting, T target, Class<T> type) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          boolean isQuery = method.getName().equals("executeQuery");
          Object result =
              isQuery
                  ? method.invoke(target, String.valueOf(arguments[0]).replace(setting, "unknown"))
                  : method.invoke(target, arguments);
          return result instanceof Statement statement
              ? without(setting, statement, Statement.class)
              : result;
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
