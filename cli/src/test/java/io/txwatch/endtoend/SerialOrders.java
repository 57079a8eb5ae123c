package io.txwatch.endtoend;

import io.txwatch.schedule.ScheduleExecutor.SetupException;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides by trial whether an outcome is serializable: runs the committed transactions serially in
 * every order, each on a fresh database, and compares the results and the final state. It uses no
 * rows, versions or dependencies.
 *
 * <p>The number of runs is the factorial of the number of transactions; the serial results of a set
 * of transactions do not depend on the level and are cached.
 */
final class SerialOrders {

  private final TestedDbms dbms;
  private final Map<String, List<Set<String>>> known = new HashMap<>();

  SerialOrders(TestedDbms dbms) {
    this.dbms = dbms;
  }

  /** True if some serial order of the committed transactions has the same outcome. */
  synchronized boolean explain(TestCase scenario, ScenarioRun run)
      throws SQLException, SetupException, InterruptedException {
    String key = scenario.name() + new TreeSet<>(run.committed());
    List<Set<String>> views = known.get(key);
    if (views == null) {
      views = new ArrayList<>();
      for (List<String> order : permutations(run.committed())) {
        TestCase serial = scenario.withSteps(serially(scenario, order));
        views.add(dbms.runSerially(serial).committedView());
      }
      known.put(key, views);
    }
    return views.contains(run.committedView());
  }

  /** The steps of the sessions one after another in the order given, each in its own order. */
  private static List<Step> serially(TestCase scenario, List<String> order) {
    return order.stream()
        .flatMap(name -> scenario.steps().stream().filter(step -> step.session().equals(name)))
        .toList();
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
