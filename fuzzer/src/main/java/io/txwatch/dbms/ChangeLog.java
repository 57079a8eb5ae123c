package io.txwatch.dbms;

import io.txwatch.changes.ChangeSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The log in which a DBMS records the images of the rows that committed transactions changed. */
public interface ChangeLog {

  /**
   * Why the log cannot be read, or does not have the whole images of all rows in the order of the
   * commits; empty if it can, and has.
   *
   * @throws IOException if the DBMS cannot be queried
   */
  Optional<String> whyIncomplete() throws IOException;

  /**
   * Why the log does not have all changes of the tables of a workspace; empty if it has.
   *
   * @param session a session of the workspace
   */
  Optional<String> whyIncompleteFor(Connection session) throws SQLException;

  /**
   * Changes the tables of a workspace so that the log has whole images of their rows.
   *
   * @param session a session of the workspace
   */
  default void prepare(Connection session) throws SQLException {}

  /**
   * The schema of a workspace's tables in the log.
   *
   * @param session a session of the workspace
   */
  default String schema(Connection session) throws SQLException {
    return session.getCatalog();
  }

  /** A source that reads the log and is not started. */
  ChangeSource open();
}
