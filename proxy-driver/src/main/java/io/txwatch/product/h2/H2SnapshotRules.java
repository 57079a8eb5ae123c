package io.txwatch.product.h2;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.sql.dialect.Dialect;

/**
 * H2 (documentation, Advanced, Transaction Isolation; 2.x, MVStore). READ COMMITTED: a snapshot for
 * each statement. SNAPSHOT and SERIALIZABLE: one for the transaction. REPEATABLE READ: one for each
 * table, taken by the first statement that names it, for all that it names at once: a read that
 * names fewer tables must not come first. Writes that meet a row changed since fail, from
 * REPEATABLE READ on; but at REPEATABLE READ not those whose table had no snapshot when they began
 * to wait (a DELETE that waits for an UPDATE deletes nothing, and does not fail): nothing is sent
 * before a write there.
 */
public final class H2SnapshotRules extends SnapshotRules {

  public H2SnapshotRules(Dialect dialect, boolean original) {
    super(dialect, original);
  }

  @Override
  public SideReadTiming besideRead(
      StatementKind kind, Purpose purpose, Moment planned, boolean oneTable, Session session) {
    boolean certain = session.holdsSnapshot() && kind != StatementKind.LOCKING_SELECT;
    if (session.inTransaction() && session.at(IsolationLevel.REPEATABLE_READ)) {
      if (kind.mayWrite()) {
        return NEVER;
      }
      if (!oneTable) {
        return at(Moment.AFTER, certain);
      }
    }
    return at(planned, certain);
  }

  @Override
  public SideReadTiming aroundDelete(Moment planned, Session session) {
    boolean byStatement = session.at(IsolationLevel.READ_COMMITTED);
    return byStatement && session.inTransaction() ? at(planned, false) : NEVER;
  }

  @Override
  public boolean mayPiggyback(IsolationLevel level) {
    return level != IsolationLevel.READ_UNCOMMITTED;
  }
}
