package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
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

  private static final int CASES = 6;

  @ParameterizedTest
  @EnumSource(names = {"H2", "MARIADB"})
  void ordersAreExecutedBesideTheGeneratedOnes(ServerKind kind) throws Exception {
    Summary summary = run(kind);
    assertThat(summary.cases().executed()).isEqualTo(CASES);
    assertThat(summary.observed().furtherOrders()).isGreaterThan(CASES);
    assertThat(summary.oracles().get("writecheck"))
        .as("orders are judged")
        .matches(counts -> counts.decided() > CASES);
  }

  private static Summary run(ServerKind kind) throws Exception {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(kind), DriverManager::getConnection);
    Campaign.Plan plan =
        new Campaign.Plan(
                1,
                List.of(IsolationLevel.READ_COMMITTED),
                List.of(new WriteCheck()),
                CASES,
                Duration.ofMinutes(4),
                1,
                6)
            .with(Campaign.Mode.FURTHER_ORDERS);
    CollectedFindings found = new CollectedFindings();
    Summary summary = new Campaign(dbms, plan, found).run();
    assertThat(found.findings).as("known behaviours").allMatch(one -> one.known().isPresent());
    return summary;
  }
}
