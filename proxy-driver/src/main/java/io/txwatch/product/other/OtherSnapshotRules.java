package io.txwatch.product.other;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.SideRead.Moment;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.sql.dialect.Dialect;

/** SQLite and any other DBMS: nothing of ours is sent. */
public final class OtherSnapshotRules extends SnapshotRules {

  public OtherSnapshotRules(Dialect dialect) {
    super(dialect, false);
  }

  @Override
  public SideReadTiming besideRead(
      StatementKind kind, Purpose purpose, Moment planned, boolean oneTable, Session session) {
    return NOT_SENT;
  }

  @Override
  public boolean mayPiggyback(IsolationLevel level) {
    return false;
  }
}
