package io.txwatch.rewrite;

import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.PlainView;
import java.util.ArrayList;
import java.util.List;

/**
 * The text of a read of ours in the making: literals, and what is copied of the application's
 * statement, with the parameters in it.
 */
final class ReadText {

  private final Tokens tokens;
  private final Edits edits;
  private final int[] numbers;
  private final boolean within;
  private final StringBuilder sql = new StringBuilder();
  private final List<Integer> parameters = new ArrayList<>();

  private ReadText(AnalyzedStatement statement, Edits edits, boolean within) {
    this.tokens = statement.tokens();
    this.edits = edits;
    this.numbers = ParameterNumbers.of(tokens);
    this.within = within;
  }

  /** A read that is sent beside the statement, and copies its text as it stands. */
  static ReadText ofOriginal(AnalyzedStatement statement) {
    return new ReadText(statement, Edits.NONE, false);
  }

  /**
   * A read that copies the text with the query of its table, which has the auxiliary columns, in
   * the place of a view.
   *
   * @param within true if it becomes a part of the statement itself: it takes the statement's
   *     parameters once more
   */
  static ReadText of(AnalyzedStatement statement, boolean within) {
    Edits edits = Edits.NONE;
    for (Source.Table table : statement.parts().references()) {
      edits =
          edits.and(
              statement
                  .tables()
                  .view(statement.sql(), table)
                  .map(view -> readTable(statement, table, view))
                  .orElse(Edits.NONE));
    }
    return new ReadText(statement, edits, within);
  }

  private static Edits readTable(AnalyzedStatement statement, Source.Table table, PlainView view) {
    int nameEnd = table.from() + 2 * table.name().size() - 1;
    String alias = table.alias().isPresent() ? "" : " " + table.exposedName();
    String columns = VersionSource.pair(statement.tables(), view.table());
    String query = "(" + view.list() + ", " + columns + view.rest() + ")" + alias;
    return Edits.replace(statement.tokens(), table.from(), nameEnd, query);
  }

  ReadText add(String text) {
    sql.append(text);
    return this;
  }

  /** A stretch of the application's text. */
  ReadText copy(int from, int to) {
    sql.append(EditedText.copy(tokens, edits, from, to, within));
    for (int i = from; i < to; i++) {
      if (numbers[i] > 0) {
        parameters.add(numbers[i]);
      }
    }
    return this;
  }

  ReadText copy(Span span) {
    return copy(span.from(), span.to());
  }

  /** The WITH that a read needs, if it needs one. */
  ReadText copyWith(Span with) {
    return with.isEmpty() ? this : copy(with).add(" ");
  }

  /** The sources of a block, separated by commas. */
  ReadText copySources(Block block) {
    String separator = "";
    for (Clause clause : block.choosing()) {
      if (clause.kind() != Clause.Kind.WHERE) {
        add(separator).copy(clause.content());
        separator = ", ";
      }
    }
    return this;
  }

  /** A parameter that {@link #add} added. */
  ReadText parameter(int number) {
    parameters.add(number);
    return this;
  }

  String sql() {
    return sql.toString();
  }

  int[] parameters() {
    return parameters.stream().mapToInt(Integer::intValue).toArray();
  }
}
