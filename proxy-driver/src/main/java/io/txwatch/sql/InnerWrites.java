package io.txwatch.sql;

import io.txwatch.history.GapReason;

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
   * Adds what the writes inside WITH need to the statement around them.
   *
   * @param watched false if they only have to be put right, and carry nothing
   */
  static void add(Draft draft, boolean watched) {
    for (StatementShape write : draft.shape.innerWrites) {
      Draft inner = RewritePlanner.carrying(() -> fresh(draft, write), watched);
      draft.splices.addAll(inner.splices);
      draft.unseen(inner);
      draft.starShowsAuxiliary |= inner.starShowsAuxiliary;
      draft.exposed |= inner.exposed;
      if (write.tables.stream().anyMatch(draft.tables::isPrepared)) {
        draft.unseen(GapReason.SHAPE, SEEN_LATER);
      }
    }
  }

  private static Draft fresh(Draft around, StatementShape write) {
    Draft inner =
        new Draft(around.tokens, around.dialect, write, around.tables, false, around.extent);
    inner.alone = false;
    return inner;
  }
}
