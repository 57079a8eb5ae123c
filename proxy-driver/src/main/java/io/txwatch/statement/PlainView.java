package io.txwatch.statement;

import io.txwatch.dialect.DialectSql;
import io.txwatch.plan.Catalog;
import io.txwatch.sql.semantics.Block;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.StatementSplitter;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Optional;

/**
 * A view that is one plain query of one prepared table, so that each of its rows is a row of that
 * table: what reads the view is read beside it from the table (hazard 14). The view itself stays as
 * it is, and so does the statement.
 *
 * @param list its query up to the end of the select list
 * @param rest what follows the select list
 * @param table the table as the query names it
 * @param repeatable true if what it calls has no effect, and no chance in it
 * @param cannotFail true if nothing in it can fail
 */
public record PlainView(
    String list, String rest, Source.Table table, boolean repeatable, boolean cannotFail) {

  /**
   * Reads a view's query.
   *
   * @param text as the DBMS returns it
   * @return empty if it is none of these
   */
  public static Optional<PlainView> of(String text, DialectSql sql, Tables tables) {
    if (text.isBlank() || text.contains(Catalog.ROW_ID_COLUMN)) {
      return Optional.empty();
    }
    Tokens tokens = Tokenizer.tokenize(text, sql.dialect());
    if (tokens.isBroken()) {
      return Optional.empty();
    }
    List<Span> statements = StatementSplitter.split(tokens, sql.dialect());
    if (statements.size() != 1) {
      return Optional.empty();
    }
    try {
      return of(AnalyzedStatement.of(tokens, sql, statements.get(0), tables));
    } catch (NotUnderstood e) {
      return Optional.empty();
    }
  }

  private static Optional<PlainView> of(AnalyzedStatement statement) {
    StatementParts parts = statement.parts();
    Optional<Block> top = parts.top();
    if (top.isEmpty() || parts.blocks().size() != 1 || parts.references().size() != 1) {
      return Optional.empty();
    }
    Block block = top.get();
    if (block.tables().size() != 1
        || !block.stars().isEmpty()
        || block.has(Kind.WINDOW)
        || block.has(Kind.QUALIFY)
        || block.limited()
        || block.has(Kind.LOCK)
        || Aggregation.obstacle(statement, block).isPresent()) {
      return Optional.empty();
    }
    Source.Table table = block.tables().get(0);
    if (!statement.tables().isPrepared(table)) {
      return Optional.empty();
    }
    Tokens tokens = statement.tokens();
    String text = tokens.text();
    int listEnd = tokens.end(block.list().to() - 1);
    Span all = parts.tree().span();
    DialectSql sql = statement.sql();
    Optional<String> list = sql.onAnyPath(text.substring(tokens.start(all.from()), listEnd));
    Optional<String> rest = sql.onAnyPath(text.substring(listEnd, tokens.end(all.to() - 1)));
    if (list.isEmpty() || rest.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new PlainView(
            list.get(),
            rest.get(),
            table,
            Repeatability.holds(statement, new Span(all.from() + 1, all.to())),
            block
                .clause(Kind.WHERE)
                .map(where -> CannotFail.holds(statement, where.content()))
                .orElse(true)));
  }
}
