package io.txwatch.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.slice.CaseSlice;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The case that is saved of an anomaly shows the same phenomenon when it is replayed. */
class CaseSliceReplayTest {

  private static final Path SCENARIOS = Path.of("../cli/src/test/resources/scenarios");

  @ParameterizedTest
  @EnumSource(names = {"H2", "MARIADB"})
  void replayShowsThePhenomenon(ServerKind kind) throws Exception {
    Set<String> shown = new TreeSet<>();
    Set<String> missed = new TreeSet<>();
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      for (String line : Files.readAllLines(SCENARIOS.resolve("expectations.csv"))) {
        String[] cells = line.split(",", -1);
        boolean isHermitage = cells[0].startsWith("h") || cells[0].startsWith("n");
        if (isHermitage && cells[1].equals(kind.name().toLowerCase(Locale.ROOT))) {
          IsolationLevel level = IsolationLevel.parse(cells[2]).orElseThrow();
          TestCase scenario = CaseReader.read(SCENARIOS.resolve(cells[0] + ".txt"));
          for (GraphAnomaly found : judge(fixture, scenario, level).anomalies()) {
            Anomaly anomaly = found.anomaly();
            TestCase slice = CaseReader.parse("slice", CaseSlice.of(anomaly));
            boolean isShown =
                judge(fixture, slice, level).anomalies().stream()
                    .anyMatch(again -> again.kind().equals(found.kind()));
            (isShown ? shown : missed).add(cells[0] + " " + level + " " + anomaly.phenomenon());
          }
        }
      }
    }
    assertThat(missed).isEmpty();
    assertThat(shown).hasSizeGreaterThan(10);
  }

  private static OracleVerdict judge(ExecutorFixture fixture, TestCase test, IsolationLevel level)
      throws Exception {
    CaseExecution execution = fixture.executor().executeWatched(test, level);
    return new IsoRel().judge(execution, fixture.executor());
  }
}
