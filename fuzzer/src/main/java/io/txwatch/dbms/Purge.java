package io.txwatch.dbms;

import java.sql.SQLException;

/** A purge of deleted rows that the DBMS executes in the background. */
public interface Purge {

  /** True if no trace of the rows is left: the tables are as good as new. */
  boolean isDone() throws SQLException;
}
