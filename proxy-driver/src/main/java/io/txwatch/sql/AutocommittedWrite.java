package io.txwatch.sql;

/**
 * Appends the writer without a comparison, where nothing shows that a row was written anew with the
 * same values: one row at most, in a statement that is a transaction of its own ({@link
 * Assumed#isAutocommitted}). No snapshot of the transaction shows the row afterwards, and the row
 * is locked as long as it would be otherwise.
 *
 * <pre>
 *   SET txw_wl = right(concat(txw_wl, TOKEN), 112), a = ?
 * </pre>
 */
final class AutocommittedWrite {

  private AutocommittedWrite() {}

  /** The {@link WriteStrategy}. */
  static boolean append(AssignmentList assignments) {
    if (!fits(assignments)) {
      return false;
    }
    Draft draft = assignments.draft();
    draft.splices.before(
        assignments.from(), "%s = %s, ".formatted(Auxiliary.WL, Auxiliary.appended(Auxiliary.WL)));
    draft.assumed = Assumed.autocommitted(ValueGuard.assumed(assignments));
    return true;
  }

  private static boolean fits(AssignmentList assignments) {
    Draft draft = assignments.draft();
    return assignments.isOfUpdate()
        && draft.alone
        && draft.shape.innerWrites.isEmpty()
        && draft.tables.writtenAnewUnseen(assignments.table().traits())
        && !assignments.mayBeJoined()
        && KeyedRows.of(draft).role() == KeyedRow.Role.WRITES;
  }
}
