package io.txwatch.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.sql.syntax.Source;
import java.util.Optional;

/** What a write reads besides its target: subqueries, sources. */
final class OtherReads {

  private OtherReads() {}

  /**
   * Side reads of it, and what is not seen of it.
   *
   * @param write what is done to the write itself, and what that observes
   */
  static Rewrite of(RewriteContext context, Rewrite write) {
    boolean beside = context.readsBeside() && context.alone();
    Rewrite reads = beside ? SideReads.of(context, write.observed()) : Rewrite.NONE;
    Rewrite observed = write.and(reads);
    for (Source.Table table : context.parts().references()) {
      reads = reads.and(unseen(context, observed, table));
    }
    return reads;
  }

  private static Rewrite unseen(RewriteContext context, Rewrite observed, Source.Table table) {
    Optional<GapReason> reason = context.tables().reason(table);
    boolean view = context.tables().view(context.sql(), table).isPresent();
    boolean seen = observed.observes(table) && (view || reason.isEmpty());
    return seen || table.isCommon()
        ? Rewrite.NONE
        : Rewrite.unseen(
            reason.orElse(GapReason.SHAPE),
            "rows that it reads are not seen: " + context.tables().display(table));
  }
}
