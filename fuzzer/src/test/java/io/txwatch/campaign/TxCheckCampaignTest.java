package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.generator.Grammar;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TxCheckCampaignTest {

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void casesAreDecidedAndNothingUnknownIsReported(ServerKind kind) throws Exception {
    Dbms dbms = Dbms.of(TestServers.freshDatabase(kind), DriverManager::getConnection);
    List<IsolationLevel> levels =
        dbms.levels().stream().filter(level -> level != IsolationLevel.READ_UNCOMMITTED).toList();
    CollectedFindings found = new CollectedFindings();
    Campaign.Plan plan =
        new Campaign.Plan(1, levels, List.of(new TxCheck()), 80, Duration.ofMinutes(2), 2);

    Summary summary = new Campaign(dbms, Grammar.valueOf(kind.name()), plan, found).run();

    assertThat(found.notReproduced).isEmpty();
    assertThat(summary.cases()).isEqualTo(80);
    // All cases of a schema with triggers or generated columns are unsupported.
    assertThat(summary.undecided()).isLessThan(10);
    assertThat(summary.cases() - summary.undecided() - summary.unsupported()).isGreaterThan(30);
    assertThat(found.findings)
        .allSatisfy(
            finding ->
                assertThat(finding.known())
                    .as("%s at %s: %s", kind, finding.level(), finding.reason())
                    .isPresent());
  }

  /** Of four levels, 64 cases are 16 of each; every eighth of these is judged. */
  @Test
  void amongOthersItJudgesSomeCasesOfEachLevel() throws Exception {
    Dbms dbms = Dbms.of("jdbc:h2:mem:mix", DriverManager::getConnection);
    Map<String, Integer> judged = new ConcurrentSkipListMap<>();
    Campaign.Listener listener =
        new VerdictListener(
            (CaseExecution execution, OracleVerdict verdict) ->
                judged.merge(verdict.oracle() + " " + execution.level(), 1, Integer::sum));
    Campaign.Plan plan =
        new Campaign.Plan(
            1,
            dbms.levels(),
            List.of(new WriteCheck(), new TxCheck()),
            64,
            Duration.ofMinutes(2),
            2);

    new Campaign(dbms, Grammar.H2, plan, listener).run();

    assertThat(judged)
        .hasSize(8)
        .containsEntry("writecheck SERIALIZABLE", 16)
        .containsEntry("txcheck READ_COMMITTED", 2)
        .containsEntry("txcheck SERIALIZABLE", 2);
  }
}
