package io.txwatch.prepare;

import io.txwatch.prepare.TablePlan.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What {@code prepare} or {@code unprepare} is going to do, printed before it is done.
 *
 * @param action which of the two
 * @param database the DBMS's name and version
 * @param home the schema whose tables are named without it
 * @param tables each table that was requested, in order
 * @param missing names that were requested and stand for nothing
 * @param atTheEnd what is done at the end: statistics taken, or what no table needs any more
 *     removed
 * @param warnings what users of the database can no longer do once it is executed, and the remedy
 */
public record PreparationPlan(
    Action action,
    String database,
    String home,
    List<TablePlan> tables,
    List<String> missing,
    List<String> atTheEnd,
    List<String> warnings) {

  /** The two ways. */
  public enum Action {
    /** Add the auxiliary columns. */
    PREPARE("add the auxiliary columns to"),
    /** Remove them. */
    UNPREPARE("remove the auxiliary columns from");

    private final String words;

    Action(String words) {
      this.words = words;
    }
  }

  /** True if executing it changes something. */
  public boolean changesAnything() {
    return !atTheEnd.isEmpty() || tables.stream().anyMatch(t -> t.decision() == Decision.CHANGE);
  }

  /** The plan as people read it, SQL included, many lines; safe to print on a terminal. */
  public String describe() {
    List<String> lines = new ArrayList<>();
    List<TablePlan> changed = with(Decision.CHANGE);
    lines.add(
        database
            + ": "
            + action.words
            + " "
            + changed.size()
            + (changed.size() == 1 ? " table" : " tables"));
    changed.stream()
        .map(TablePlan::note)
        .filter(note -> !note.isEmpty())
        .distinct()
        .forEach(note -> lines.add("  note: " + note));
    for (TablePlan table : changed) {
      lines.add(
          String.format(
              Locale.ROOT,
              "  %s: about %,d %s, roughly %,d s",
              name(table),
              table.rows(),
              table.rows() == 1 ? "row" : "rows",
              table.seconds()));
      table
          .steps()
          .forEach(
              step ->
                  lines.add(
                      "    "
                          + step.work().name().toLowerCase(Locale.ROOT)
                          + ": "
                          + step.sql()
                          + ";"));
    }
    if (!atTheEnd.isEmpty()) {
      lines.add("  at the end");
      atTheEnd.forEach(sql -> lines.add("    " + sql + ";"));
    }
    warnings.forEach(warning -> lines.add("  warning: " + warning));
    List<TablePlan> done = with(Decision.NOTHING_TO_DO);
    if (!done.isEmpty()) {
      lines.add(
          "  nothing to do: " + done.stream().map(this::name).collect(Collectors.joining(", ")));
    }
    with(Decision.LEFT_ALONE)
        .forEach(table -> lines.add("  left alone: " + name(table) + ": " + table.note()));
    missing.forEach(name -> lines.add("  no such table: " + name));
    return lines.stream().map(TerminalEscaping::escape).collect(Collectors.joining("\n"));
  }

  /** A table's name, with its schema unless that is where names without one are looked up. */
  String name(TablePlan table) {
    return table.schema().equals(home) ? table.table() : table.schema() + "." + table.table();
  }

  private List<TablePlan> with(Decision decision) {
    return tables.stream().filter(table -> table.decision() == decision).toList();
  }
}
