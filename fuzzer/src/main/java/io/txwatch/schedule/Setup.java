package io.txwatch.schedule;

import io.txwatch.testcase.CachedPattern;
import io.txwatch.testcase.StatementText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The set-up of a case, in two parts.
 *
 * @param definitions the statements that define its tables
 * @param contents the statements that fill them
 * @param isRepeatable true if the tables can be refilled without being defined again, for this case
 *     or for another one with the same definitions
 * @param numbersRows true if a column counts its rows: to be refilled, such a table has to be reset
 */
record Setup(
    List<String> definitions, List<String> contents, boolean isRepeatable, boolean numbersRows) {

  private static final CachedPattern CONTENTS =
      CachedPattern.of("(?i)^\\s*(INSERT|REPLACE|UPDATE|DELETE|MERGE)\\b");
  private static final Pattern DEFINITION =
      Pattern.compile("(?i)^\\s*CREATE\\s+TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?([\\w\"`]+)");

  /** A column that counts rows from one. */
  private static final String NUMBERED_COLUMN = "{AUTOINC}";

  /** An action of a foreign key on the referencing rows. */
  private static final CachedPattern ACTION =
      CachedPattern.of("(?i)\\bON\\s+(DELETE|UPDATE)\\s+(CASCADE|SET)\\b");

  /** Splits a set-up into its parts. */
  static Setup of(List<String> statements) {
    List<String> definitions = new ArrayList<>();
    List<String> contents = new ArrayList<>();
    boolean isRepeatable = true;
    boolean numbersRows = false;
    for (String sql : statements) {
      boolean fills = CONTENTS.isFoundIn(sql);
      String withoutNumbers = sql.replace(NUMBERED_COLUMN, "");
      numbersRows |= !withoutNumbers.equals(sql);
      isRepeatable &=
          !StatementText.generatesValues(withoutNumbers) && (fills || contents.isEmpty());
      (fills ? contents : definitions).add(sql);
    }
    return new Setup(List.copyOf(definitions), List.copyOf(contents), isRepeatable, numbersRows);
  }

  /** True if writing one of its tables may write another one, by a foreign key's action. */
  boolean hasActions() {
    return definitions.stream().anyMatch(ACTION::isFoundIn);
  }

  /** The tables in the order of their definitions: parents before children. */
  List<String> parentsFirst(List<String> tables) {
    List<String> defined = definitions.stream().map(Setup::defined).toList();
    List<String> sorted = new ArrayList<>(tables);
    sorted.sort(Comparator.comparingInt(table -> defined.indexOf(StatementText.unquoted(table))));
    return sorted;
  }

  /** The table that a statement defines; empty if it defines something else. */
  private static String defined(String sql) {
    Matcher definition = DEFINITION.matcher(sql);
    return definition.find() ? StatementText.unquoted(definition.group(1)) : "";
  }
}
