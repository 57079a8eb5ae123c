package io.txwatch.dbms;

import java.sql.SQLException;

/**
 * Tables that were emptied, and that a DBMS clears of what they held in its own time, beside other
 * work.
 */
public interface Purge {

  /** True if not a trace is left: the tables are as good as new. */
  boolean isDone() throws SQLException;
}
