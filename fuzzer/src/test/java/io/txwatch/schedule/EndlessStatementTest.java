package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.Interleaved;
import io.txwatch.interleave.Interleaved.Verdict;
import io.txwatch.schedule.ObservedPath.Strictness;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A case with a statement that does not end is undecided, and the statement is cancelled. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class EndlessStatementTest {

  private static final Duration MAX_WAIT = Duration.ofSeconds(3);

  private static final String CASE =
      """
      I: CREATE TABLE t0 (c0 INT NOT NULL PRIMARY KEY, c1 INT) {ENGINE}
      I: INSERT INTO t0 VALUES (1, 1)
      T1: UPDATE t0 SET c1 = 2 WHERE c0 = 1
      T1: %s
      T2: UPDATE t0 SET c1 = 3 WHERE c0 = 1
      """;

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
  void theOrdersAreUndecided(ServerKind kind) throws Exception {
    TestCase testCase = testCase(kind, CASE);
    String url = TestServers.freshDatabase(kind);

    Interleaved found = interleaver(url).interleave(testCase, IsolationLevel.READ_COMMITTED);

    assertThat(found.verdict()).isEqualTo(Verdict.UNDECIDED);
    assertThat(found.reason())
        .startsWith("a statement did not end within 3 s: T1 has not returned from " + text(kind));
    assertThat(executing(kind, url)).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
  void theOrdersToJudgeAreIncomplete(ServerKind kind) throws Exception {
    TestCase testCase = testCase(kind, CASE);
    String url = TestServers.freshDatabase(kind);

    assertThat(interleaver(url).orders(testCase, IsolationLevel.READ_COMMITTED).incomplete())
        .startsWith("a statement did not end within 3 s: T1 has not returned from " + text(kind));
    assertThat(executing(kind, url)).isZero();
  }

  /** Sessions that repeat what was observed are first executed alone. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
  void theSessionAloneIsUndecided(ServerKind kind) throws Exception {
    TestCase testCase = testCase(kind, CASE);
    String url = TestServers.freshDatabase(kind);

    Interleaved found =
        interleaver(url)
            .interleave(
                testCase,
                IsolationLevel.READ_COMMITTED,
                Map.of("T1", path(testCase, "T1"), "T2", path(testCase, "T2")),
                Strictness.COUNTS);

    assertThat(found.verdict()).isEqualTo(Verdict.UNDECIDED);
    assertThat(found.reason()).isEqualTo("T1 did not end within 3 s");
    assertThat(executing(kind, url)).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
  void theFinalReadIsUndecided(ServerKind kind) throws Exception {
    TestCase testCase =
        testCase(kind, CASE.replace("T1: %s\n", "").concat("F: %s\n").replace("\n\n", "\n"));
    String url = TestServers.freshDatabase(kind);

    Interleaved found = interleaver(url).interleave(testCase, IsolationLevel.READ_COMMITTED);

    assertThat(found.verdict()).isEqualTo(Verdict.UNDECIDED);
    assertThat(found.reason()).contains("did not end within 3 s").contains(text(kind));
    assertThat(executing(kind, url)).isZero();
  }

  private static TestCase testCase(ServerKind kind, String text) throws Exception {
    assumeThat(TestServers.missing(kind)).isEmpty();
    return CaseReader.parse("endless", text.formatted(text(kind)));
  }

  private static CaseInterleaver interleaver(String url) throws Exception {
    return new CaseInterleaver(DbmsRegistry.connect(url, DriverManager::getConnection), 3, 100)
        .waiting(MAX_WAIT);
  }

  private static ObservedPath path(TestCase testCase, String session) {
    List<ComputedText> texts =
        testCase.steps().stream()
            .filter(step -> step.session().equals(session))
            .map(step -> new ComputedText(List.of(step.sql()), List.of()))
            .toList();
    return new ObservedPath(
        texts,
        texts.stream().map(text -> -1).toList(),
        texts.stream().map(text -> IdentifiedRows.ANY).toList(),
        texts.stream().map(text -> "").toList());
  }

  private static String text(ServerKind kind) {
    return switch (kind) {
      case POSTGRESQL -> "SELECT pg_sleep(100000)";
      case MARIADB, MYSQL -> "SELECT SLEEP(100000)";
      default ->
          "SELECT MAX(a.X + b.X) FROM SYSTEM_RANGE(1, 9999999) a, SYSTEM_RANGE(1, 9999999) b";
    };
  }

  /** The number of sessions that execute the statement. */
  private static int executing(ServerKind kind, String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet count =
            statement.executeQuery(
                "SELECT COUNT(*) FROM "
                    + switch (kind) {
                      case POSTGRESQL ->
                          "pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active'"
                              + " AND pid <> pg_backend_pid()";
                      case MARIADB, MYSQL ->
                          "INFORMATION_SCHEMA.PROCESSLIST WHERE INFO LIKE '%SLEEP%'"
                              + " AND ID <> CONNECTION_ID()";
                      default ->
                          "INFORMATION_SCHEMA.SESSIONS WHERE EXECUTING_STATEMENT LIKE '%SYSTEM_RANGE%'"
                              + " AND SESSION_ID <> SESSION_ID()";
                    })) {
      count.next();
      return count.getInt(1);
    }
  }
}
