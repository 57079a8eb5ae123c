package io.txwatch.rewrite;

import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.statement.Reasons;

/** Rewrites one statement so that it returns, and names, the rows that it reads and writes. */
final class StatementRewriter {

  private StatementRewriter() {}

  /**
   * The statement with what it can carry; with the reason if that is nothing.
   *
   * @param watched false if nothing is added to it
   */
  static Rewrite rewrite(RewriteContext context, boolean watched) {
    if (!watched) {
      return Rewrite.NONE;
    }
    try {
      return ofKind(context).and(VersionSetReads.of(context));
    } catch (NotUnderstood e) {
      return Rewrite.unseen(Reasons.of(e), e.detail());
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
