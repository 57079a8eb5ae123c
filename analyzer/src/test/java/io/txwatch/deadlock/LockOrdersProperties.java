package io.txwatch.deadlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.Notation;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Judges possible deadlocks by executing two transactions under every order of their locks. */
class LockOrdersProperties {

  @Property
  void whatIsFoundCanDeadlock(@ForAll long seed, @ForAll @IntRange(min = 2, max = 4) int rows) {
    Random random = new Random(seed);
    List<String> one = locks(random, rows);
    List<String> other = locks(random, rows);
    boolean canDeadlock = canDeadlock(one, other, 0, 0);
    int found = found(one, other);
    if (!canDeadlock) {
      assertThat(found).as("%s %s", one, other).isZero();
    } else if (other.contains(one.get(0)) && one.contains(other.get(0))) {
      assertThat(found).as("%s %s", one, other).isEqualTo(1);
    }
  }

  /** The rows that a transaction locks, some of them repeatedly. */
  private static List<String> locks(Random random, int rows) {
    List<String> locks = new ArrayList<>();
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      locks.add(String.valueOf((char) ('a' + random.nextInt(rows))));
    }
    return locks;
  }

  /** Whether some order leads to a state in which each waits for a lock of the other. */
  private static boolean canDeadlock(List<String> one, List<String> other, int i, int j) {
    if (i == one.size() || j == other.size()) {
      return false;
    }
    Set<String> ofOne = new HashSet<>(one.subList(0, i));
    Set<String> ofOther = new HashSet<>(other.subList(0, j));
    boolean oneWaits = ofOther.contains(one.get(i));
    boolean otherWaits = ofOne.contains(other.get(j));
    return oneWaits && otherWaits
        || !oneWaits && canDeadlock(one, other, i + 1, j)
        || !otherWaits && canDeadlock(one, other, i, j + 1);
  }

  private static int found(List<String> one, List<String> other) {
    Map<String, String> newest = new HashMap<>();
    String history = history(1, one, newest) + history(2, other, newest);
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, anomaly -> {})) {
      List<Event> events = Notation.events(history);
      events.forEach(analyzer::accept);
      analyzer.close();
      return analyzer.coverage().possibleDeadlocks().size();
    }
  }

  private static String history(int id, List<String> locks, Map<String, String> newest) {
    StringBuilder history = new StringBuilder();
    int statement = 0;
    for (String row : locks) {
      String version = newest.getOrDefault(row, "0");
      history.append("w%d(%s%s)[a/id=id] ".formatted(id, row, version));
      newest.put(row, id + "." + ++statement);
    }
    return history + "c" + id + " ";
  }
}
