package io.txwatch.sql.rewrite;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.semantics.StatementShape;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement.RowsFrom;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;

/**
 * What an INSERT without a column list needs even if it carries nothing: on SQLite the values must
 * be as many as the columns, ours included, unless the columns are named; on PostgreSQL there may
 * be fewer, but too many would be taken for ours.
 */
final class InsertedColumns {

  private InsertedColumns() {}

  /** The application's columns, named where that is needed. */
  static Edits name(AnalyzedStatement statement) {
    StatementShape shape = statement.shape();
    Source.Table target = shape.target;
    if (target == null || shape.columns >= 0 || !statement.tables().showsAuxiliary(target)) {
      return Edits.NONE;
    }
    List<String> columns = statement.tables().find(target).orElseThrow().columns();
    return !columns.isEmpty() && isNeeded(statement, columns.size())
        ? Edits.after(statement.tokens(), target.to() - 1, list(statement.dialect(), columns, ""))
        : Edits.NONE;
  }

  private static boolean isNeeded(AnalyzedStatement statement, int columns) {
    StatementShape shape = statement.shape();
    boolean values = shape.sourceKind == RowsFrom.VALUES;
    return statement.dialect().sql().fillsMissingColumns()
        ? values && shape.rows.stream().anyMatch(row -> width(statement.tokens(), row) > columns)
        : values || shape.sourceKind == RowsFrom.QUERY;
  }

  /** How many values a row has. */
  static int width(Tokens tokens, int open) {
    return tokens.items(open + 1, tokens.partner(open)).size();
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
