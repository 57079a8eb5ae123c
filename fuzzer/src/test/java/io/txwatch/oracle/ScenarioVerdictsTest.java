package io.txwatch.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The oracles judge the known scenarios: they detect the bugs of the papers (b01, b02, b04, b07,
 * b18, b23, b34), and they do not repeat known false alarms (b03, b14, b15, all of Hermitage).
 */
class ScenarioVerdictsTest {

  private static final Path SCENARIOS = Path.of("../cli/src/test/resources/scenarios");

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#kinds")
  void verdictsMatchTheTable(ServerKind kind) throws Exception {
    Map<String, Map<String, String>> expected = table(kind);
    Map<String, Map<String, String>> actual = new TreeMap<>();
    List<Oracle> oracles =
        List.of(new WriteCheck(), new Troc(), new TxCheck(), new ApTrans(Judge.DBMS));
    List<String> reasons = new ArrayList<>();
    try (ExecutorFixture fixture = new ExecutorFixture(kind)) {
      for (Map.Entry<String, Map<String, String>> row : expected.entrySet()) {
        VerdictLetters verdicts =
            VerdictLetters.of(
                fixture,
                CaseReader.read(SCENARIOS.resolve(row.getKey() + ".txt")),
                oracles.stream().filter(o -> row.getValue().containsKey(o.name())).toList());
        actual.put(row.getKey(), verdicts.letters());
        reasons.add(verdicts.reasons());
      }
    }

    assertThat(actual).as(String.join("\n", reasons)).isEqualTo(expected);
  }

  /** By scenario and oracle, a letter for each level. */
  private static Map<String, Map<String, String>> table(ServerKind kind) throws IOException {
    List<String> lines =
        Files.readAllLines(Path.of("src/test/resources/verdicts.csv")).stream()
            .filter(line -> !line.startsWith("#"))
            .toList();
    boolean innodb = kind == ServerKind.MYSQL || kind == ServerKind.MARIADB;
    int column = List.of(lines.get(0).split(",")).indexOf(innodb ? "INNODB" : kind.name());
    Map<String, Map<String, String>> table = new TreeMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",");
      table.computeIfAbsent(cells[0], scenario -> new TreeMap<>()).put(cells[1], cells[column]);
    }
    return table;
  }
}
