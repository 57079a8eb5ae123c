package io.txwatch.sql.rewrite;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.Statement.RowsFrom;
import java.util.List;

/**
 * What an INSERT without a column list needs even if it carries nothing: on SQLite the values must
 * be as many as the columns, ours included, unless the columns are named.
 */
final class InsertedColumns {

  private InsertedColumns() {}

  /** The application's columns, named where that is needed. */
  static Edits name(AnalyzedStatement statement) {
    if (!(statement.tree() instanceof Statement.Insert insert)
        || insert.columns().isPresent()
        || !statement.tables().showsAuxiliary(insert.target())) {
      return Edits.NONE;
    }
    Source.Table target = insert.target();
    List<String> columns = statement.tables().find(target).orElseThrow().columns();
    boolean isNeeded = insert.from() == RowsFrom.VALUES || insert.from() == RowsFrom.QUERY;
    return !columns.isEmpty() && isNeeded
        ? Edits.after(statement.tokens(), target.to() - 1, list(statement.dialect(), columns, ""))
        : Edits.NONE;
  }

  /**
   * A column list.
   *
   * @param more what follows the names
   */
  static String list(Dialect dialect, List<String> names, String more) {
    StringBuilder list = new StringBuilder();
    for (String name : names) {
      list.append(list.isEmpty() ? " (" : ", ").append(Auxiliary.quote(dialect, name));
    }
    return list + more + ")";
  }
}
