package io.txwatch.product.mysql;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.sql.dialect.Dialect;

/**
 * MySQL, MariaDB (InnoDB: Consistent Nonlocking Reads; Transaction Isolation Levels). REPEATABLE
 * READ: the first consistent read fixes the snapshot; UPDATE, DELETE, INSERT … SELECT and locking
 * reads see the newest versions and fix none. So a plain read beside a plain query is in its
 * snapshot, beside anything else it is not, and before the transaction has a snapshot it would fix
 * one. SERIALIZABLE: within a transaction every read locks: nothing is sent. After a write or a
 * read that waits, ROW_COUNT(), FOUND_ROWS() and the warnings belong to the application's statement
 * until it sends the next one: nothing is sent after a statement, but {@linkplain When#LATER
 * later}. A row that a DELETE at REPEATABLE READ matches, and that a plain read still shows
 * afterwards, was not to be deleted in its newest version, for the DELETE locks what it meets and
 * skips nothing: that can be queried later too, until the transaction's next write, if the snapshot
 * was fixed before the DELETE. And what INSERT … SELECT and the subqueries of an UPDATE read before
 * the transaction has a snapshot can be queried later: those rows are locked until it ends.
 */
public final class InnoDbSnapshotRules extends SnapshotRules {

  public InnoDbSnapshotRules(Dialect dialect, boolean original) {
    super(dialect, original);
  }

  @Override
  public SideReadTiming besideRead(
      StatementKind kind, Purpose purpose, Moment planned, boolean oneTable, Session session) {
    boolean query = kind == StatementKind.SELECT;
    if (!session.inTransaction()) {
      return query || planned != Moment.AFTER ? BEFORE : NEVER;
    }
    if (session.at(IsolationLevel.SERIALIZABLE)) {
      return NEVER;
    }
    if (!session.holdsSnapshot()) {
      return query || planned != Moment.AFTER ? BEFORE : NEVER;
    }
    if (query) {
      // A query that the optimizer answers without a table (WHERE 1 = 0) fixes no snapshot: a read
      // with the same condition does not either, one of the whole table would.
      boolean wait = purpose == Purpose.VERSION_SET && !session.hasSnapshot();
      return wait ? LATER_IN_SNAPSHOT : BEFORE_IN_SNAPSHOT;
    }
    if (planned == Moment.EITHER && !session.hasSnapshot()) {
      return LATER;
    }
    return session.hasSnapshot() && planned != Moment.AFTER ? BEFORE : NEVER;
  }

  @Override
  public SideReadTiming afterWrite(Session session) {
    boolean serializable = session.at(IsolationLevel.SERIALIZABLE);
    return serializable || !session.inTransaction() ? NEVER : LATER_IN_SNAPSHOT;
  }

  @Override
  public SideReadTiming aroundDelete(Moment planned, Session session) {
    boolean snapshot = session.inTransaction() && session.hasSnapshot();
    return snapshot && session.at(IsolationLevel.REPEATABLE_READ) ? LATER_IN_SNAPSHOT : NEVER;
  }

  @Override
  public boolean mayPiggyback(IsolationLevel level) {
    return level == IsolationLevel.READ_COMMITTED || level == IsolationLevel.REPEATABLE_READ;
  }

  @Override
  public boolean keepsDiagnostics() {
    return true;
  }
}
