package io.txwatch.jdbc.session;

import io.txwatch.capture.SessionTracker;
import io.txwatch.catalog.JdbcCatalog;

/**
 * What is known of one physical connection, whoever holds it.
 *
 * @param database what it shares with others to the same database
 * @param tracker which transaction it is in
 * @param catalog which tables it sees
 */
public record WatchedSession(
    WatchedDatabase database, SessionTracker tracker, JdbcCatalog catalog) {

  /** The physical connection was closed. */
  public void close() {
    if (tracker.closed()) {
      catalog.close();
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
    return true;
  }
}
