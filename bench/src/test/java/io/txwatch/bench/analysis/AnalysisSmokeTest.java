package io.txwatch.bench.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.bench.Bench;
import io.txwatch.format.ForeignFormat;
import io.txwatch.format.ForeignHistory;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The benchmarks measure what they claim: valid histories, planted anomalies, and no lost events.
 */
class AnalysisSmokeTest {

  private final List<Anomaly> found = new ArrayList<>();

  @TempDir private Path directory = Path.of("");

  @Test
  void aSimulationIsReproducibleAndHasNoAnomaly() throws Exception {
    List<Event> events = new ArrayList<>();
    new TwoPhaseLockingSimulation<>(new SimulatedDriverEvents(events::add), 1, Integer.MAX_VALUE)
        .run(20_000);
    List<Event> again = new ArrayList<>();
    new TwoPhaseLockingSimulation<>(new SimulatedDriverEvents(again::add), 1, Integer.MAX_VALUE)
        .run(20_000);
    assertThat(again).isEqualTo(events);
    try (Analyzer analyzer = new Analyzer(Judge.ADYA, found::add)) {
      events.forEach(analyzer::accept);
      assertThat(analyzer.coverage().statements()).isBetween(20_000L, 20_200L);
      assertThat(analyzer.coverage().gaps()).isEmpty();
    }
    assertThat(found).isEmpty();
  }

  @Test
  void aSimulationWrittenForElleIsValid() throws Exception {
    Path file = directory.resolve("history.edn");
    try (ElleFile elle = new ElleFile(file)) {
      new TwoPhaseLockingSimulation<>(elle, 1, 32).run(20_000);
    }
    ForeignHistory.CheckOptions demand =
        new ForeignHistory.CheckOptions(
            IsolationLevel.SERIALIZABLE,
            Optional.empty(),
            false,
            OptionalLong.empty(),
            Set.of(),
            Duration.ofSeconds(10));
    ForeignHistory.Verdict verdict =
        ForeignHistory.check(file, ForeignFormat.ELLE_APPEND, demand, found::add);
    assertThat(verdict.valid()).contains(true);
    assertThat(verdict.operations()).isGreaterThan(20_000);
    assertThat(found).isEmpty();
  }

  @Test
  void everyPlantedLostUpdateIsReportedAtItsCommit() {
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      PlantedLostUpdates planted = new PlantedLostUpdates(analyzer::accept);
      for (int i = 1; i <= 300; i++) {
        long loser = planted.nextTransactionId();
        Runnable commit = planted.plant();
        assertThat(found).hasSize(i - 1);
        commit.run();
        assertThat(found).hasSize(i);
        assertThat(found.get(i - 1).transactions())
            .anyMatch(transaction -> transaction.id() == loser);
      }
    }
    assertThat(found).allMatch(anomaly -> anomaly.phenomenon() == Phenomenon.LOST_UPDATE);
  }

  @Test
  void liveAndSoakCommandsRun() throws Exception {
    assertThat(run("live", "--rates", "20000", "--seconds", "1"))
        .contains("| 20,000 ", "latency p50");
    Path plot = directory.resolve("soak.svg");
    assertThat(run("soak", "200000", "--plot", plot.toString()))
        .contains("40 lost updates were planted: 40 anomalies were reported, in 1 groups")
        .contains("missing: nothing");
    assertThat(Files.readString(plot)).contains("<polyline").endsWith("</svg>\n");
  }

  private static String run(String... arguments) {
    StringWriter out = new StringWriter();
    CommandLine bench = Bench.commandLine().setOut(new PrintWriter(out));
    assertThat(bench.execute(arguments)).isZero();
    return out.toString();
  }
}
