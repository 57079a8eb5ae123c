package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.h2.H2GeneratedDialect;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.generator.CaseGenerator;
import io.txwatch.generator.CaseKind;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.testcase.CaseWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.Test;

/** Campaigns whose weights are learnt. */
class LearningCampaignTest {

  private static final int CASES = 200;
  private static final int CASES_PER_EPOCH = 64;

  @Test
  void theSameSeedGivesTheSameCasesWithAnyNumberOfWorkers() throws Exception {
    Map<Long, String> one = cases(1);
    Map<Long, String> two = cases(2);

    assertThat(one).hasSize(CASES);
    assertThat(two).isEqualTo(one);
    CaseGenerator fixed =
        new CaseGenerator(
            9, new H2GeneratedDialect(), CaseGenerator.MAX_STATEMENTS, CaseKind.STATEMENTS);
    one.forEach(
        (number, text) -> {
          if (number < 2 * CASES_PER_EPOCH) {
            assertThat(withoutLevels(text))
                .isEqualTo(CaseWriter.write(fixed.generate(number).testCase()));
          }
        });
    assertThat(one)
        .anySatisfy(
            (number, text) ->
                assertThat(withoutLevels(text))
                    .isNotEqualTo(CaseWriter.write(fixed.generate(number).testCase())));
  }

  /** A tenth of the cases gives its sessions levels of their own, which the generator does not. */
  private static String withoutLevels(String text) {
    return text.replaceAll("(?m)^# isolation-.*\n", "");
  }

  private static Map<Long, String> cases(int workers) throws Exception {
    String url = "jdbc:h2:mem:learning" + workers;
    try (Connection keep = DriverManager.getConnection(url)) {
      Dbms dbms = DbmsRegistry.connect(url, DriverManager::getConnection);
      Map<Long, String> cases = new ConcurrentSkipListMap<>();
      Campaign.Plan plan =
          new Campaign.Plan(
                  9,
                  dbms.levels(),
                  List.of(new WriteCheck()),
                  CASES,
                  Duration.ofMinutes(5),
                  workers)
              .with(Campaign.Mode.LEARNT_WEIGHTS);
      VerdictListener listener =
          new VerdictListener(
              (execution, verdict) ->
                  cases.putIfAbsent(
                      Long.parseLong(execution.testCase().header("number").orElseThrow()),
                      CaseWriter.write(execution.testCase())));
      Summary summary =
          new Campaign(dbms, plan, listener, Duration.ofMinutes(2), CASES_PER_EPOCH).run();
      assertThat(summary.observed().coverage().values()).allMatch(count -> count > 0);
      return cases;
    }
  }
}
