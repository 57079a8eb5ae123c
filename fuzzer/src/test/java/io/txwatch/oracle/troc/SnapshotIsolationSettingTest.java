package io.txwatch.oracle.troc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.dbms.mariadb.MariaDbBehaviour;
import io.txwatch.dbms.mysql.InnodbSemantics;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseFormatException;
import io.txwatch.testcase.CaseReader;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Settings of a case, and MariaDB's {@code innodb_snapshot_isolation} among them: "an error … is
 * raised if an attempt is made to acquire a lock on a record that does not exist in the current
 * read view".
 */
class SnapshotIsolationSettingTest {

  private static final String SETTING = "innodb_snapshot_isolation";

  /** T1 has a read view, and T2 changes the row that T1 then locks. */
  private static final String SCHEDULE =
      """
      I: CREATE TABLE t (id INT PRIMARY KEY, k INT, v INT, KEY (k)) {ENGINE}
      I: CREATE TABLE s (id INT PRIMARY KEY, k INT) {ENGINE}
      I: INSERT INTO t VALUES (1, 0, 0)
      I: INSERT INTO s VALUES (1, 0)
      T1: BEGIN
      T1: SELECT * FROM s
      T2: UPDATE t SET k = 5, v = 5
      T1: %s
      T1: COMMIT
      """;

  /** At SERIALIZABLE there is a read view since MDEV-36330 was corrected. */
  @ParameterizedTest
  @CsvSource({
    "10.11.5, ON, SER, false",
    "10.11.13, ON, SER, false",
    "10.11.14, ON, SER, true",
    "10.6.22, ON, SER, false",
    "10.6.23, ON, SER, true",
    "11.4.5, ON, SER, false",
    "11.4.8, ON, SER, true",
    "11.7.2, ON, SER, false",
    "11.8.9, ON, SER, true",
    "12.2.2, ON, SER, true",
    "11.8.9, OFF, SER, false",
    "11.4.5, ON, RR, true",
    "11.8.9, OFF, RR, false",
    "11.8.9, ON, RC, false"
  })
  void locksAreCheckedBySettingVersionAndLevel(
      String version, String value, String level, boolean checks) {
    Database database = new Database(new Product("MariaDB", version), Map.of(SETTING, value));

    assertThat(
            InnodbSemantics.of(database, IsolationLevel.parse(level).orElseThrow())
                .checksLocksAgainstSnapshot())
        .isEqualTo(checks);
  }

  /** What a server without the check does is a violation where there must be one. */
  @ParameterizedTest
  @CsvSource({
    "RR, SELECT * FROM t, CLEAN",
    "RR, SELECT v FROM t LOCK IN SHARE MODE, VIOLATION",
    "RR, SELECT v FROM t FOR UPDATE, VIOLATION",
    "RR, UPDATE t SET v = v + 1, VIOLATION",
    "RR, DELETE FROM t, VIOLATION",
    "RR, UPDATE s SET k = 1, CLEAN",
    "SER, SELECT * FROM t, VIOLATION",
    "SER, UPDATE t SET v = v + 1, VIOLATION",
    "SER, SELECT id FROM t, CLEAN",
    "RC, UPDATE t SET v = v + 1, CLEAN"
  })
  void aLockOfAnotherVersionThanTheSnapshotsIsAViolation(
      String level, String statement, Result result) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      Assumptions.assumeThat(fixture.dbms().database().settings()).doesNotContainKey(SETTING);
      CaseExecution execution = fixture.execute(SCHEDULE.formatted(statement), level);

      OracleVerdict verdict = new Troc().judge(execution, claimingTheCheck(fixture.executor()));
      assertThat(verdict.result()).as(verdict.reason() + "\n" + execution).isEqualTo(result);
      assertThat(new Troc().judge(execution, fixture.executor()).result()).isEqualTo(Result.CLEAN);
    }
  }

  /** On a server with the setting; tests start one without it. */
  @ParameterizedTest
  @CsvSource({"RR", "SER"})
  void aServerWithTheCheckPasses(String level) throws Exception {
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      Assumptions.assumeThat(fixture.dbms().database().settings()).containsKey(SETTING);
      String on = "# settings: innodb_snapshot_isolation=ON\n" + SCHEDULE;
      CaseExecution refused = fixture.execute(on.formatted("UPDATE t SET v = v + 1"), level);
      CaseExecution off =
          fixture.execute(on.replace("=ON", "=OFF").formatted("UPDATE t SET v = v + 1"), level);
      CaseExecution index =
          fixture.execute(on.formatted("SELECT k FROM t LOCK IN SHARE MODE"), level);

      assertThat(refused.outcome(4).vendorCode()).as(refused.toString()).isEqualTo(1020);
      assertThat(off.outcome(4).updateCount()).as(off.toString()).isEqualTo(1);
      TrocVerdicts.assertResult(fixture, refused, Result.CLEAN);
      TrocVerdicts.assertResult(fixture, off, Result.CLEAN);
      OracleVerdict verdict = new Troc().judge(index, fixture.executor());
      assertThat(verdict.result()).as(index.toString()).isEqualTo(Result.VIOLATION);
      assertThat(DbmsRegistry.knownBehaviour(fixture.executor(), index, verdict))
          .contains(MariaDbBehaviour.UNCHECKED_INDEX_LOCK);
    }
  }

  /** The sessions of a case have its settings, and those of the next case the server's. */
  @Test
  void sessionsHaveTheSettingsOfTheirCase() throws Exception {
    String schedule =
        """
        I: CREATE TABLE t (id INT) {ENGINE}
        T1: SELECT @@innodb_lock_wait_timeout = 7 AND @@lock_wait_timeout = 9
        T2: SELECT @@innodb_lock_wait_timeout = 7 AND @@lock_wait_timeout = 9
        """;
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      CaseExecution set =
          fixture.execute(
              "# settings: innodb_lock_wait_timeout=7, lock_wait_timeout = 9\n" + schedule, "RR");
      CaseExecution unset = fixture.execute(schedule, "RR");

      assertThat(set.outcomes()).allSatisfy(o -> assertThat(o.rows().toString()).contains("1"));
      assertThat(unset.outcomes()).allSatisfy(o -> assertThat(o.rows().toString()).contains("0"));
      assertThat(fixture.executor().database(set.testCase()).settings())
          .containsEntry("lock_wait_timeout", "9");
      assertThatThrownBy(() -> fixture.execute("# settings: no_such_setting=1\n" + schedule, "RR"))
          .isInstanceOf(ScheduleExecutor.SetupException.class)
          .hasMessageContaining("no_such_setting");
    }
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.H2)) {
      assertThatThrownBy(() -> fixture.execute("# settings: a=1\nT1: SELECT 1", "RR"))
          .isInstanceOf(ScheduleExecutor.SetupException.class);
    }
  }

  @Test
  void settingsAreNamesAndValues() throws Exception {
    assertThat(CaseReader.parse("x", "# settings: a=1, b = ON\nT1: SELECT 1").settings())
        .isEqualTo(Map.of("a", "1", "b", "ON"));
    for (String wrong : List.of("a", "a=1; DROP TABLE t", "a='x'", "=1")) {
      assertThatThrownBy(() -> CaseReader.parse("x", "# settings: " + wrong + "\nT1: SELECT 1"))
          .isInstanceOf(CaseFormatException.class)
          .hasMessageContaining("name=value");
    }
  }

  /** The same executor, with a server that has the setting, by its own account. */
  private static CaseExecutor claimingTheCheck(CaseExecutor executor) {
    Database database = new Database(new Product("MariaDB", "10.11.19"), Map.of(SETTING, "ON"));
    return (CaseExecutor)
        Proxy.newProxyInstance(
            CaseExecutor.class.getClassLoader(),
            new Class<?>[] {CaseExecutor.class},
            (proxy, method, arguments) ->
                method.getName().equals("database")
                    ? database
                    : method.invoke(executor, arguments));
  }
}
