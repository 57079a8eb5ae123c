package io.txwatch.oracle.known;

import io.txwatch.oracle.SqlLists;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rows with a NULL in a unique key that were rolled back while a search, an UPDATE or a locking
 * query, waited for them. InnoDB restores its position in the index, finds the previous row, whose
 * key is equal except for NULLs, and mistakes it for a row that it has not seen (MDEV-33802).
 */
final class RolledBackNullKeys {

  private static final Pattern TABLE =
      Pattern.compile("(?is)^\\s*CREATE\\s+TABLE\\s+([\\w`]+)\\s*\\((.*)\\).*");
  private static final Pattern INDEX =
      Pattern.compile(
          "(?is)^\\s*CREATE\\s+UNIQUE\\s+INDEX\\s+\\S+\\s+ON\\s+([\\w`]+)\\s*\\(([^)]*)\\).*");
  private static final Pattern KEY =
      Pattern.compile(
          "(?is)^(?:CONSTRAINT\\s+\\S+\\s+)?UNIQUE\\b(?:\\s+(?:KEY|INDEX))?[^(]*\\(([^)]*)\\).*");
  private static final Pattern NO_COLUMN =
      Pattern.compile("(?is)^(CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK|KEY|INDEX)\\b.*");
  private static final Pattern UNIQUE = Pattern.compile("(?i)\\bUNIQUE\\b");
  private static final Pattern HAS_VALUE =
      Pattern.compile("(?i)\\bDEFAULT\\s+(?!NULL\\b)|\\bNOT\\s+NULL\\b|\\{AUTOINC\\}");
  private static final Pattern INSERT =
      Pattern.compile(
          "(?is)^\\s*INSERT\\s+(?:IGNORE\\s+)?INTO\\s+([\\w`]+)\\s*(?:\\(([^)]*)\\))?"
              + "\\s*VALUES\\s*(.*)");
  private static final Pattern UPDATE =
      Pattern.compile("(?is)^\\s*UPDATE\\s+([\\w`]+)\\s+SET\\s(.*?)(?:\\bWHERE\\b.*)?");
  private static final Pattern SEARCH =
      Pattern.compile(
          "(?is)^\\s*(?:UPDATE\\s+([\\w`]+)\\s+SET\\b.*"
              + "|SELECT\\b.*\\bFROM\\s+([\\w`]+).*\\b(?:FOR\\s+\\w+|IN\\s+SHARE\\s+MODE)\\s*)");
  private static final Pattern BACK = Pattern.compile("(?i)^\\s*ROLLBACK\\s+TO\\b");

  /**
   * A table with unique keys.
   *
   * @param columns all columns, in order
   * @param nullByDefault the columns that are NULL unless a value is given
   * @param keys the columns of unique keys that may be NULL
   */
  private record Table(List<String> columns, Set<String> nullByDefault, Set<String> keys) {}

  private final Map<String, Table> tables = new HashMap<>();

  private RolledBackNullKeys(List<String> setup) {
    setup.forEach(this::define);
  }

  /**
   * True if a search that returned at least two rows was blocked, and another session's row with a
   * NULL in a unique key of the table was rolled back before the search resumed.
   *
   * @param shown the search that the verdict names; empty if any search matches
   */
  static boolean matches(CaseExecution execution, Optional<Step> shown) {
    RolledBackNullKeys nulls = new RolledBackNullKeys(execution.testCase().setup());
    return execution.outcomes().stream()
        .filter(search -> shown.isEmpty() || search.step().equals(shown.get()))
        .filter(search -> search.succeeded() && search.blocked())
        .filter(search -> search.updateCount() > 1 || search.rows().size() > 1)
        .anyMatch(search -> nulls.areRolledBackDuring(search.step(), execution));
  }

  private boolean areRolledBackDuring(Step search, CaseExecution execution) {
    Matcher searched = SEARCH.matcher(search.sql());
    if (!searched.matches()) {
      return false;
    }
    String table = unquoted(searched.group(1) == null ? searched.group(2) : searched.group(1));
    List<Integer> before = execution.order().subList(0, execution.order().indexOf(search.id()));
    return execution.outcomes().stream()
        .filter(StepOutcome::succeeded)
        .map(StepOutcome::step)
        .filter(write -> !write.session().equals(search.session()))
        .filter(write -> before.contains(write.id()) && writesNullKey(write.sql(), table))
        .anyMatch(write -> isRolledBack(write, before, execution));
  }

  /**
   * True if a write was rolled back, with its transaction or to a savepoint, by the steps before
   * the search completed.
   */
  private static boolean isRolledBack(Step write, List<Integer> before, CaseExecution execution) {
    boolean wentBack =
        before.subList(before.indexOf(write.id()), before.size()).stream()
            .map(id -> execution.outcome(id).step())
            .anyMatch(
                step -> step.session().equals(write.session()) && BACK.matcher(step.sql()).find());
    return wentBack
        || execution.transactions().stream()
            .filter(transaction -> !transaction.committed())
            .filter(transaction -> transaction.steps().contains(write))
            .anyMatch(
                transaction ->
                    transaction.steps().stream().allMatch(step -> before.contains(step.id())));
  }

  /** True if, by its text, a write stores a NULL in a unique key of the table. */
  private boolean writesNullKey(String sql, String name) {
    Table table = tables.get(name);
    if (table == null) {
      return false;
    }
    Matcher insert = INSERT.matcher(sql);
    if (insert.matches() && unquoted(insert.group(1)).equals(name)) {
      List<String> given = insert.group(2) == null ? table.columns() : names(insert.group(2));
      return table.keys().stream()
              .anyMatch(key -> !given.contains(key) && table.nullByDefault().contains(key))
          || SqlLists.split(insert.group(3)).stream()
              .map(row -> SqlLists.split(row.replaceAll("(?s)^\\(|\\).*$", "")))
              .anyMatch(row -> hasNullKey(given, row, table.keys()));
    }
    Matcher update = UPDATE.matcher(sql);
    return update.matches()
        && unquoted(update.group(1)).equals(name)
        && SqlLists.split(update.group(2)).stream()
            .map(assigned -> assigned.split("=", 2))
            .anyMatch(
                assigned ->
                    assigned.length == 2
                        && table.keys().contains(unquoted(assigned[0]))
                        && assigned[1].strip().equalsIgnoreCase("NULL"));
  }

  private static boolean hasNullKey(List<String> columns, List<String> row, Set<String> keys) {
    for (int i = 0; i < Math.min(columns.size(), row.size()); i++) {
      if (keys.contains(columns.get(i)) && row.get(i).equalsIgnoreCase("NULL")) {
        return true;
      }
    }
    return false;
  }

  private void define(String sql) {
    Matcher table = TABLE.matcher(sql);
    Matcher index = INDEX.matcher(sql);
    if (table.matches()) {
      tables.put(unquoted(table.group(1)), table(SqlLists.split(table.group(2))));
    } else if (index.matches()) {
      Table indexed = tables.get(unquoted(index.group(1)));
      if (indexed != null) {
        indexed.keys().addAll(names(index.group(2)));
      }
    }
  }

  private static Table table(List<String> definitions) {
    Table table = new Table(new ArrayList<>(), new HashSet<>(), new HashSet<>());
    for (String definition : definitions) {
      Matcher key = KEY.matcher(definition);
      if (key.matches()) {
        table.keys().addAll(names(key.group(1)));
      } else if (!NO_COLUMN.matcher(definition).matches()) {
        String column = unquoted(definition.split("\\s", 2)[0]);
        table.columns().add(column);
        if (!HAS_VALUE.matcher(definition).find()) {
          table.nullByDefault().add(column);
        }
        if (UNIQUE.matcher(definition).find()) {
          table.keys().add(column);
        }
      }
    }
    return table;
  }

  private static List<String> names(String list) {
    return SqlLists.split(list).stream().map(RolledBackNullKeys::unquoted).toList();
  }

  private static String unquoted(String name) {
    return name.strip().replace("`", "").toLowerCase(Locale.ROOT);
  }
}
