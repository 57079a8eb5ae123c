package io.txwatch.schedule;

import io.txwatch.sql.semantics.TableDefinition;
import io.txwatch.sql.syntax.Span;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

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

  /** A column that counts rows from one. */
  private static final String NUMBERED_COLUMN = "{AUTOINC}";

  /** Splits a set-up into its parts. */
  static Setup of(List<String> statements) {
    List<String> definitions = new ArrayList<>();
    List<String> contents = new ArrayList<>();
    boolean isRepeatable = true;
    boolean numbersRows = false;
    for (String sql : statements) {
      boolean fills = SqlText.of(sql).write().isPresent();
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
    return definitions.stream()
        .map(sql -> TableDefinition.references(SqlText.of(sql).tokens()))
        .anyMatch(found -> found.stream().anyMatch(TableDefinition.Reference::hasActions));
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
    SqlText text = SqlText.of(sql);
    Span name = TableDefinition.definedTable(text.tokens());
    return name.isEmpty() ? "" : text.tokens().folded(name.to() - 1);
  }
}
