package io.txwatch.jdbc.session;

import io.txwatch.capture.SessionTracker;
import io.txwatch.catalog.ConnectionSource;
import io.txwatch.catalog.JdbcCatalog;
import io.txwatch.jdbc.changes.ChangeReading;

/**
 * What is known of one physical connection, regardless of who holds it.
 *
 * @param database what it shares with others to the same database
 * @param tracker which transaction it is in
 * @param catalog which tables it sees
 * @param changes its share in the reading of the server's record of changes
 * @param source opens another connection of the same kind, which is not watched
 */
public record WatchedSession(
    WatchedDatabase database,
    SessionTracker tracker,
    JdbcCatalog catalog,
    ChangeReading changes,
    ConnectionSource source) {

  /** The physical connection was closed. */
  public void close() {
    if (tracker.closed()) {
      catalog.close();
      changes.close();
    }
  }

  /**
   * The physical connection went back to its driver's pool, and may come again as another session.
   *
   * @return false if it is still needed: a branch is under way
   */
  public boolean givenBack() {
    if (!tracker.givenBack()) {
      return false;
    }
    catalog.close();
    changes.close();
    return true;
  }
}
