package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.campaign.DbmsComparison.Result;
import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class OtherDbmsTest {

  private static final String SETUP =
      """
      I: CREATE TABLE t (id INT PRIMARY KEY, v INT) {ENGINE}
      I: INSERT INTO t VALUES (1, 10)
      """;

  private static final String LOST_UPDATE =
      SETUP
          + """
          T1: BEGIN
          T2: BEGIN
          T1: SELECT v FROM t WHERE id = 1
          T2: SELECT v FROM t WHERE id = 1
          T1: UPDATE t SET v = 11 WHERE id = 1
          T1: COMMIT
          T2: UPDATE t SET v = 12 WHERE id = 1
          T2: COMMIT
          """;

  private static final String NON_REPEATABLE_READ =
      SETUP
          + """
          T1: BEGIN
          T1: SELECT v FROM t WHERE id = 1
          T2: UPDATE t SET v = 11 WHERE id = 1
          T1: SELECT v FROM t WHERE id = 1
          T1: COMMIT
          """;

  private static Dbms dbms(ServerKind kind) throws Exception {
    return DbmsRegistry.connect(TestServers.freshDatabase(kind), DriverManager::getConnection);
  }

  private static CaseExecution execution(Dbms dbms, TestCase testCase, IsolationLevel level)
      throws Exception {
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(30))) {
      return executor.execute(testCase, level);
    }
  }

  /** What {@code other} does with a case, compared with {@code here}. */
  private static DbmsComparison compared(
      ServerKind here, ServerKind other, String text, IsolationLevel level) throws Exception {
    TestCase testCase = CaseReader.parse("compared", text);
    CaseExecution execution = execution(dbms(here), testCase, level);
    try (OtherDbms compared = new OtherDbms(dbms(other))) {
      return compared.compare(testCase, execution);
    }
  }

  /**
   * MariaDB loses the update; PostgreSQL's manual promises that the second one fails. A setting of
   * the one is none of the other.
   */
  @Test
  void errorAndFinalStateOfALostUpdateDiffer() throws Exception {
    Dbms mariaDb = dbms(ServerKind.MARIADB);
    TestCase lostUpdate = CaseReader.parse("compared", LOST_UPDATE);
    TestCase set = lostUpdate.withHeader("settings", "innodb_snapshot_isolation=OFF");
    boolean hasSetting = mariaDb.database().settings().containsKey("innodb_snapshot_isolation");
    CaseExecution here =
        execution(mariaDb, hasSetting ? set : lostUpdate, IsolationLevel.REPEATABLE_READ);
    DbmsComparison comparison;
    try (OtherDbms compared = new OtherDbms(dbms(ServerKind.POSTGRESQL))) {
      comparison = compared.compare(set, here);
    }

    assertThat(comparison.result()).isEqualTo(Result.DIFFERENT);
    assertThat(comparison.sentences())
        .containsExactly(
            "On "
                + comparison.dbms()
                + " at REPEATABLE READ: statement 7 (T2: UPDATE t SET v = 12"
                + " WHERE id = 1) fails: 40001 ERROR: could not serialize access due to concurrent"
                + " update; here it changes 1 row",
            "On "
                + comparison.dbms()
                + " at REPEATABLE READ: statement 8 (T2: COMMIT) is not"
                + " executed, because an error has ended its transaction; here it succeeds",
            "On "
                + comparison.dbms()
                + " at REPEATABLE READ: final state of t: (1, 11); here"
                + " (1, 12)");
  }

  @Test
  void sameResultsAreOneSentence() throws Exception {
    DbmsComparison comparison =
        compared(
            ServerKind.H2,
            ServerKind.POSTGRESQL,
            NON_REPEATABLE_READ,
            IsolationLevel.READ_COMMITTED);

    assertThat(comparison.sentences())
        .containsExactly(
            "On " + comparison.dbms() + " at READ COMMITTED: the same results and final state");
  }

  /** A read locks its row on MariaDB at SERIALIZABLE; on H2 it reads a snapshot. */
  @Test
  void rowsAndBlockingDiffer() throws Exception {
    DbmsComparison comparison =
        compared(
            ServerKind.MARIADB, ServerKind.H2, NON_REPEATABLE_READ, IsolationLevel.SERIALIZABLE);

    assertThat(comparison.details())
        .containsExactly(
            "statement 3 (T2: UPDATE t SET v = 11 WHERE id = 1) changes 1 row; here it is blocked"
                + " and then changes 1 row");
  }

  @Test
  void levelThatTheOtherLacksIsTheReason() throws Exception {
    DbmsComparison comparison =
        compared(
            ServerKind.H2, ServerKind.SQLITE, NON_REPEATABLE_READ, IsolationLevel.READ_COMMITTED);

    assertThat(comparison.result()).isEqualTo(Result.NOT_COMPARABLE);
    assertThat(comparison.sentences())
        .containsExactly(
            "On "
                + comparison.dbms()
                + " at READ COMMITTED: not comparable, it has no separate"
                + " level READ COMMITTED (it has SERIALIZABLE)");
  }

  /** A statement that is not known there says nothing about transactions; a duplicate key does. */
  @Test
  void rejectedStatementIsTheReasonAndAViolatedConstraintIsNot() throws Exception {
    DbmsComparison rejected =
        compared(
            ServerKind.MARIADB,
            ServerKind.POSTGRESQL,
            SETUP + "T1: REPLACE INTO t VALUES (1, 11)\n",
            IsolationLevel.READ_COMMITTED);

    assertThat(rejected.result()).isEqualTo(Result.NOT_COMPARABLE);
    assertThat(rejected.sentences().get(0))
        .contains(
            "not comparable, statement 1 (T1: REPLACE INTO t VALUES (1, 11)) fails: 42601 ERROR:");

    DbmsComparison violated =
        compared(
            ServerKind.MARIADB,
            ServerKind.POSTGRESQL,
            SETUP + "T1: INSERT INTO t VALUES (1, 11)\n",
            IsolationLevel.READ_COMMITTED);

    assertThat(violated.result()).isEqualTo(Result.SAME);
  }

  @Test
  void rejectedSetupIsTheReason() throws Exception {
    DbmsComparison comparison =
        compared(
            ServerKind.H2,
            ServerKind.POSTGRESQL,
            "I: CREATE TABLE t (v TINYINT)\nT1: SELECT v FROM t\n",
            IsolationLevel.READ_COMMITTED);

    assertThat(comparison.details())
        .hasSize(1)
        .first()
        .asString()
        .startsWith("the set-up statement 'CREATE TABLE t (v TINYINT)' failed: ");
  }

  @Test
  void lostServerIsTheReason() throws Exception {
    TestCase testCase = CaseReader.parse("compared", LOST_UPDATE);
    IsolationLevel level = IsolationLevel.READ_COMMITTED;
    CaseExecution here = execution(dbms(ServerKind.H2), testCase, level);
    try (MariaDbServer server = MariaDbServer.start()) {
      Dbms other = DbmsRegistry.connect(server.newDatabase("lost"), DriverManager::getConnection);
      try (OtherDbms compared = new OtherDbms(other)) {
        assertThat(compared.compare(testCase, here).result()).isEqualTo(Result.SAME);

        server.crash();

        DbmsComparison lost = compared.compare(testCase, here);
        assertThat(lost.result()).isEqualTo(Result.NOT_COMPARABLE);
        assertThat(lost.sentences()).hasSize(1);
      }
    }
  }

  /** The connections that the driver opens after the first one wait for the server. */
  @Test
  void serverThatDoesNotRespondIsNotUsedAgain() throws Exception {
    TestCase testCase = CaseReader.parse("compared", LOST_UPDATE);
    IsolationLevel level = IsolationLevel.READ_COMMITTED;
    CaseExecution here = execution(dbms(ServerKind.H2), testCase, level);
    AtomicBoolean hangs = new AtomicBoolean();
    CountDownLatch never = new CountDownLatch(1);
    Connector connector =
        url -> {
          while (hangs.get()) {
            try {
              never.await();
            } catch (InterruptedException e) {
              // A driver that reads from a socket cannot be interrupted.
            }
          }
          return DriverManager.getConnection(url);
        };
    Dbms other = DbmsRegistry.connect(TestServers.freshDatabase(ServerKind.H2), connector);
    hangs.set(true);
    try (OtherDbms compared = new OtherDbms(other, Duration.ofSeconds(1))) {
      assertThat(compared.compare(testCase, here).details())
          .containsExactly("no response for 1 s; it is not used any more");
      assertThat(compared.compare(testCase, here).details())
          .containsExactly("it did not respond before and is not used any more");
      assertThat(compared.isResponsive()).isFalse();
    } finally {
      hangs.set(false);
      never.countDown();
    }
  }
}
