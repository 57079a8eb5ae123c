package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** What the servers do by themselves: every cell of the table of scenarios. */
class RawMatrixTest {

  @TestFactory
  Stream<DynamicTest> everyCell() throws SQLException {
    List<Target> targets =
        List.of(new PostgresTarget(), new MariaDbTarget(), new H2Target(), new SqliteTarget());
    List<List<String>> table = Scenarios.table("matrix.csv");
    List<DynamicTest> tests = new ArrayList<>();
    for (Target target : targets) {
      SerialOrders serialOrders = new SerialOrders(target);
      int column = table.get(0).indexOf(target.name());
      for (List<String> row : table.subList(1, table.size())) {
        Scenario scenario = Scenarios.load(row.get(0));
        List<String> cells = List.of(row.get(column).split(" "));
        for (int i = 0; i < cells.size(); i++) {
          String level = target.levels().get(i);
          String expected = cells.get(i);
          if (expected.equals(".")) {
            continue;
          }
          tests.add(
              DynamicTest.dynamicTest(
                  scenario.name() + " " + target.name() + " " + level,
                  () -> {
                    try (Target.Database database = target.create()) {
                      try (Connection connection = database.connect()) {
                        ScenarioRunner.setUp(scenario, target, connection);
                      }
                      ScenarioRun run =
                          ScenarioRunner.run(
                              scenario, target, database, level, Style.SQL_TEXT, database::connect);
                      boolean serializable = serialOrders.explain(scenario, run);
                      assertThat(MatrixCell.of(scenario, run, serializable).text())
                          .as("%s", run)
                          .isEqualTo(expected);
                    }
                  }));
        }
      }
    }
    return tests.stream();
  }
}
