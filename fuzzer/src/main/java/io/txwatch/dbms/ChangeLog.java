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

  /** A source that reads the log and is not started. */
  ChangeSource open();
}
