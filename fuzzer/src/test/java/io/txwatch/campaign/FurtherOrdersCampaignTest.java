package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Campaigns that execute each case also in further orders of its statements. */
class FurtherOrdersCampaignTest {

  private static final int CASES = 12;

  @ParameterizedTest
  @EnumSource(names = {"H2", "MARIADB", "POSTGRESQL"})
  void ordersAreExecutedBesideTheGeneratedOnes(ServerKind kind) throws Exception {
    Summary summary = run(kind, IsolationLevel.READ_COMMITTED, new WriteCheck());
    assertThat(summary.cases().executed()).isEqualTo(CASES);
    assertThat(summary.observed().furtherOrders()).isGreaterThan(CASES);
  }

  /** What H2 permits at REPEATABLE READ is a violation by Adya's levels, in some orders alone. */
  @ParameterizedTest
  @EnumSource(names = "H2")
  void anOrderThatWasNotGeneratedIsJudged(ServerKind kind) throws Exception {
    Oracle oracle = new IsoRel(Judge.ADYA);
    Summary alone = run(kind, IsolationLevel.REPEATABLE_READ, oracle, List.of());
    Summary all =
        run(kind, IsolationLevel.REPEATABLE_READ, oracle, List.of(Campaign.Mode.FURTHER_ORDERS));
    assertThat(all.observed().anomalies().values().stream().mapToLong(n -> n).sum())
        .isGreaterThan(alone.observed().anomalies().values().stream().mapToLong(n -> n).sum());
  }

  private static Summary run(ServerKind kind, IsolationLevel level, Oracle oracle)
      throws Exception {
    return run(kind, level, oracle, List.of(Campaign.Mode.FURTHER_ORDERS));
  }

  private static Summary run(
      ServerKind kind, IsolationLevel level, Oracle oracle, List<Campaign.Mode> modes)
      throws Exception {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(kind), DriverManager::getConnection);
    Campaign.Plan plan =
        new Campaign.Plan(1, List.of(level), List.of(oracle), CASES, Duration.ofMinutes(4), 2, 6);
    for (Campaign.Mode mode : modes) {
      plan = plan.with(mode);
    }
    CollectedFindings found = new CollectedFindings();
    Summary summary = new Campaign(dbms, plan, found).run();
    if (level == IsolationLevel.READ_COMMITTED) {
      assertThat(found.findings).as("known behaviours").allMatch(one -> one.known().isPresent());
    }
    return summary;
  }
}
