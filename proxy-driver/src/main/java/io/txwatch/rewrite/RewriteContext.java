package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.plan.PlanRequest;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.Tables;

/**
 * What a rewriter works with.
 *
 * @param statement the statement that it rewrites
 * @param extent how much is to be observed
 * @param request what is allowed
 * @param alone true if the text is this one statement: then rows can be given ids and be known by
 *     them
 */
record RewriteContext(
    AnalyzedStatement statement, Extent extent, PlanRequest request, boolean alone) {

  /**
   * How much of a statement is to be observed.
   *
   * @param readsBeside true at level {@code items}: by reads beside the statement
   * @param readsVersionSets true at level {@code predicates}: with the versions that it chose from
   * @param maxRows how many rows a read of ours may bring; it reads one more, which shows that
   *     there are more
   */
  record Extent(boolean readsBeside, boolean readsVersionSets, int maxRows) {}

  Tokens tokens() {
    return statement.tokens();
  }

  DialectSql sql() {
    return statement.sql();
  }

  Dialect dialect() {
    return statement.dialect();
  }

  StatementParts parts() {
    return statement.parts();
  }

  Statement tree() {
    return statement.tree();
  }

  Tables tables() {
    return statement.tables();
  }

  boolean readsBeside() {
    return extent.readsBeside();
  }

  boolean readsVersionSets() {
    return extent.readsVersionSets();
  }

  boolean mayReturnRows() {
    return request.mayReturnRows();
  }

  /** True if one column may list the versions of a table's rows. */
  boolean mayList(Source.Table table) {
    return request.mayListVersions() && tables().isSmall(table);
  }

  /** The clause that bounds a read of ours. */
  String limit() {
    return " limit " + (extent.maxRows() + 1L);
  }

  /** A write inside WITH: it returns nothing of ours, and gives no ids. */
  RewriteContext inner(StatementParts write) {
    return new RewriteContext(statement.inner(write), extent, PlanRequest.RETURNING_NOTHING, false);
  }

  /** The same without reads that copy a part of the statement. */
  RewriteContext copyingNothing() {
    return new RewriteContext(
        statement,
        new Extent(false, false, extent.maxRows()),
        new PlanRequest(request.mayReturnRows(), false),
        alone);
  }

  /** An insertion before a significant token. */
  Rewrite before(int token, String text) {
    return Rewrite.of(Edits.before(tokens(), token, text));
  }

  /** An insertion behind a significant token. */
  Rewrite after(int token, String text) {
    return Rewrite.of(Edits.after(tokens(), token, text));
  }

  /** A replacement of significant tokens. */
  Rewrite replace(int from, int to, String text) {
    return Rewrite.of(Edits.replace(tokens(), from, to, text));
  }
}
