package io.txwatch.interleave.provoke;

import io.txwatch.history.AccessedColumns;
import io.txwatch.history.KeyValues;
import io.txwatch.history.StatementKind;
import io.txwatch.jdbc.gate.GatedCall;
import java.util.List;

/**
 * A statement that a session is about to execute.
 *
 * @param callSite where the application executes it
 * @param text as the gate is given it
 */
record CalledStatement(StatementPlace place, String callSite, GatedCall.Statement text) {

  /** True if it may lock rows until its transaction ends. */
  boolean locks() {
    return text.kind().mayWrite() || text.kind() == StatementKind.LOCKING_SELECT;
  }

  /** False if it certainly uses no row of a table that the other one uses. */
  boolean mayUseRowsOf(CalledStatement other) {
    AccessedColumns mine = AccessedColumns.parse(text.columns());
    AccessedColumns others = AccessedColumns.parse(other.text.columns());
    return mine.tables().stream()
        .anyMatch(
            one ->
                others.tables().stream().anyMatch(two -> two.table().equals(one.table()))
                    && mayBeEqual(List.of(this), List.of(other), one.table()));
  }

  /**
   * False if a column of a table has different values in the rows that two lists of statements
   * choose. Values that are not known may be equal.
   */
  static boolean mayBeEqual(
      List<CalledStatement> some, List<CalledStatement> others, String table) {
    List<KeyValues> first = keys(some, table);
    List<KeyValues> second = keys(others, table);
    return first.stream()
        .map(KeyValues::column)
        .distinct()
        .filter(column -> second.stream().anyMatch(key -> key.column().equals(column)))
        .allMatch(column -> shareValue(first, second, column));
  }

  private static List<KeyValues> keys(List<CalledStatement> statements, String table) {
    return statements.stream()
        .flatMap(statement -> statement.text.keys().stream())
        .filter(key -> key.table().equals(table))
        .toList();
  }

  private static boolean shareValue(List<KeyValues> some, List<KeyValues> others, String column) {
    return some.stream()
        .filter(key -> key.column().equals(column))
        .flatMap(key -> key.hashes().stream())
        .anyMatch(
            hash ->
                others.stream()
                    .anyMatch(key -> key.column().equals(column) && key.hashes().contains(hash)));
  }
}
