package io.txwatch.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.plan.SystemColumnKey;
import io.txwatch.plan.SystemColumnKey.Replaced;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Statement;
import java.util.Optional;

/**
 * {@code MERGE INTO t USING s ON … WHEN …} (PostgreSQL, H2; hazard 23). From version 18 on
 * PostgreSQL returns what it wrote, deleted and replaced. Elsewhere it is sent as it is, and its
 * rows are not seen.
 */
final class MergeRewriter {

  private final RewriteContext context;
  private final Statement.Merge merge;
  private final Source.Table target;

  private MergeRewriter(RewriteContext context, Statement.Merge merge) {
    this.context = context;
    this.merge = merge;
    this.target = merge.target();
  }

  static Rewrite rewrite(RewriteContext context, Statement.Merge merge) throws NotUnderstood {
    return new MergeRewriter(context, merge).rewrite();
  }

  private Rewrite rewrite() throws NotUnderstood {
    Optional<GapReason> reason = context.tables().reason(target);
    if (reason.isPresent()) {
      return Rewrite.unseen(reason.get(), context.tables().display(target));
    }
    if (!context.tables().isPrepared(target)) {
      throw new NotUnderstood(NotUnderstood.Reason.SHAPE, "a write through a CTE");
    }
    Rewrite write = Rewrite.observing(target).and(returnedVersions());
    return write.and(OtherReads.of(context, write));
  }

  /**
   * PostgreSQL 17 returns rows, but not the replaced version; and the condition of a branch must
   * not contain system columns.
   */
  private Rewrite returnedVersions() {
    ReturnedRows rows = new ReturnedRows(context, target);
    boolean returnsVersions =
        context.mayReturnRows()
            && rows.replaced().equals(Optional.of(Replaced.RETURNED))
            && context.tables().key(target).map(SystemColumnKey::returnsInserted).orElse(false)
            && !rows.mayChangeKey();
    if (!returnsVersions) {
      return Rewrite.unseen(GapReason.SHAPE, "MERGE");
    }
    return merge.returning().isPresent()
        ? rows.byOwnClause()
        : rows.byClause(merge.span().to() - 1);
  }
}
