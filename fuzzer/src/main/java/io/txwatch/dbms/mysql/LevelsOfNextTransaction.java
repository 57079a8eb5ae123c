package io.txwatch.dbms.mysql;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.known.Evidence;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The statements that give only the next transaction of their session a level. */
public final class LevelsOfNextTransaction {

  private static final Set<Phenomenon> DIRTY_READS =
      Set.of(Phenomenon.ABORTED_READ, Phenomenon.INTERMEDIATE_READ);

  private LevelsOfNextTransaction() {}

  /**
   * True if a violation is a dirty read which disappears without the levels of transactions that a
   * second BEGIN ends.
   */
  public static boolean explain(Evidence evidence)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    Optional<Phenomenon> phenomenon = evidence.verdict().phenomenon();
    if (phenomenon.filter(DIRTY_READS::contains).isEmpty()) {
      return false;
    }
    TestCase testCase = evidence.execution().testCase();
    List<Step> steps = withoutThoseBeforeTwoBegins(testCase.steps());
    return !steps.equals(testCase.steps())
        && evidence.disappearsIn(testCase.withSteps(steps), new IsoRel());
  }

  /**
   * The steps without those that set the level of a transaction which a second BEGIN ends; the same
   * steps if there are none.
   */
  private static List<Step> withoutThoseBeforeTwoBegins(List<Step> steps) {
    Map<String, Step> pending = new HashMap<>();
    Map<String, Integer> begins = new HashMap<>();
    Set<Step> found = new HashSet<>();
    for (Step step : steps) {
      String session = step.session();
      switch (step.role()) {
        case BEGIN -> {
          Step level = pending.get(session);
          if (begins.merge(session, 1, Integer::sum) > 1 && level != null) {
            found.add(level);
          }
        }
        case COMMIT, ROLLBACK -> {
          pending.remove(session);
          begins.remove(session);
        }
        case WORK -> {
          if (SqlText.of(step.sql()).startsWith("SET", "TRANSACTION", "ISOLATION")) {
            pending.put(session, step);
            begins.remove(session);
          }
        }
      }
    }
    List<Step> others = new ArrayList<>(steps);
    others.removeAll(found);
    return others;
  }
}
