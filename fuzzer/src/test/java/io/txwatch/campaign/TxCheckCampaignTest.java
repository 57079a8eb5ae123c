package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TxCheckCampaignTest {

  private static final int CASES = 40;

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void casesAreDecidedAndNothingUnknownIsReported(ServerKind kind) throws Exception {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(kind), DriverManager::getConnection);
    List<IsolationLevel> levels =
        dbms.levels().stream().filter(level -> level != IsolationLevel.READ_UNCOMMITTED).toList();
    CollectedFindings found = new CollectedFindings();
    Campaign.Plan plan =
        new Campaign.Plan(3, levels, List.of(new TxCheck()), CASES, Duration.ofMinutes(2), 2);

    Summary summary = new Campaign(dbms, plan, found).run();

    assertThat(found.notReproduced).isEmpty();
    assertThat(summary.cases().executed()).isEqualTo(CASES);
    // All cases of a schema with triggers, generated columns or deferred keys are unsupported;
    // the two schemas of this seed have none on any DBMS.
    assertThat(summary.cases().undecided()).isLessThan(CASES / 8);
    assertThat(
            summary.cases().executed()
                - summary.cases().undecided()
                - summary.cases().unsupported())
        .isGreaterThan(CASES * 3 / 8);
    assertThat(found.findings)
        .allSatisfy(
            finding ->
                assertThat(finding.known())
                    .as("%s at %s: %s", kind, finding.level(), finding.reason())
                    .isPresent());
  }

  /**
   * Of twenty groups of 32 cases three are judged, 24 cases of each level, and of the other groups
   * the cases that no other oracle applies to.
   */
  @Test
  void amongOthersItJudgesSomeCasesOfEachLevelAndThoseLeftOver() throws Exception {
    Dbms dbms = DbmsRegistry.connect("jdbc:h2:mem:mix", DriverManager::getConnection);
    Map<CaseExecution, List<OracleVerdict>> verdicts = new ConcurrentHashMap<>();
    Campaign.Listener listener =
        new VerdictListener(
            (CaseExecution execution, OracleVerdict verdict) ->
                verdicts.computeIfAbsent(execution, one -> new ArrayList<>()).add(verdict));
    List<Oracle> oracles = List.of(new WriteCheck(), new TxCheck());
    Campaign.Plan plan =
        new Campaign.Plan(1, dbms.levels(), oracles, 640, Duration.ofMinutes(2), 2, 2);

    new Campaign(dbms, plan, listener).run();

    Map<IsolationLevel, Integer> judgedByBoth = new EnumMap<>(IsolationLevel.class);
    verdicts.forEach(
        (execution, ofCase) -> {
          assertThat(ofCase).first().extracting(OracleVerdict::oracle).isEqualTo("writecheck");
          if (ofCase.get(0).result() == OracleVerdict.Result.UNSUPPORTED) {
            assertThat(ofCase).as(execution.toString()).hasSize(2);
          } else {
            judgedByBoth.merge(execution.level(), ofCase.size() - 1, Integer::sum);
          }
        });
    assertThat(verdicts).hasSize(640);
    assertThat(judgedByBoth).hasSize(4);
    assertThat(judgedByBoth.values()).allSatisfy(cases -> assertThat(cases).isBetween(12, 24));
  }
}
