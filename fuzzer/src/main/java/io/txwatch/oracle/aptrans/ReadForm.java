package io.txwatch.oracle.aptrans;

import io.txwatch.dbms.WriteRecording;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import java.util.List;
import java.util.Optional;

/**
 * A query that returns rows of tables as they are: its result can also return the row ids and
 * versions.
 *
 * @param sql its text with these columns at the end of each row
 * @param tables the tables of these columns, two columns each, in their order
 * @param isWholeTable true if it returns all rows of its only table
 */
record ReadForm(String sql, List<String> tables, boolean isWholeTable) {

  private static final String[] SUMMARIES = {
    "COUNT", "SUM", "MIN", "MAX", "AVG", "GROUP_CONCAT", "OVER"
  };
  private static final String[] OTHER_FORMS = {
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "GROUP",
    "HAVING",
    "NATURAL",
    "USING",
    "FETCH",
    "OFFSET",
    "WINDOW"
  };

  /**
   * Recognizes a query.
   *
   * @param known the tables of the case
   * @return empty if the query returns something else than rows
   */
  static Optional<ReadForm> of(String sql, List<String> known) {
    SqlText text = SqlText.of(sql);
    if (!text.startsWith("SELECT")
        || !(text.tree() instanceof Statement.Select select)
        || !(select.query().body() instanceof QueryBody.Select body)
        || text.hasAny(OTHER_FORMS)
        || summarizes(text.tokens(), body)) {
      return Optional.empty();
    }
    Clause from = body.clause(Clause.Kind.FROM).orElse(null);
    List<Source.Table> sources = Source.tables(body.from());
    boolean isPlain =
        sources.stream().allMatch(table -> table.name().size() == 1 && names(known, name(table)));
    if (from == null || sources.isEmpty() || !isPlain) {
      return Optional.empty();
    }
    StringBuilder columns = new StringBuilder();
    for (Source.Table table : sources) {
      for (String column : List.of(WriteRecording.ROW, WriteRecording.VERSION)) {
        columns.append(", ").append(table.exposedName()).append('.').append(column);
      }
    }
    String rest = text.from(from.span().to());
    boolean isWhole =
        sources.size() == 1
            && (rest.isEmpty() || text.tokens().isAnyWord(from.span().to(), "FOR", "LOCK"))
            && !text.has("SKIP", "LOCKED");
    return Optional.of(
        new ReadForm(
            text.text(new Span(0, from.span().from()))
                + columns
                + " "
                + text.from(from.span().from()),
            sources.stream().map(ReadForm::name).toList(),
            isWhole));
  }

  private static String name(Source.Table table) {
    return Identifiers.unquote(table.name().get(0));
  }

  private static boolean summarizes(Tokens tokens, QueryBody.Select body) {
    for (int i = body.list().from(); i < body.list().to(); i++) {
      if (tokens.isAnyWord(i, SUMMARIES) && tokens.isOpen(i + 1)) {
        return true;
      }
    }
    return body.distinct();
  }

  /** True if one of the tables has this name, in any case. */
  static boolean names(List<String> tables, String name) {
    return tables.stream().anyMatch(table -> table.equalsIgnoreCase(name));
  }
}
