package io.txwatch.sql;

import io.txwatch.history.GapReason;
import java.util.Optional;

/**
 * PostgreSQL: INSERT, UPDATE, DELETE and MERGE inside WITH (hazard 26). Each leaves the statement's
 * token in what it writes, and returns no more than it did: its RETURNING list is what the
 * statement around it reads from. So which rows it wrote is known when they are read next, and
 * those that a DELETE took are not seen.
 */
final class InnerWrites {

  private static final String TOLD_LATER =
      "rows that a write inside WITH wrote are known when they are read next";

  private InnerWrites() {}

  /**
   * Adds what the writes inside WITH need to the statement around them.
   *
   * @param watched false if they only have to be put right, and carry nothing
   */
  static void add(Draft draft, boolean watched) {
    for (StatementShape write : draft.shape.innerWrites) {
      Draft inner = of(draft, write, watched);
      draft.splices.addAll(inner.splices);
      draft.unseen(inner);
      draft.starShowsAuxiliary |= inner.starShowsAuxiliary;
      if (write.tables.stream().anyMatch(draft.tables::isPrepared)) {
        draft.unseen(GapReason.SHAPE, TOLD_LATER);
      }
    }
  }

  private static Draft of(Draft around, StatementShape write, boolean watched) {
    Draft inner = protectedCopy(around, write);
    try {
      Optional<String> wholeRow = WholeRows.find(inner);
      if (wholeRow.isPresent()) {
        throw new NotUnderstood(
            GapReason.SHAPE, wholeRow.get() + " as a whole row shows the columns");
      }
      StarGuard.expandReturned(inner);
      if (watched) {
        RewritePlanner.rewrite(inner);
      } else {
        InsertRewriter.nameVisibleColumns(inner);
      }
      return inner;
    } catch (NotUnderstood e) {
      Draft plain = protectedCopy(around, write);
      InsertRewriter.nameVisibleColumns(plain);
      plain.unseen(e.reason(), e.detail());
      return plain;
    }
  }

  private static Draft protectedCopy(Draft around, StatementShape write) {
    Draft inner =
        new Draft(around.tokens, around.dialect, write, around.tables, false, around.extent);
    inner.alone = false;
    StarGuard.protect(inner);
    return inner;
  }
}
