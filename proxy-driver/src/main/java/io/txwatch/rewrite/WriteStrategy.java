package io.txwatch.rewrite;

import io.txwatch.plan.Catalog;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Source;
import java.util.List;
import java.util.Optional;

/**
 * A way of appending the writer to the assignments of an UPDATE or an upsert on MySQL and MariaDB,
 * so that a statement that changes nothing still changes nothing.
 *
 * <p>These DBMSs compare the new row with the old one, byte by byte in the columns assigned, and
 * leave the row alone if they are equal: it counts as matched, not as changed ({@code
 * useAffectedRows}, 0 or 2 of ON DUPLICATE KEY UPDATE), no {@code ON UPDATE CURRENT_TIMESTAMP}
 * fires, no version is made, so none is visible to a snapshot. If the writer were always appended,
 * every matched row would be a changed row.
 */
interface WriteStrategy {

  /** In the order in which they are tried: the cheapest first, and last the one for the rest. */
  List<WriteStrategy> IN_ORDER =
      List.of(AutocommittedWrite::append, ValueGuard::append, ChangeGuard::append);

  /**
   * Appends the writer, if this strategy fits.
   *
   * @return empty if it does not fit
   * @throws NotUnderstood if no strategy fits
   */
  Optional<Rewrite> append(AssignmentList assignments) throws NotUnderstood;

  /**
   * Appends the writer to a list of assignments.
   *
   * @throws NotUnderstood if it cannot be done without changing what the statement does
   */
  static Rewrite appendWriter(RewriteContext context, Source.Table target, List<Assignment> updates)
      throws NotUnderstood {
    Catalog.Table table = context.tables().find(target).orElseThrow();
    if (table.traits().beforeUpdate()) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "a trigger before UPDATE may change the row");
    }
    AssignmentList assignments = new AssignmentList(context, target, table, updates);
    if (assignments.isOfUpdate() && assignments.mayBeJoined()) {
      throw new NotUnderstood(
          NotUnderstood.Reason.SHAPE, "an UPDATE whose subquery the DBMS may join");
    }
    for (WriteStrategy strategy : IN_ORDER) {
      Optional<Rewrite> appended = strategy.append(assignments);
      if (appended.isPresent()) {
        boolean mayLeaveUnnamed =
            !appended.get().assumed().isAutocommitted() && assignments.mayAssignNullOverDefault();
        return mayLeaveUnnamed
            ? appended.get().and(Rewrite.flagged(Rewrite.Flag.MAY_LEAVE_UNNAMED))
            : appended.get();
      }
    }
    throw new IllegalStateException("the last strategy fits everything");
  }
}
