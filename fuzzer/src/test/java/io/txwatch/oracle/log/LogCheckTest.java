package io.txwatch.oracle.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.campaign.Campaign;
import io.txwatch.campaign.VerdictListener;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Sql;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.LoggedExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.PostgresServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.math.BigDecimal;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class LogCheckTest {

  /** The log has three transactions. */
  private static final String THREE =
      """
      I: CREATE TABLE t (id INT PRIMARY KEY, v INT, w VARCHAR(9)) {ENGINE}
      I: INSERT INTO t VALUES (1, 10, 'a'), (2, 20, NULL)
      T1: BEGIN
      T1: UPDATE t SET v = 11 WHERE id = 1
      T2: UPDATE t SET v = 12 WHERE id = 1
      T1: COMMIT
      T2: INSERT INTO t VALUES (3, 30, 'c')
      """;

  private static final Map<ServerKind, DatabaseServer> SERVERS = new EnumMap<>(ServerKind.class);

  private static final AtomicInteger DATABASES = new AtomicInteger();

  static Stream<ServerKind> kinds() {
    return Stream.of(ServerKind.MYSQL, ServerKind.MARIADB, ServerKind.POSTGRESQL)
        .filter(kind -> TestServers.missing(kind).isEmpty());
  }

  private static DatabaseServer server(ServerKind kind) {
    return SERVERS.computeIfAbsent(
        kind,
        any ->
            switch (kind) {
              case MYSQL -> MySqlServer.start();
              case POSTGRESQL -> PostgresServer.start(List.of("wal_level=logical"));
              default ->
                  MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7");
            });
  }

  @AfterAll
  static void stop() throws Exception {
    for (DatabaseServer server : SERVERS.values()) {
      server.close();
    }
    SERVERS.clear();
  }

  private static Dbms dbms(ServerKind kind, Connector connector) throws Exception {
    return DbmsRegistry.connect(
        server(kind).newDatabase("log_" + DATABASES.incrementAndGet()), connector);
  }

  private static OracleVerdict verdict(Dbms dbms, String text) throws Exception {
    TestCase testCase = CaseReader.parse("test", text);
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(60))) {
      return new LogCheck()
          .judge(executor.execute(testCase, IsolationLevel.READ_COMMITTED), executor);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aLogThatHasWhatTransactionsChangedIsClean(ServerKind kind) throws Exception {
    OracleVerdict verdict = verdict(dbms(kind, DriverManager::getConnection), THREE);

    assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.CLEAN);
    assertThat(verdict.reason()).isEqualTo("a replica would hold the same after 3 transactions");
  }

  /** What a session does that is not logged is what a server does that loses a commit. */
  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "MARIADB"})
  void commitsThatAreNotInTheLogAreFound(ServerKind kind) throws Exception {
    Dbms dbms =
        dbms(
            kind,
            url -> Sql.initialize(DriverManager.getConnection(url), "SET SESSION sql_log_bin = 0"));

    OracleVerdict verdict = verdict(dbms, THREE);

    assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.VIOLATION);
    assertThat(verdict.reason())
        .isEqualTo(
            "a replica would hold in t [1,10,a, 2,20,null]"
                + " where the server holds [1,12,a, 2,20,null, 3,30,c]:"
                + " the log has no change of this table");
  }

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "POSTGRESQL"})
  void plantedFaultsOfTheLogAreFound(ServerKind kind) throws Exception {
    TestCase testCase = CaseReader.parse("test", THREE);
    LoggedExecution logged;
    try (ServerCaseExecutor executor =
        new ServerCaseExecutor(dbms(kind, DriverManager::getConnection), Duration.ofSeconds(60))) {
      logged = executor.executeLogged(testCase, IsolationLevel.READ_COMMITTED);
    }

    assertThat(reason(logged, log -> log))
        .isEqualTo("a replica would hold the same after 3 transactions");
    assertThat(reason(logged, log -> log.subList(0, 2))) // the last commit is lost
        .isEqualTo(
            "a replica would hold in t(id, v, w) no further row"
                + " where the server holds [3, 30, c]");
    assertThat(reason(logged, log -> log.subList(1, 3))) // the first commit is lost
        .isEqualTo(
            "a replica would not find the row [1, 11, a] of t, but [1, 10, a]:"
                + " UPDATE by transaction 1 of 2 in the log");
    assertThat(reason(logged, LogCheckTest::withFirstTwoSwapped))
        .isEqualTo(
            "a replica would not find the row [1, 11, a] of t, but [1, 10, a]:"
                + " UPDATE by transaction 1 of 3 in the log");
    assertThat(reason(logged, log -> withValue(log, 0, 99L)))
        .isEqualTo(
            "a replica would not find the row [1, 11, a] of t, but [1, 99, a]:"
                + " UPDATE by transaction 2 of 3 in the log");
    assertThat(reason(logged, log -> withValue(log, 2, 99L)))
        .isEqualTo(
            "a replica would hold in t(id, v, w) [3, 99, c]"
                + " where the server holds [3, 30, c]");
    assertThat(reason(logged, LogCheckTest::withLastTwice))
        .isEqualTo(
            "a replica would hold the row [3, 30, c] of t when it adds [3, 30, c]:"
                + " INSERT by transaction 4 of 4 in the log");
  }

  /** Each query returned one row; the planted one is what a DBMS with this fault would return. */
  private static final String READS =
      """
      I: CREATE TABLE t (id INT PRIMARY KEY, v INT, w VARCHAR(9)) {ENGINE}
      I: INSERT INTO t VALUES (1, 10, 'a'), (2, 20, NULL)
      T1: BEGIN
      T1: SELECT * FROM t WHERE id = 1
      T2: UPDATE t SET v = 11 WHERE id = 1
      T3: SELECT v, id FROM t WHERE id = 1
      T4: BEGIN
      T4: UPDATE t SET v = 77 WHERE id = 1
      T4: SELECT v FROM t WHERE id = 1
      T4: UPDATE t SET v = 12 WHERE id = 1
      T4: COMMIT
      T1: SELECT id, v FROM t WHERE id = 1
      T1: COMMIT
      """;

  @ParameterizedTest
  @MethodSource("kinds")
  void plantedFaultsOfReadsAreFound(ServerKind kind) throws Exception {
    TestCase testCase = CaseReader.parse("test", READS);
    LoggedExecution committed;
    LoggedExecution repeatable;
    try (ServerCaseExecutor executor =
        new ServerCaseExecutor(dbms(kind, DriverManager::getConnection), Duration.ofSeconds(60))) {
      committed = executor.executeLogged(testCase, IsolationLevel.READ_COMMITTED);
      repeatable = executor.executeLogged(testCase, IsolationLevel.REPEATABLE_READ);
    }
    String clean =
        "a replica would hold the same after 2 transactions; 4 rows that were read are versions of"
            + " it";

    assertThat(reason(committed, log -> log)).isEqualTo(clean);
    assertThat(reason(repeatable, log -> log)).isEqualTo(clean);
    assertThat(reasonWith(committed, 4, 10, 1)) // a version that was overwritten
        .isEqualTo(
            "T3 reads t(v, id) [10, 1]," + " a version that had been replaced before the snapshot");
    assertThat(reasonWith(committed, 10, 1, 77)) // a version that its writer overwrote
        .isEqualTo("T1 reads t(id, v) [1, 77], a version that was never committed");
    assertThat(reasonWith(committed, 10, 1, 78)) // a version that no transaction committed
        .isEqualTo("T1 reads t(id, v) [1, 78], which is no version of the log");
    assertThat(reasonWith(committed, 10, 2, 12)) // of two rows
        .isEqualTo("T1 reads t(id, v) [2, 12], which is no version of the log");
    assertThat(reasonWith(committed, 4, 12, 1)) // a version that is committed later
        .isEqualTo("T3 reads t(v, id) [12, 1], a version that was committed after the snapshot");
    assertThat(reasonWith(committed, 7, 77)).isEqualTo(clean); // its own
    assertThat(reasonWith(repeatable, 10, 1, 12)) // a snapshot that is not repeatable
        .isEqualTo("T1 reads t(id, v) [1, 12], a version that was committed after the snapshot");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aReadOfAnAbortedVersionIsFound(ServerKind kind) throws Exception {
    TestCase testCase =
        CaseReader.parse(
            "test",
            """
            I: CREATE TABLE t (id INT PRIMARY KEY, v INT) {ENGINE}
            I: INSERT INTO t VALUES (1, 10)
            T1: BEGIN
            T1: UPDATE t SET v = 11 WHERE id = 1
            T2: SELECT * FROM t
            T1: ROLLBACK
            """);
    Dbms dbms = dbms(kind, DriverManager::getConnection);
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(60))) {
      LoggedExecution logged = executor.executeLogged(testCase, IsolationLevel.READ_COMMITTED);

      assertThat(reason(logged, log -> log))
          .isEqualTo(
              "a replica would hold the same after 0 transactions;"
                  + " 1 row that was read is a version of it");
      assertThat(reasonWith(logged, 3, 1, 11))
          .isEqualTo("T2 reads t(id, v) [1, 11], which is no version of the log");
    }
  }

  /** The reason if a step had returned one other row. */
  private static String reasonWith(LoggedExecution logged, int step, long... row) throws Exception {
    CaseExecution execution = logged.execution();
    List<StepOutcome> outcomes = new ArrayList<>();
    for (StepOutcome each : execution.outcomes()) {
      outcomes.add(
          each.step().id() != step
              ? each
              : new StepOutcome(
                  each.step(),
                  each.status(),
                  each.blocked(),
                  each.failure(),
                  each.sqlState(),
                  each.vendorCode(),
                  each.message(),
                  each.updateCount(),
                  each.columns(),
                  List.of(
                      Arrays.stream(row).mapToObj(v -> (Object) BigDecimal.valueOf(v)).toList())));
    }
    CaseExecution other =
        new CaseExecution(
            execution.testCase(),
            execution.level(),
            outcomes,
            execution.order(),
            execution.completedBeforeEnd(),
            execution.finalReads(),
            execution.undecided(),
            execution.race(),
            execution.events());
    return new LogCheck()
        .judge(
            new LoggedExecution(
                other,
                logged.times(),
                logged.incomplete(),
                logged.gap(),
                logged.before(),
                logged.transactions(),
                logged.after()))
        .reason();
  }

  private static String reason(
      LoggedExecution logged, UnaryOperator<List<ChangedTransaction>> fault) throws Exception {
    return new LogCheck()
        .judge(
            new LoggedExecution(
                logged.execution(),
                logged.times(),
                logged.incomplete(),
                logged.gap(),
                logged.before(),
                fault.apply(logged.transactions()),
                logged.after()))
        .reason();
  }

  private static List<ChangedTransaction> withFirstTwoSwapped(List<ChangedTransaction> log) {
    List<ChangedTransaction> swapped = new ArrayList<>(log);
    Collections.swap(swapped, 0, 1);
    return swapped;
  }

  private static List<ChangedTransaction> withLastTwice(List<ChangedTransaction> log) {
    List<ChangedTransaction> more = new ArrayList<>(log);
    more.add(log.get(log.size() - 1));
    return more;
  }

  /** The log with another value in the second column of the image after a transaction's change. */
  private static List<ChangedTransaction> withValue(
      List<ChangedTransaction> log, int index, Object value) {
    ChangedTransaction transaction = log.get(index);
    ChangedRow row = transaction.changes().get(0);
    Object[] after = Objects.requireNonNull(row.after()).clone();
    after[1] = value;
    List<ChangedTransaction> changed = new ArrayList<>(log);
    changed.set(
        index,
        new ChangedTransaction(
            transaction.server(),
            transaction.id(),
            transaction.end(),
            transaction.connectionId(),
            transaction.commitMicros(),
            transaction.commitPrecisionMicros(),
            transaction.xid(),
            List.of(
                new ChangedRow(
                    row.kind(), row.table(), row.before(), after, row.statement(), row.text())),
            transaction.isComplete()));
    return changed;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=MyISAM"
            + "|the engine of the table t is MyISAM, not InnoDB",
        "CREATE TABLE t (id INT PRIMARY KEY, v INT, g INT AS (v + 1) STORED)"
            + "|the table t has a generated column",
        "CREATE TABLE t (id INT PRIMARY KEY, v INT, p INT,"
            + " FOREIGN KEY (p) REFERENCES p(id) ON DELETE CASCADE)"
            + "|a foreign key has an action, whose changes need not be in the log"
      })
  void tablesWhoseChangesAreNotAllInTheLogAreNotJudged(String table, String reason)
      throws Exception {
    for (ServerKind kind : List.of(ServerKind.MYSQL, ServerKind.MARIADB)) {
      OracleVerdict verdict =
          verdict(
              dbms(kind, DriverManager::getConnection),
              "I: CREATE TABLE p (id INT PRIMARY KEY) {ENGINE}\nI: "
                  + table
                  + "\nI: INSERT INTO t (id, v) VALUES (1, 1)\nT1: UPDATE t SET v = 2\n");

      assertThat(verdict.result()).as(kind + ": " + verdict.reason()).isEqualTo(Result.UNSUPPORTED);
      assertThat(verdict.reason()).isEqualTo(reason);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CREATE UNLOGGED TABLE t (id INT PRIMARY KEY, v INT)|the table t is unlogged",
        "CREATE TABLE t (id INT PRIMARY KEY, v INT, g INT GENERATED ALWAYS AS (v + 1) STORED)"
            + "|the table t has a generated column"
      })
  void postgresTablesWhoseRowsAreNotInTheLogAreNotJudged(String table, String reason)
      throws Exception {
    OracleVerdict verdict =
        verdict(
            dbms(ServerKind.POSTGRESQL, DriverManager::getConnection),
            "I: " + table + "\nI: INSERT INTO t (id, v) VALUES (1, 1)\nT1: UPDATE t SET v = 2\n");

    assertThat(verdict.result()).as(verdict.reason()).isEqualTo(Result.UNSUPPORTED);
    assertThat(verdict.reason()).isEqualTo(reason);
  }

  @ParameterizedTest
  @CsvSource({
    "SET SESSION binlog_row_image = MINIMAL, the case sets what is logged",
    "ALTER TABLE t ADD COLUMN x INT, a statement changes definitions"
  })
  void casesThatChangeWhatIsLoggedAreNotJudged(String statement, String reason) throws Exception {
    OracleVerdict verdict =
        verdict(
            dbms(ServerKind.MARIADB, DriverManager::getConnection),
            THREE + "T1: " + statement + "\n");

    assertThat(verdict.result()).isEqualTo(Result.UNSUPPORTED);
    assertThat(verdict.reason()).isEqualTo(reason);
  }

  @Test
  void minimalImagesOfTheServerAreNotJudged() throws Exception {
    try (MariaDbServer server =
        MariaDbServer.start(
            "--log-bin=binlog",
            "--binlog-format=ROW",
            "--server-id=8",
            "--binlog-row-image=MINIMAL")) {
      OracleVerdict verdict =
          verdict(
              DbmsRegistry.connect(server.newDatabase("log"), DriverManager::getConnection), THREE);

      assertThat(verdict.result()).isEqualTo(Result.UNSUPPORTED);
      assertThat(verdict.reason()).startsWith("binlog_row_image is not FULL");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "MARIADB, the binary log is off",
    "H2, no log of this DBMS is read",
    "POSTGRESQL, wal_level is replica: set it to logical"
  })
  void aServerWithoutALogIsNotJudged(ServerKind kind, String reason) throws Exception {
    OracleVerdict verdict =
        verdict(
            DbmsRegistry.connect(TestServers.freshDatabase(kind), DriverManager::getConnection),
            THREE);

    assertThat(verdict.result()).isEqualTo(Result.UNSUPPORTED);
    assertThat(verdict.reason()).startsWith(reason);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void generatedCasesGiveNoFalseAlarm(ServerKind kind) throws Exception {
    Dbms dbms = dbms(kind, DriverManager::getConnection);
    Map<Result, Long> results = new EnumMap<>(Result.class);
    Map<String, Long> reasons = new ConcurrentSkipListMap<>();
    List<String> violations = Collections.synchronizedList(new ArrayList<>());
    Campaign.Plan plan =
        new Campaign.Plan(23, dbms.levels(), List.of(new LogCheck()), 60, Duration.ofMinutes(8), 2);

    new Campaign(
            dbms,
            plan,
            new VerdictListener(
                (execution, verdict) -> {
                  synchronized (results) {
                    results.merge(verdict.result(), 1L, Long::sum);
                  }
                  if (verdict.result() != Result.CLEAN) {
                    reasons.merge(verdict.reason().replaceAll("\\d+", "N"), 1L, Long::sum);
                  }
                  if (verdict.result() == Result.VIOLATION) {
                    violations.add(verdict.reason() + "\n" + execution);
                  }
                }))
        .run();

    assertThat(violations).isEmpty();
    assertThat(results.getOrDefault(Result.CLEAN, 0L))
        .as("%s: %s", results, reasons)
        .isGreaterThan(15);
  }
}
