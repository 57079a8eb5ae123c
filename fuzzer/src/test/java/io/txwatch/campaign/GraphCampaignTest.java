package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.GraphAnomaly;
import io.txwatch.oracle.IsoRel;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Campaigns with the dependency graph as the oracle. */
class GraphCampaignTest {

  private static final Set<Phenomenon> TABLE_4 =
      Set.of(Phenomenon.LOST_UPDATE, Phenomenon.READ_WRITE_SKEW, Phenomenon.WRITE_SKEW);

  /** A campaign's summary and the verdict of each case. */
  private record CampaignResult(Summary summary, Map<String, String> verdicts) {}

  @ParameterizedTest
  @EnumSource(names = {"H2", "MARIADB"})
  void oneSeedGivesTheSameAnomaliesAndNoneIsForbidden(ServerKind kind) throws Exception {
    CampaignResult one = run(kind, 1);
    CampaignResult two = run(kind, 2);

    assertThat(one.summary().findings().reported()).as("%s", one.verdicts()).isZero();
    assertThat(one.summary().cases().undecided())
        .as("%s", one.verdicts())
        .isEqualTo(one.summary().cases().racing())
        .isLessThan(5);
    if (kind == ServerKind.MARIADB) {
      assertThat(one.summary().observed().anomalies().keySet())
          .extracting(anomaly -> anomaly.level())
          .doesNotContain(IsolationLevel.SERIALIZABLE);
    }
    assertThat(two.verdicts()).hasSizeGreaterThan(25).isEqualTo(one.verdicts());
    assertThat(two.summary().observed().anomalies())
        .isEqualTo(one.summary().observed().anomalies());
  }

  /**
   * Table 4: at REPEATABLE READ lost update, read-write skew and write skew on InnoDB; only write
   * skew on PostgreSQL, whose snapshots prevent two writes of one row. Transactions that set
   * themselves READ COMMITTED have their anomalies at that level.
   */
  @ParameterizedTest
  @CsvSource({"MARIADB, LOST_UPDATE READ_WRITE_SKEW WRITE_SKEW", "POSTGRESQL, WRITE_SKEW"})
  void theDbmsDeterminesTheAnomalies(ServerKind kind, String expected) throws Exception {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(kind), DriverManager::getConnection);
    Campaign.Plan plan =
        new Campaign.Plan(
            1,
            List.of(IsolationLevel.REPEATABLE_READ),
            List.of(new IsoRel()),
            200,
            Duration.ofMinutes(4),
            2,
            10);

    Summary summary = new Campaign(dbms, plan, finding -> {}).run();

    assertThat(summary.cases().executed()).isEqualTo(200);
    assertThat(summary.findings().reported()).isZero();
    assertThat(
            summary.observed().anomalies().keySet().stream()
                .filter(anomaly -> anomaly.level() == IsolationLevel.REPEATABLE_READ)
                .map(GraphAnomaly.Kind::phenomenon)
                .filter(TABLE_4::contains))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(expected.split(" ")).map(Phenomenon::valueOf).toList());
  }

  /** The two rows and the four statements of a write skew remain. */
  private static CampaignResult run(ServerKind kind, int workers) throws Exception {
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(kind), DriverManager::getConnection);
    Map<String, String> verdicts = new ConcurrentSkipListMap<>();
    Campaign.Plan plan =
        new Campaign.Plan(
            8, dbms.levels(), List.of(new IsoRel()), 30, Duration.ofMinutes(2), workers);
    Campaign.Listener listener =
        new VerdictListener(
            (execution, verdict) ->
                verdicts.put(
                    execution.testCase().name() + " at " + execution.level(),
                    verdict.result() + ": " + verdict.reason()));
    Summary summary = new Campaign(dbms, plan, listener).run();
    return new CampaignResult(summary, verdicts);
  }
}
