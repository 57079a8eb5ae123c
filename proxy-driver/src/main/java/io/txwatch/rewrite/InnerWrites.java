package io.txwatch.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.sql.semantics.StatementParts;

/**
 * PostgreSQL: INSERT, UPDATE, DELETE and MERGE inside WITH (hazard 26). Each leaves the statement's
 * token in what it writes, and returns no more than it did: its RETURNING list is what the
 * statement around it reads from. So which rows it wrote is known when they are read next, and
 * those that a DELETE took are not seen.
 */
final class InnerWrites {

  private static final String SEEN_LATER =
      "rows that a write inside WITH wrote are known when they are read next";

  private InnerWrites() {}

  /**
   * What the writes inside WITH need in the statement around them.
   *
   * @param watched false if they only have to be put right, and carry nothing
   */
  static Rewrite of(RewriteContext context, boolean watched) {
    Rewrite all = Rewrite.NONE;
    for (StatementParts write : context.parts().innerWrites()) {
      Rewrite inner = StatementRewriter.rewrite(context.inner(write), watched);
      all = all.and(inner.withoutObservation());
      if (write.references().stream().anyMatch(context.tables()::isPrepared)) {
        all = all.and(Rewrite.unseen(GapReason.SHAPE, SEEN_LATER));
      }
    }
    return all;
  }
}
