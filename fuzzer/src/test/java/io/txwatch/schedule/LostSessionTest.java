package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseReader;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sessions of an embedded DBMS whose statements do not return when they are abandoned. Public for
 * H2, which calls its functions.
 */
public class LostSessionTest {

  /** Called by H2: ignores cancel, like a statement that busy-waits forever. */
  public static int tryForEver() {
    while (!mayEnd) {
      Thread.onSpinWait();
    }
    ended.countDown();
    return 1;
  }

  /** Called by H2: blocks, and ignores cancel. */
  public static int waitForLong() {
    try {
      Thread.sleep(600_000);
    } catch (InterruptedException e) {
      ended.countDown();
    }
    return 1;
  }

  private static final String TABLE =
      """
      I: CREATE TABLE t (id INT PRIMARY KEY, v INT)
      I: INSERT INTO t VALUES (1, 1), (2, 2)
      """;

  private static volatile boolean mayEnd;
  private static CountDownLatch ended = new CountDownLatch(0);

  @BeforeEach
  void nothingHasHappened() {
    mayEnd = false;
    ended = new CountDownLatch(1);
  }

  @Test
  @Timeout(60)
  void aCaseIsIsolatedFromATransactionThatNeverEnds() throws Exception {
    try (ServerCaseExecutor executor = executor()) {
      CaseExecution lost = executeWith("tryForEver", executor);
      assertThat(lost.undecided()).as(lost.toString()).isPresent();
      assertThatTheNextCaseIsUnaffected(executor);
      assertThat(ended.getCount()).as("it is still at work").isEqualTo(1);
    } finally {
      mayEnd = true;
    }
    assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  @Timeout(60)
  void aBlockedSessionIsWoken() throws Exception {
    try (ServerCaseExecutor executor = executor()) {
      CaseExecution lost = executeWith("waitForLong", executor);
      assertThat(lost.undecided()).as(lost.toString()).isPresent();
      assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
      assertThatTheNextCaseIsUnaffected(executor);
    }
  }

  private static ServerCaseExecutor executor() throws Exception {
    Dbms dbms =
        DbmsRegistry.connect(
            TestServers.freshDatabase(ServerKind.H2), DriverManager::getConnection);
    return new ServerCaseExecutor(dbms, Duration.ofMillis(100));
  }

  /** T2 locks a row and calls a function. */
  private static CaseExecution executeWith(String function, ServerCaseExecutor executor)
      throws Exception {
    return execute(
        executor,
        "I: CREATE ALIAS %1$s FOR '%2$s.%1$s'\n"
                .formatted(function, LostSessionTest.class.getName())
            + TABLE
            + """
            T1: BEGIN
            T2: BEGIN
            T1: INSERT INTO t VALUES (3, 3)
            T2: UPDATE t SET v = 10 WHERE id = 1
            T2: UPDATE t SET v = %s() WHERE id = 2
            """
                .formatted(function));
  }

  private static void assertThatTheNextCaseIsUnaffected(ServerCaseExecutor executor)
      throws Exception {
    CaseExecution next =
        execute(
            executor,
            TABLE
                + """
                T1: DELETE FROM t WHERE id = 1
                T2: SELECT COUNT(*) FROM INFORMATION_SCHEMA.SESSIONS WHERE CONTAINS_UNCOMMITTED
                """);

    assertThat(next.undecided()).isEmpty();
    assertThat(next.outcomes().get(1).rows()).as("open transactions").hasToString("[[0]]");
    assertThat(next.finalState()).containsExactly(List.of("2,2"));
  }

  private static CaseExecution execute(ServerCaseExecutor executor, String testCase)
      throws Exception {
    return executor.execute(CaseReader.parse("test", testCase), IsolationLevel.READ_COMMITTED);
  }
}
