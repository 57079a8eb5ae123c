package io.txwatch.capture;

import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.sql.dialect.Dialect;

/**
 * SQLite (documentation, Isolation In SQLite; Transactions). A transaction has one snapshot, from
 * its first read on. A transaction that has read cannot become a writer once somebody else has
 * written (SQLITE_BUSY_SNAPSHOT), one that begins with a write can: nothing is sent before such a
 * write.
 */
final class SqliteSnapshotRules extends SnapshotRules {

  SqliteSnapshotRules(Dialect dialect, boolean original) {
    super(dialect, original);
  }

  @Override
  SideReadTiming besideRead(
      StatementKind kind, Purpose purpose, Moment planned, boolean oneTable, Session session) {
    boolean certain = session.inTransaction() && !session.at(IsolationLevel.READ_UNCOMMITTED);
    if (session.inTransaction() && kind.mayWrite() && !session.hasSnapshot()) {
      return planned == Moment.EITHER ? at(Moment.AFTER, certain) : NEVER;
    }
    return at(planned, certain);
  }

  @Override
  public boolean mayPiggyback(IsolationLevel level) {
    return level != IsolationLevel.READ_UNCOMMITTED;
  }

  @Override
  public boolean fixesSnapshot(StatementKind kind) {
    return true;
  }
}
