package io.txwatch.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * With what a statement was made.
 *
 * @param scrollable true if its results can be moved in both directions
 * @param updatable true if rows can be written through its results
 * @param keysAsked true if it was prepared to give generated keys
 * @param preparer prepares another text in the same way
 */
record StatementOptions(
    boolean scrollable, boolean updatable, boolean keysAsked, Preparer preparer) {

  /** Prepares a text with the options that the application chose. */
  @FunctionalInterface
  interface Preparer {
    /** Prepares it on the driver's connection. */
    PreparedStatement prepare(Connection real, String sql) throws SQLException;
  }

  /** What {@code createStatement()} and {@code prepareStatement(sql)} give. */
  static final StatementOptions PLAIN =
      new StatementOptions(false, false, false, Connection::prepareStatement);

  static StatementOptions of(int type, int concurrency, Preparer preparer) {
    return new StatementOptions(
        type != ResultSet.TYPE_FORWARD_ONLY,
        concurrency == ResultSet.CONCUR_UPDATABLE,
        false,
        preparer);
  }

  static StatementOptions keys(Preparer preparer) {
    return new StatementOptions(false, false, true, preparer);
  }
}
