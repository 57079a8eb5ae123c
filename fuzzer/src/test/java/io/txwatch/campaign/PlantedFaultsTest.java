package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.CaseWriter;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Faults of a driver, each of which looks like one fault of the DBMS. */
class PlantedFaultsTest {

  private static final int MAX_TRANSACTIONS = 3;
  private static final int MAX_STATEMENTS = 4;

  @ParameterizedTest
  @EnumSource
  void aFaultIsOneFinding(FaultyConnector fault) throws Exception {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(ServerKind.POSTGRESQL), fault);
    CollectedFindings found = new CollectedFindings();
    Campaign.Plan plan =
        new Campaign.Plan(
            1,
            dbms.levels(),
            List.of(
                new WriteCheck(), new Troc(), new IsoRel(), new ApTrans(Judge.DBMS), new TxCheck()),
            200,
            Duration.ofMinutes(5),
            2);
    new Campaign(dbms, plan, found).run();

    List<CampaignFinding> findings =
        found.findings.stream()
            .filter(finding -> finding.findingClass() == FindingClass.NEW)
            .toList();
    assertThat(findings)
        .as(findings.stream().map(PlantedFaultsTest::describe).collect(Collectors.joining("\n")))
        .singleElement()
        .satisfies(finding -> assertIsSmall(finding.reduced()));
  }

  private static void assertIsSmall(TestCase reduced) {
    assertThat(reduced.setup())
        .filteredOn(sql -> sql.startsWith("CREATE"))
        .singleElement()
        .asString()
        .doesNotContain("PARTITION");
    assertThat(reduced.sessions().size()).isLessThanOrEqualTo(MAX_TRANSACTIONS);
    for (String session : reduced.sessions()) {
      assertThat(reduced.steps())
          .filteredOn(step -> step.session().equals(session) && step.role() == Step.Role.WORK)
          .hasSizeLessThanOrEqualTo(MAX_STATEMENTS);
    }
  }

  private static String describe(CampaignFinding finding) {
    return "%s at %s: %s%n%s"
        .formatted(
            finding.oracle(),
            finding.level(),
            finding.reason(),
            CaseWriter.write(finding.reduced()));
  }
}
