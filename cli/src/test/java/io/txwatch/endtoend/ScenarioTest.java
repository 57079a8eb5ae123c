package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.endtoend.Watched.Afterwards;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every known schedule on every DBMS at every level, raw on one database and watched on its twin.
 *
 * <p>The table {@code expectations.csv} says what a cell of {@link MatrixCell} is and which
 * anomalies the analyzer has to name, joined by {@code +}: all of them and no others. The word
 * PREDICATE stands for an outcome that no serial order explains only because of rows that a
 * predicate did not select: dependencies by item, which are all that is seen at level {@code
 * inline}, close no cycle, so nothing is named. NO_OP_UPDATE stands for the one place where
 * watching changes what an application sees: InnoDB does not write a row that an UPDATE leaves as
 * it was, but with its writer appended it is not as it was.
 */
class ScenarioTest {

  private static final String PREDICATE = "PREDICATE";
  private static final String NO_OP_UPDATE = "NO_OP_UPDATE";

  /** A line of the table. */
  private record Expectation(
      String scenario, String dbms, String level, String outcome, Set<String> anomalies) {

    static Expectation of(List<String> cells) {
      Set<String> anomalies =
          Stream.of(cells.get(4).split("\\+"))
              .filter(name -> !name.isEmpty() && !name.equals(PREDICATE))
              .collect(Collectors.toCollection(TreeSet::new));
      return new Expectation(cells.get(0), cells.get(1), cells.get(2), cells.get(3), anomalies);
    }
  }

  @TestFactory
  Stream<DynamicTest> everyCell(@TempDir Path folder) throws SQLException {
    Map<String, Target> targets = new HashMap<>();
    Map<String, SerialOrders> serialOrders = new HashMap<>();
    for (Target target :
        List.of(new PostgresTarget(), new MariaDbTarget(), new H2Target(), new SqliteTarget())) {
      targets.put(target.name(), target);
      serialOrders.put(target.name(), new SerialOrders(target));
    }
    List<DynamicTest> tests = new ArrayList<>();
    for (List<String> cells : Scenarios.table("expectations.csv")) {
      Target target = targets.get(cells.get(1));
      SerialOrders orders = serialOrders.get(cells.get(1));
      if (target != null && orders != null) {
        Expectation expected = Expectation.of(cells);
        tests.add(
            DynamicTest.dynamicTest(
                String.join(" ", expected.scenario(), expected.dbms(), expected.level()),
                () -> check(expected, target, orders, Files.createTempDirectory(folder, "run"))));
      }
    }
    return tests.stream();
  }

  private static void check(
      Expectation expected, Target target, SerialOrders serialOrders, Path folder)
      throws Exception {
    Scenario scenario = Scenarios.load(expected.scenario());
    for (Style style : Style.values()) {
      ScenarioRun raw = raw(scenario, target, expected.level(), style);
      boolean serializable = serialOrders.explain(scenario, raw);
      assertThat(MatrixCell.of(scenario, raw, serializable).text())
          .as("%s", raw)
          .isEqualTo(expected.outcome());
      watched(
          scenario,
          target,
          expected,
          style,
          raw,
          Files.createDirectory(folder.resolve(style.name())));
    }
  }

  private static ScenarioRun raw(Scenario scenario, Target target, String level, Style style)
      throws SQLException, InterruptedException {
    try (Target.Database database = target.create()) {
      try (Connection connection = database.connect()) {
        ScenarioRunner.setUp(scenario, target, connection);
      }
      return ScenarioRunner.run(scenario, target, database, level, style, database::connect);
    }
  }

  private static void watched(
      Scenario scenario,
      Target target,
      Expectation expected,
      Style style,
      ScenarioRun raw,
      Path folder)
      throws SQLException, InterruptedException, IOException {
    try (Target.Database database = target.create()) {
      try (Connection connection = database.connect()) {
        ScenarioRunner.setUp(scenario, target, connection);
        Watched.prepare(connection, database.url());
      }
      Watched watched = new Watched(database.url(), folder, Map.of());
      ScenarioRun run;
      try (watched) {
        run =
            ScenarioRunner.run(
                scenario, target, database, expected.level(), style, watched::connect);
      }
      if (expected.anomalies().contains(NO_OP_UPDATE)) {
        assertThat(run).isNotEqualTo(raw);
        return;
      }
      assertThat(run.toString()).isEqualTo(raw.toString());
      assertThat(run).isEqualTo(raw);

      List<ReportedAnomaly> reported = watched.reported();
      Afterwards afterwards = watched.analysedAfterwards();
      Set<String> names = new TreeSet<>();
      reported.forEach(anomaly -> names.add(anomaly.phenomenon()));
      assertThat(names)
          .as("%s\n%s\n%s", raw, reported, afterwards.coverage())
          .isEqualTo(expected.anomalies());
      assertThat(reported).allMatch(anomaly -> anomaly.verdict().equals("HAZARD"));
      assertThat(afterwards.anomalies()).isEqualTo(reported);
    }
  }
}
