package io.txwatch.oracle;

import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.StatementText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Statements that had changed some of their rows when they were blocked. At READ UNCOMMITTED others
 * read these rows, so that no order of whole statements explains what those do.
 */
final class PartialStatements {

  private static final Pattern QUERY = Pattern.compile("(?i)\\b(?:SELECT|JOIN|USING)\\b");

  private PartialStatements() {}

  /** True if a write read tables while a write of another session was blocked. */
  static boolean mayHaveBeenReadByWrites(CaseExecution execution) {
    if (execution.level() != IsolationLevel.READ_UNCOMMITTED) {
      return false;
    }
    Map<Integer, Integer> completion = new HashMap<>();
    execution.order().forEach(id -> completion.put(id, completion.size()));
    List<StepOutcome> outcomes = execution.outcomes();
    for (int i = 0; i < outcomes.size(); i++) {
      StepOutcome blocked = outcomes.get(i);
      if (!blocked.blocked() || StatementText.isQuery(blocked.step().sql())) {
        continue;
      }
      int end = completion.getOrDefault(blocked.step().id(), Integer.MAX_VALUE);
      for (StepOutcome later : outcomes.subList(i + 1, outcomes.size())) {
        if (!later.step().session().equals(blocked.step().session())
            && completion.getOrDefault(later.step().id(), Integer.MAX_VALUE) < end
            && !StatementText.isQuery(later.step().sql())
            && QUERY.matcher(later.step().sql()).find()) {
          return true;
        }
      }
    }
    return false;
  }
}
