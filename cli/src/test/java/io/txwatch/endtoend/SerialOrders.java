package io.txwatch.endtoend;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Tells by trial whether an outcome is serializable: runs the committed transactions one after
 * another, in every order, each on a fresh database, and compares what they saw and left behind. It
 * knows nothing of rows, versions and dependencies.
 *
 * <p>The number of runs is the factorial of the number of transactions; what a set of transactions
 * does serially does not hang on the level and is remembered.
 */
final class SerialOrders {

  private final Target target;
  private final Map<String, List<Set<String>>> known = new HashMap<>();

  SerialOrders(Target target) {
    this.target = target;
  }

  /** True if some serial order of the committed transactions has the same outcome. */
  synchronized boolean explain(Scenario scenario, ScenarioRun run)
      throws SQLException, InterruptedException {
    String key = scenario.name() + new TreeSet<>(run.committed());
    List<Set<String>> views = known.get(key);
    if (views == null) {
      views = new ArrayList<>();
      for (List<String> order : permutations(run.committed())) {
        views.add(runSerially(scenario.withSteps(scenario.serially(order))).committedView());
      }
      known.put(key, views);
    }
    return views.contains(run.committedView());
  }

  private ScenarioRun runSerially(Scenario serial) throws SQLException, InterruptedException {
    try (Target.Database database = target.create()) {
      try (Connection connection = database.connect()) {
        ScenarioRunner.setUp(serial, target, connection);
      }
      String strongest = target.levels().get(target.levels().size() - 1);
      return ScenarioRunner.run(
          serial, target, database, strongest, Style.SQL_TEXT, database::connect);
    }
  }

  private static List<List<String>> permutations(Collection<String> names) {
    List<List<String>> permutations = List.of(List.of());
    for (String name : names) {
      List<List<String>> longer = new ArrayList<>();
      for (List<String> shorter : permutations) {
        for (int i = 0; i <= shorter.size(); i++) {
          List<String> permutation = new ArrayList<>(shorter);
          permutation.add(i, name);
          longer.add(permutation);
        }
      }
      permutations = longer;
    }
    return permutations;
  }
}
