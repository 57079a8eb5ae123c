package io.txwatch.jdbc.session;

import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.history.StatementKind;
import io.txwatch.jdbc.changes.ChangeReading;
import io.txwatch.jdbc.plan.CachedPlan;

/** What the statements that a connection has executed leave behind for those that come. */
public final class EarlierStatements {

  private final WatchedDatabase database;
  private final JdbcCatalog catalog;
  private final ChangeReading changes;

  /** The transaction that is sure to have its snapshot; 0 if that is not known of any. */
  private long snapshotOf;

  private boolean justSet;

  /** True if the last statement was a write that was made to return its rows. */
  private boolean justReturned;

  EarlierStatements(WatchedSession session) {
    this.database = session.database();
    this.catalog = session.catalog();
    this.changes = session.changes();
  }

  /** One was executed. */
  public void executed(CachedPlan cached) {
    StatementKind kind = cached.kind();
    justSet = false;
    if (kind == StatementKind.DDL || kind == StatementKind.OTHER) {
      String sql = cached.plan().original();
      catalog.executed(sql, cached.pathChange());
      changes.executed(sql);
      justSet = sql.stripLeading().regionMatches(true, 0, "SET", 0, 3);
    } else if (cached.mayChangeNames()) {
      catalog.executed(cached.plan().original(), cached.pathChange());
    }
    if (justReturned && cached.asksRowCount()) {
      database.memory().asksRowCount();
    }
    justReturned = cached.returnsWrittenRows();
  }

  /** One of that kind, in that transaction, has returned a row. */
  public void rowSeen(StatementKind kind, long transaction) {
    if (snapshotOf != transaction && database.snapshots().fixesSnapshot(kind)) {
      snapshotOf = transaction;
    }
  }

  /** True if that transaction is sure to have its snapshot. */
  public boolean hasSnapshot(long transaction) {
    return snapshotOf == transaction;
  }

  /** True if the last one was a SET. */
  public boolean wasSet() {
    return justSet;
  }
}
