package io.txwatch.jdbc.wrap;

import java.sql.ResultSet;

/**
 * A result with nothing to hide. It is wrapped all the same, so that {@code getStatement()} does
 * not lead the application around us to a connection on which transactions end unseen.
 */
class PlainResultSet extends StatementResultSet {

  PlainResultSet(ResultSet delegate, Origin origin) {
    super(delegate, origin);
  }
}
