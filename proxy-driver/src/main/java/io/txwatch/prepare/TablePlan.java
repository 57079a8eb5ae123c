package io.txwatch.prepare;

import java.util.List;

/**
 * What is to be done with one table.
 *
 * @param schema its schema, as stored
 * @param table its name, as stored
 * @param decision whether it is changed
 * @param statements the exact SQL, in its order; empty unless it is changed
 * @param note why it is left alone, or what the change does to a live service
 */
public record TablePlan(
    String schema, String table, Decision decision, List<String> statements, String note) {

  /** What is decided for a table. */
  public enum Decision {
    /** The statements are to be executed. */
    CHANGE,
    /** It is already as wanted. */
    NOTHING_TO_DO,
    /** It is not, and is left alone nevertheless. */
    LEFT_ALONE
  }
}
