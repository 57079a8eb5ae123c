package io.txwatch.dbms.mariadb;

import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The statements that give only the next transaction of their session a level. */
final class LevelsOfNextTransaction {

  private LevelsOfNextTransaction() {}

  /**
   * The steps without those that set the level of a transaction which a second BEGIN ends; the same
   * steps if there are none.
   */
  static List<Step> withoutThoseBeforeTwoBegins(List<Step> steps) {
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
