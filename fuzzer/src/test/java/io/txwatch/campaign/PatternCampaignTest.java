package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.h2.H2GeneratedDialect;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.generator.CaseGenerator;
import io.txwatch.generator.CaseKind;
import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.OracleVerdict.PatternOutcome;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.testcase.TestCase;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PatternCampaignTest {

  private static final int CASES = 40;

  /** Patterns appear where the level permits them, and nothing new is reported. */
  @ParameterizedTest
  @EnumSource(names = {"H2", "POSTGRESQL", "MARIADB", "MYSQL"})
  void patternsAreShownOrPrevented(ServerKind kind) throws Exception {
    List<CampaignFinding> findings = new CopyOnWriteArrayList<>();
    Dbms dbms = DbmsRegistry.connect(TestServers.freshDatabase(kind), DriverManager::getConnection);
    Campaign.Plan plan =
        new Campaign.Plan(
            9, dbms.levels(), List.of(new ApTrans(Judge.DBMS)), CASES, Duration.ofMinutes(5), 2);

    Summary summary = new Campaign(dbms, plan, findings::add).run();

    assertThat(findings).allSatisfy(finding -> assertThat(finding.known()).isPresent());
    assertThat(summary.findings().unreproduced()).isZero();
    assertThat(summary.cases().undecided()).isLessThan(CASES / 20);
    assertThat(summary.cases().unsupported()) // a statement that fails cannot be recorded on H2
        .isLessThan(kind == ServerKind.H2 ? CASES / 10 : 1);
    assertThat(summary.statements().accepted()).isGreaterThan(0.97);
    assertThat(summary.observed().patterns().values().stream().mapToLong(Long::longValue).sum())
        .isEqualTo(CASES - summary.cases().undecided() - summary.cases().unsupported());
    assertThat(summary.observed().patterns().keySet())
        .extracting(PatternCount::outcome)
        .contains(PatternOutcome.SHOWN, PatternOutcome.AVOIDED);
  }

  /** The second 128 cases of 512 follow patterns; the oracle judges no others. */
  @Test
  void oneCaseInFourFollowsAPattern() throws Exception {
    Set<String> judged = ConcurrentHashMap.newKeySet();
    Set<String> withPattern = ConcurrentHashMap.newKeySet();
    Dbms dbms = DbmsRegistry.connect("jdbc:h2:mem:mixed", DriverManager::getConnection);
    Campaign.Plan plan =
        new Campaign.Plan(
            9,
            dbms.levels(),
            List.of(new WriteCheck(), new ApTrans(Judge.DBMS)),
            160,
            Duration.ofMinutes(5),
            2);
    Campaign.Listener listener =
        new VerdictListener(
            (execution, verdict) -> {
              if (verdict.oracle().equals("aptrans")) {
                judged.add(execution.testCase().name());
              }
              if (execution.testCase().header("pattern").isPresent()) {
                withPattern.add(execution.testCase().name());
              }
            });

    new Campaign(dbms, plan, listener).run();

    assertThat(judged).isEqualTo(withPattern).hasSize(32).contains("case-128", "case-159");
  }

  /** Of 512 cases, 128 follow patterns, and 128 use the same rows more often; those are judged. */
  @Test
  void eachKindOfCasesIsPartOfTheMix() throws Exception {
    Set<Long> blocks = ConcurrentHashMap.newKeySet();
    Dbms dbms = DbmsRegistry.connect("jdbc:h2:mem:all", DriverManager::getConnection);
    Campaign.Plan plan =
        new Campaign.Plan(
            9,
            dbms.levels(),
            List.of(new IsoRel(), new ApTrans(Judge.DBMS)),
            270,
            Duration.ofMinutes(5),
            1,
            CaseGenerator.MAX_STATEMENTS,
            120,
            Set.of(),
            Set.of());
    Map<Long, String> generated = new ConcurrentHashMap<>();
    Campaign.Listener listener =
        new VerdictListener(
            (execution, verdict) -> {
              long number = Long.parseLong(execution.testCase().header("number").orElseThrow());
              generated.put(number, withoutLevels(execution.testCase()).toString());
              blocks.add(number / 128);
            });

    new Campaign(dbms, plan, listener).run();

    assertThat(blocks).containsExactlyInAnyOrder(0L, 1L, 2L, 3L);
    CaseGenerator histories =
        new CaseGenerator(
            9, new H2GeneratedDialect(), CaseGenerator.MAX_STATEMENTS, CaseKind.HISTORIES);
    assertThat(generated.get(384L)).isEqualTo(histories.generate(384).testCase().toString());
  }

  /** Some cases get a level for each session, whatever their kind is. */
  private static TestCase withoutLevels(TestCase testCase) {
    TestCase result = testCase;
    for (String session : testCase.sessions()) {
      result = result.withoutHeader(TestCase.LEVEL_HEADER + session);
    }
    return result;
  }
}
