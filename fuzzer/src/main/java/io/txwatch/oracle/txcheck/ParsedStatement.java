package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.txcheck.StatementTrace.Form;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import java.util.List;
import java.util.Optional;

/**
 * What the text of a statement shows of the rows that it uses.
 *
 * @param sql its text
 * @param form its form; empty for a statement that is neither a query nor a write of rows
 * @param target the table that it writes; empty for a query, or if it writes several
 */
record ParsedStatement(String sql, Optional<Form> form, Optional<String> target) {

  static ParsedStatement of(String sql) {
    if (StatementText.isQuery(sql)) {
      return new ParsedStatement(sql, Optional.of(Form.QUERY), Optional.empty());
    }
    SqlText text = SqlText.of(sql);
    return write(text)
        .map(
            write ->
                new ParsedStatement(
                    sql,
                    form(write.verb()),
                    Optional.of(write.table()).filter(table -> !table.isEmpty())))
        .orElseGet(
            () -> // a WITH may contain a write
            new ParsedStatement(
                    sql,
                    text.startsWith("WITH") ? Optional.of(Form.UPDATE) : Optional.empty(),
                    Optional.empty()));
  }

  /** The first write in no parentheses. */
  private static Optional<SqlText.Write> write(SqlText text) {
    return text.writes().stream().filter(write -> text.isOutside(write.at())).findFirst();
  }

  /** The text without the name of the table that it writes, where the statement states it. */
  String withoutTargetName() {
    SqlText text = SqlText.of(sql);
    return write(text).map(write -> text.without(List.of(write.name()))).orElse(sql);
  }

  private static Optional<Form> form(String verb) {
    return switch (verb) {
      case "INSERT", "REPLACE", "MERGE" -> Optional.of(Form.INSERT);
      case "UPDATE" -> Optional.of(Form.UPDATE);
      case "DELETE" -> Optional.of(Form.DELETE);
      default -> Optional.empty();
    };
  }

  /** True if it sets, releases or rolls back to a savepoint. */
  boolean isSavepoint() {
    return SqlText.of(sql).isSavepoint();
  }

  boolean isWrite() {
    return form.isPresent() && form.get().isWrite();
  }

  boolean isLockingQuery() {
    return form.equals(Optional.of(Form.QUERY)) && StatementText.locksRows(sql);
  }

  boolean isPlainQuery() {
    return form.equals(Optional.of(Form.QUERY)) && !StatementText.locksRows(sql);
  }

  /** True if it contains a query besides itself. */
  boolean hasSubquery() {
    SqlText text = SqlText.of(sql);
    int first = text.indexOf(0, "SELECT");
    return first >= 0 && (isWrite() || text.indexOf(first + 1, "SELECT") >= 0);
  }

  /**
   * Why its result does not follow from the rows that it uses; empty if it does.
   *
   * @param isColumnVisible true if it sees the columns that were added to its tables
   */
  Optional<String> obstacle(boolean isColumnVisible) {
    if (StatementText.dependsOnRowOrder(sql)) {
      return Optional.of("its effect depends on the order of rows");
    }
    if (SqlText.of(sql).has("SKIP", "LOCKED") || SqlText.of(sql).hasAny("NOWAIT", "WAIT")) {
      return Optional.of("its effect depends on locks");
    }
    if (isWrite()
        && isLenient(SqlText.of(sql))
        && (hasSubquery() || form.equals(Optional.of(Form.UPDATE)))) {
      return Optional.of("which rows it skips depends on the order of rows");
    }
    if (isColumnVisible && StatementText.dependsOnColumnCount(sql)) {
      return Optional.of("the added columns would change its meaning");
    }
    return Optional.empty();
  }

  private static boolean isLenient(SqlText text) {
    return text.startsWith("REPLACE")
        || text.tokens().isWord(1, "IGNORE")
        || text.tokens().areWords(1, "OR", "IGNORE")
        || text.has("ON", "CONFLICT")
        || text.has("ON", "DUPLICATE");
  }
}
