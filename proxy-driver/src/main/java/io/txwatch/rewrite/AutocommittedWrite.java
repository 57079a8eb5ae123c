package io.txwatch.rewrite;

import io.txwatch.plan.Assumed;
import io.txwatch.plan.KeyedRow;
import io.txwatch.plan.PlanRequest.Assuming;
import io.txwatch.rewrite.Rewrite.Returned;
import java.util.Optional;

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
  static Optional<Rewrite> append(AssignmentList assignments) {
    if (!fits(assignments)) {
      return Optional.empty();
    }
    String assignment = "%s = %s, ".formatted(Auxiliary.WL, Auxiliary.appended(Auxiliary.WL));
    Assumed assumed = Assumed.autocommitted(ValueGuard.assumed(assignments));
    return Optional.of(
        assignments
            .context()
            .before(assignments.from(), assignment)
            .and(Rewrite.assuming(assumed)));
  }

  private static boolean fits(AssignmentList assignments) {
    RewriteContext context = assignments.context();
    return assignments.isOfUpdate()
        && context.alone()
        && context.mayAssume(Assuming.AUTOCOMMIT)
        && context.parts().innerWrites().isEmpty()
        && context.tables().writtenAnewUnseen(assignments.table().traits())
        && !assignments.mayBeJoined()
        && KeyedRows.of(context.statement(), Returned.NOTHING).role() == KeyedRow.Role.WRITES;
  }
}
