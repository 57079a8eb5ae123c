package io.txwatch.product.postgresql;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.sql.dialect.Dialect;

/**
 * PostgreSQL (documentation, 13.2). READ COMMITTED: each statement has a snapshot of its own
 * (13.2.1). REPEATABLE READ: one for the transaction, taken by its first statement; a write that
 * meets a row changed since fails (13.2.2), so what a write chose from is in that snapshot too.
 * READ UNCOMMITTED is READ COMMITTED. SERIALIZABLE: reads leave SIREAD locks, a read of a whole
 * table one on the whole table (13.2.3), which makes other transactions fail that would not:
 * nothing is sent.
 */
public final class PostgresSnapshotRules extends SnapshotRules {

  public PostgresSnapshotRules(Dialect dialect, boolean original) {
    super(dialect, original);
  }

  @Override
  public SideReadTiming besideRead(
      StatementKind kind, Purpose purpose, Moment planned, boolean oneTable, Session session) {
    return session.at(IsolationLevel.SERIALIZABLE) ? NEVER : at(planned, session.holdsSnapshot());
  }

  @Override
  public SideReadTiming afterWrite(Session session) {
    return session.at(IsolationLevel.SERIALIZABLE) ? NEVER : super.afterWrite(session);
  }

  @Override
  public SideReadTiming aroundDelete(Moment planned, Session session) {
    boolean byStatement = session.level().compareTo(IsolationLevel.READ_COMMITTED) <= 0;
    return byStatement && session.inTransaction() ? at(planned, false) : NEVER;
  }

  @Override
  public boolean mayPiggyback(IsolationLevel level) {
    return isOriginal() && level != IsolationLevel.SERIALIZABLE;
  }
}
