package io.txwatch.dbms;

import io.txwatch.history.Database;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;

/** A DBMS in this JVM. A workspace is an in-memory database with one schema. */
public abstract class EmbeddedDbms extends AbstractDbms {

  /** Creates a DBMS whose connections {@code connector} opens. */
  protected EmbeddedDbms(Database database, Connector connector) {
    super(database, connector);
  }

  /** The URL of an in-memory database; the first connection creates it. */
  protected abstract String urlOf(String name);

  /** The schema of the tables, as in the catalog. */
  protected abstract String schema();

  /** Initializes a session. */
  protected abstract Connection initialize(Connection session) throws SQLException;

  /** The monitor of a database; it closes the connection. */
  protected abstract WaitMonitor monitor(Connection watcher) throws SQLException;

  /** Closes the last connection and removes the database. */
  protected abstract void shutDown(Connection last, String name) throws SQLException;

  @Override
  public Workspace newWorkspace() throws SQLException {
    return new EmbeddedWorkspace(this);
  }
}
