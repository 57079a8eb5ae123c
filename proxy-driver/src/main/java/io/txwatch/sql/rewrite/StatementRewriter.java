package io.txwatch.sql.rewrite;

import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Statement;

/**
 * Rewrites one statement: first what keeps the auxiliary columns out of it, then what its kind
 * needs to return, and to name, the rows that it reads and writes.
 */
final class StatementRewriter {

  private StatementRewriter() {}

  /**
   * The statement as it is put right and carries what it can; with the reason if that is nothing.
   *
   * @param watched false if it only has to be put right
   */
  static Rewrite rewrite(RewriteContext context, boolean watched) {
    AnalyzedStatement statement = context.statement();
    Rewrite guarded = StarGuard.protect(statement);
    try {
      Rewrite expanded = StarGuard.expandReturned(statement, guarded);
      return watched
          ? expanded.and(ofKind(context)).and(VersionSetReads.of(context))
          : expanded.and(Rewrite.of(InsertedColumns.name(statement)));
    } catch (NotUnderstood e) {
      return guarded
          .and(Rewrite.of(InsertedColumns.name(statement)))
          .and(Rewrite.unseen(e.reason(), e.detail()));
    }
  }

  private static Rewrite ofKind(RewriteContext context) throws NotUnderstood {
    Statement tree = context.tree();
    if (tree instanceof Statement.Select) {
      return SelectRewriter.rewrite(context);
    } else if (tree instanceof Statement.Insert insert) {
      return InsertRewriter.rewrite(context, insert);
    } else if (tree instanceof Statement.Update update) {
      return UpdateRewriter.rewrite(context, update);
    } else if (tree instanceof Statement.Delete delete) {
      return DeleteRewriter.rewrite(context, delete);
    } else if (tree instanceof Statement.Merge merge) {
      return MergeRewriter.rewrite(context, merge);
    }
    throw new IllegalStateException("no statement that is rewritten");
  }
}
