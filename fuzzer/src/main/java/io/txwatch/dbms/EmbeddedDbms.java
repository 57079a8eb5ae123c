package io.txwatch.dbms;

import io.txwatch.history.Database;
import java.sql.Connection;
import java.sql.SQLException;

/** A DBMS in this JVM. A workspace is an in-memory database with one schema. */
abstract class EmbeddedDbms extends AbstractDbms {

  EmbeddedDbms(Database database, Connector connector) {
    super(database, connector);
  }

  /** The URL of an in-memory database; the first connection creates it. */
  abstract String urlOf(String name);

  /** The schema of the tables, as in the catalog. */
  abstract String schema();

  /** Initializes a session. */
  abstract Connection initialize(Connection session) throws SQLException;

  abstract WaitMonitor monitor(Connection watcher) throws SQLException;

  /** Closes the last connection and removes the database. */
  abstract void shutDown(Connection last, String name) throws SQLException;

  @Override
  public Workspace newWorkspace() throws SQLException {
    return new EmbeddedWorkspace(this);
  }
}
