package io.txwatch.jdbc;

import io.txwatch.capture.SessionTracker;
import io.txwatch.catalog.JdbcCatalog;

/**
 * What is known of one physical connection, whoever holds it.
 *
 * @param database what it shares with others to the same database
 * @param tracker which transaction it is in
 * @param catalog which tables it sees
 */
record WatchedSession(WatchedDatabase database, SessionTracker tracker, JdbcCatalog catalog) {

  /** The physical connection was closed. */
  void close() {
    if (tracker.closed()) {
      catalog.close();
    }
  }

  /**
   * The physical connection went back to its driver's pool, and may come again as another session.
   *
   * @return false if it is still needed: a branch is under way
   */
  boolean givenBack() {
    if (!tracker.givenBack()) {
      return false;
    }
    catalog.close();
    return true;
  }
}
