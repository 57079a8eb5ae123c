package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.IsoRel;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Campaigns that execute each case also with freely threaded sessions. */
class FreeThreadsCampaignTest {

  private static final int CASES = 16;

  /** What InnoDB permits at REPEATABLE READ is a violation by Adya's levels. */
  @ParameterizedTest
  @EnumSource(names = {"H2", "MARIADB", "POSTGRESQL"})
  void violationsAreReportedByAScheduleOrWithTheirRate(ServerKind kind) throws Exception {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(kind), DriverManager::getConnection);
    Campaign.Plan plan =
        new Campaign.Plan(
                1,
                List.of(IsolationLevel.REPEATABLE_READ),
                List.of(new IsoRel(Judge.ADYA)),
                CASES,
                Duration.ofMinutes(4),
                2,
                6)
            .with(Campaign.Mode.FREE_THREADS);
    CollectedFindings found = new CollectedFindings();

    Summary summary = new Campaign(dbms, plan, found).run();

    assertThat(summary.cases().executed()).isEqualTo(CASES);
    assertThat(summary.observed().freeThreads().executions()).isBetween(CASES / 2L, (long) CASES);
    assertThat(found.findings).allSatisfy(finding -> assertThat(finding.reproduced()).isEqualTo(5));
    assertThat(found.notReproduced)
        .allMatch(text -> text.contains("with freely threaded sessions, by no schedule: "));
  }
}
