package io.txwatch.jdbc.plan;

import io.txwatch.dialect.PathChange;
import io.txwatch.plan.LevelChange;
import io.txwatch.plan.Planner;
import java.util.regex.Pattern;

/**
 * What a text shows beside its plan.
 *
 * @param asksFoundRows true if it mentions FOUND_ROWS
 * @param asksRowCount true if it mentions ROW_COUNT
 * @param asksDiagnostics true if it asks for what the DBMS keeps of the statement before
 * @param mayChangeNames true if a name may mean another table after it
 * @param levelChange what its execution may do to isolation levels that it does not show
 * @param pathChange what it does to the schemas in which names are looked up
 */
record TextTraits(
    boolean asksFoundRows,
    boolean asksRowCount,
    boolean asksDiagnostics,
    boolean mayChangeNames,
    LevelChange levelChange,
    PathChange pathChange) {

  /** A part of every text that one of the patterns below finds; most texts have none of them. */
  private static final Pattern NOTABLE =
      Pattern.compile(
          "_ROWS|_COUNT|DIAGNOSTICS|SHOW\\s|set_config|\\stemp", Pattern.CASE_INSENSITIVE);

  private static final Pattern FOUND_ROWS = Pattern.compile("FOUND_ROWS", Pattern.CASE_INSENSITIVE);

  private static final Pattern ROW_COUNT =
      Pattern.compile("\\bROW_COUNT\\b", Pattern.CASE_INSENSITIVE);

  /** What MySQL and MariaDB keep of the statement before. */
  private static final Pattern DIAGNOSTICS =
      Pattern.compile(
          "ROW_COUNT|WARNING_COUNT|ERROR_COUNT|DIAGNOSTICS|SHOW\\s+(WARN|ERR|COUNT)",
          Pattern.CASE_INSENSITIVE);

  /**
   * PostgreSQL: a function that may set where names are looked up, or a new temporary table, which
   * hides another one.
   */
  private static final Pattern CHANGES_NAMES =
      Pattern.compile("(?i)\\bset_config\\b|\\binto\\s+(?:(?:global|local)\\s+)?temp(?:orary)?\\s");

  static TextTraits of(Planner.Planned planned) {
    String text = planned.plan().original();
    boolean isNotable = NOTABLE.matcher(text).find();
    boolean asksFoundRows = isNotable && FOUND_ROWS.matcher(text).find();
    return new TextTraits(
        asksFoundRows,
        isNotable && ROW_COUNT.matcher(text).find(),
        asksFoundRows || (isNotable && DIAGNOSTICS.matcher(text).find()),
        isNotable && CHANGES_NAMES.matcher(text).find(),
        planned.levelChange(),
        planned.pathChange());
  }
}
