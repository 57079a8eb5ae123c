package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.generator.Grammar;
import io.txwatch.oracle.Verdict;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.schedule.Execution;
import io.txwatch.schedule.StepOutcome;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The DBMSs in this JVM that are fuzzed and not watched: how each keeps transactions apart. */
class EmbeddedCampaignTest {

  @ParameterizedTest
  @CsvSource({
    "jdbc:hsqldb:mem:campaign, blocked",
    "jdbc:derby:memory:campaign;create=true, BUSY",
    "jdbc:duckdb:, SERIALIZATION"
  })
  void statementsAreAcceptedAndNothingIsFound(String url, String way) throws Exception {
    Dbms dbms = Dbms.of(url, DriverManager::getConnection);
    Grammar grammar = Grammar.of(dbms.database().product(), Optional.empty()).orElseThrow();
    List<String> findings = new CopyOnWriteArrayList<>();
    Set<String> ways = ConcurrentHashMap.newKeySet();
    Campaign.Listener listener =
        new Campaign.Listener() {
          @Override
          public void found(Finding finding) {
            findings.add(finding.level() + " " + finding.execution() + finding.reason());
          }

          @Override
          public void judged(Execution execution, Verdict verdict) {
            for (StepOutcome outcome : execution.outcomes()) {
              Failure failure = outcome.failure();
              ways.add(
                  failure != null ? failure.kind().name() : outcome.blocked() ? "blocked" : "");
            }
          }
        };
    Campaign.Plan plan =
        new Campaign.Plan(
            4, dbms.levels(), List.of(new WriteCheck()), 48, Duration.ofMinutes(1), 2);

    Summary summary = new Campaign(dbms, grammar, plan, listener).run();

    assertThat(findings.stream().collect(Collectors.joining("\n"))).isEmpty();
    assertThat(summary.cases()).isEqualTo(48);
    assertThat(summary.undecided()).isEqualTo(summary.racing()).isLessThan(5);
    assertThat(summary.accepted()).isGreaterThanOrEqualTo(0.97);
    assertThat(ways).contains(way);
  }
}
