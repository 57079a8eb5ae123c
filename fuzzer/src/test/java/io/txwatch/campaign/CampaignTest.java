package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.oracle.Verdict;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.schedule.Execution;
import io.txwatch.schedule.Lab;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.sql.Dialect;
import io.txwatch.testcase.CaseWriter;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CampaignTest {

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2", "SQLITE"})
  void statementsAreAcceptedAndWhatIsFoundIsKnown(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    Dbms dbms = Dbms.of(url, DriverManager::getConnection);
    List<Finding> findings = new CopyOnWriteArrayList<>();
    Campaign.Plan plan =
        new Campaign.Plan(
            11, dbms.levels(), List.of(new WriteCheck(), new Troc()), 80, Duration.ofMinutes(2), 2);

    List<String> notReproduced = new CopyOnWriteArrayList<>();
    Campaign.Listener listener =
        new Campaign.Listener() {
          @Override
          public void found(Finding finding) {
            findings.add(finding);
          }

          @Override
          public void notReproduced(Execution execution, Verdict verdict) {
            notReproduced.add(
                CaseWriter.write(execution.testCase()) + execution + "\n" + verdict.reason());
          }
        };

    Summary summary = new Campaign(dbms, Dialect.valueOf(kind.name()), plan, listener).run();

    assertThat(notReproduced).isEmpty();
    assertThat(summary.cases()).isEqualTo(80);
    assertThat(summary.accepted()).isGreaterThanOrEqualTo(0.97);
    assertThat(summary.kinds().keySet()).contains("select", "insert", "update", "delete");
    assertThat(findings)
        .allSatisfy(
            finding ->
                assertThat(finding.known())
                    .as("%s at %s: %s", kind, finding.level(), finding.execution())
                    .isPresent());
  }

  @Test
  void whatIsFoundIsShort() throws Exception {
    try (Lab lab = new Lab(ServerKind.MARIADB)) {
      String longCase =
          """
          I: CREATE TABLE t (c1 INT, c2 INT) {ENGINE}
          I: CREATE TABLE u (c1 INT) {ENGINE}
          I: INSERT INTO u VALUES (1)
          I: INSERT INTO t VALUES (NULL, 1), (2, 2), (NULL, 3)
          T3: INSERT INTO u VALUES (2)
          T1: BEGIN
          T1: SELECT * FROM t
          T2: BEGIN
          T2: SELECT * FROM u
          T1: UPDATE t SET c1 = 10
          T2: UPDATE t SET c2 = 20 WHERE c1
          T1: DELETE FROM u
          T1: COMMIT
          T2: SELECT * FROM t
          T2: COMMIT
          """;
      var execution = lab.execute(longCase, "RC");
      Reducer reducer = new Reducer(new WriteCheck(), lab, execution.level());

      var reduced = reducer.reduce(execution.testCase());

      assertThat(io.txwatch.testcase.CaseWriter.write(reduced))
          .isEqualTo(
              """
              I: CREATE TABLE t (c1 INT, c2 INT) {ENGINE}
              I: INSERT INTO t VALUES (NULL, 1), (2, 2), (NULL, 3)
              T1: BEGIN
              T1: UPDATE t SET c1 = 10
              T2: UPDATE t SET c2 = 20 WHERE c1
              T1: COMMIT
              """);
    }
  }
}
