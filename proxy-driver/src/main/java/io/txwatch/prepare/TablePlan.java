package io.txwatch.prepare;

import io.txwatch.catalog.TableInfo;
import io.txwatch.prepare.PreparationStep.Work;
import java.util.List;

/**
 * What is to be done with one table.
 *
 * @param schema its schema, as stored
 * @param table its name, as stored
 * @param decision whether it is changed
 * @param steps what is done, in its order; empty unless it is changed
 * @param note why it is left alone, or what the change does to a live service
 * @param rows about how many rows it has, if it is changed; 0 otherwise
 * @param seconds about how long the change takes once it has its locks
 */
public record TablePlan(
    String schema,
    String table,
    Decision decision,
    List<PreparationStep> steps,
    String note,
    long rows,
    long seconds) {

  /** What is decided for a table. */
  public enum Decision {
    /** The statements are to be executed. */
    CHANGE,
    /** It is already as wanted. */
    NOTHING_TO_DO,
    /** It is not, and is left alone nevertheless. */
    LEFT_ALONE
  }

  static TablePlan leftAlone(TableInfo table, String why) {
    return new TablePlan(table.schema(), table.name(), Decision.LEFT_ALONE, List.of(), why, 0, 0);
  }

  static TablePlan nothingToDo(TableInfo table) {
    return new TablePlan(table.schema(), table.name(), Decision.NOTHING_TO_DO, List.of(), "", 0, 0);
  }

  /** The exact SQL, in its order. */
  public List<String> statements() {
    return steps.stream().map(PreparationStep::sql).toList();
  }

  /** True if a step of it does such work. */
  public boolean has(Work work) {
    return steps.stream().anyMatch(step -> step.work() == work);
  }
}
