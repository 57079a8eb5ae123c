package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Workspace;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.wait.WaitMonitor;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.servers.MySqlServer;
import io.txwatch.testcase.CaseReader;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Blocked sessions on a MySQL whose performance_schema is off, or not accessible to the user. */
@EnabledIf("io.txwatch.servers.MySqlServer#isFetched")
class PerformanceSchemaWaitMonitorTest {

  private static final String BLOCKED_TWICE =
      """
      I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
      I: INSERT INTO t VALUES (1, 10), (2, 20)
      T1: BEGIN
      T2: BEGIN
      T3: BEGIN
      T1: UPDATE t SET v = v + 1 WHERE id = 1
      T2: UPDATE t SET v = v + 2 WHERE id = 1
      T3: UPDATE t SET v = v * 2 WHERE id = 1
      T1: COMMIT
      T2: COMMIT
      T3: COMMIT
      """;

  /** T2 has written nothing, so the status leaves its wait out; T3 waits behind it. */
  private static final String BLOCKED_QUERY =
      """
      I: CREATE TABLE t (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}
      I: INSERT INTO t VALUES (1, 10), (2, 20)
      T1: BEGIN
      T2: BEGIN
      T3: BEGIN
      T1: UPDATE t SET v = v + 1 WHERE id = 1
      T2: SELECT v FROM t WHERE id = 1
      T3: UPDATE t SET v = v * 2 WHERE id = 1
      T1: COMMIT
      T2: COMMIT
      T3: COMMIT
      """;

  private static MySqlServer without;
  private static MySqlServer with;

  @BeforeAll
  static void start() {
    without = MySqlServer.start("--performance-schema=OFF");
    with = MySqlServer.start();
  }

  @AfterAll
  static void stop() {
    without.close();
    with.close();
  }

  @Test
  void aBlockedCaseIsDecidedWithoutPerformanceSchema() throws Exception {
    String url = without.newDatabase("waits");
    assertThat(note(url))
        .isEqualTo("performance_schema is OFF: lock waits are read from SHOW ENGINE INNODB STATUS");
    assertBlockedIsDecided(url, BLOCKED_TWICE, IsolationLevel.READ_COMMITTED, "1,26");
  }

  @Test
  void aBlockedQueryIsDecidedWithoutPerformanceSchema() throws Exception {
    assertBlockedIsDecided(
        without.newDatabase("queries"), BLOCKED_QUERY, IsolationLevel.SERIALIZABLE, "1,22");
  }

  @Test
  void aBlockedCaseIsDecidedForAUserWhoMayNotReadIt() throws Exception {
    String url =
        as("clerk", "GRANT ALL ON `txwatch\\_%`.* TO clerk", "GRANT PROCESS ON *.* TO clerk");
    assertThat(note(url))
        .isEqualTo(
            "the user may not read performance_schema: lock waits are read from SHOW ENGINE INNODB STATUS");
    assertBlockedIsDecided(url, BLOCKED_TWICE, IsolationLevel.READ_COMMITTED, "1,26");
  }

  @Test
  void aUserWithoutPrivilegesGetsAnErrorAtTheStart() throws Exception {
    String url = as("nobody", "GRANT ALL ON `txwatch\\_%`.* TO nobody");
    assertThatThrownBy(() -> note(url))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("PROCESS");
  }

  @Test
  void aUserWithAllPrivilegesGetsNoNote() throws Exception {
    assertThat(note(with.newDatabase("waits"))).isEmpty();
  }

  private static String as(String user, String... grants) throws SQLException {
    String url = with.newDatabase("of_" + user);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE USER " + user);
      statement.execute("GRANT ALL ON of_" + user + ".* TO " + user);
      for (String grant : grants) {
        statement.execute(grant);
      }
    }
    return url.replace("user=root", "user=" + user);
  }

  private static String note(String url) throws Exception {
    Dbms dbms = DbmsRegistry.connect(url, DriverManager::getConnection);
    try (Workspace workspace = dbms.newWorkspace();
        WaitMonitor monitor = workspace.newMonitor()) {
      return monitor.note().orElse("");
    }
  }

  private static void assertBlockedIsDecided(
      String url, String testCase, IsolationLevel level, String changedRow) throws Exception {
    Dbms dbms = DbmsRegistry.connect(url, DriverManager::getConnection);
    try (ServerCaseExecutor executor = new ServerCaseExecutor(dbms, Duration.ofSeconds(60))) {
      for (int i = 0; i < 5; i++) {
        CaseExecution execution = executor.execute(CaseReader.parse("test", testCase), level);
        assertThat(execution.undecided()).as(execution.toString()).isEmpty();
        assertThat(execution.outcomes().stream().filter(StepOutcome::blocked))
            .as(execution.toString())
            .hasSize(2);
        assertThat(execution.finalState()).containsExactly(List.of(changedRow, "2,20"));
      }
    }
  }
}
