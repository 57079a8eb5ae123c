package io.txwatch.changes.h2;

import java.sql.Connection;
import org.h2.api.Trigger;
import org.jspecify.annotations.Nullable;

/** Called by H2 for each changed row. Only H2 creates instances. */
public final class RowTrigger implements Trigger {

  /** Null if the source is closed, or of another process: the trigger came from a script. */
  private @Nullable WatchedTable table;

  /** For H2. */
  public RowTrigger() {}

  @Override
  public void init(
      Connection connection,
      String schema,
      String trigger,
      String tableName,
      boolean isBefore,
      int type) {
    WatchedTable watched = WatchedTable.ofTrigger(trigger);
    if (watched != null) {
      watched.initialized();
    }
    table = watched;
  }

  /**
   * Called by the thread of the application, within its transaction.
   *
   * @param before the row before; null for an INSERT
   * @param after the row after; null for a DELETE
   */
  @Override
  public void fire(
      Connection connection,
      @Nullable Object @Nullable [] before,
      @Nullable Object @Nullable [] after) {
    WatchedTable watched = table;
    if (watched != null) {
      watched.source().changed(watched, connection, before, after);
    }
  }

  /** The database is closed. */
  @Override
  public void close() {
    WatchedTable watched = table;
    if (watched != null) {
      watched.source().databaseClosed();
    }
  }

  /** The trigger is dropped, alone or with its table; or its table is rebuilt. */
  @Override
  public void remove() {
    WatchedTable watched = table;
    if (watched != null) {
      watched.source().triggerRemoved(watched);
    }
  }
}
