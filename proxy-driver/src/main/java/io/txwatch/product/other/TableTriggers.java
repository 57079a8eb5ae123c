package io.txwatch.product.other;

import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Which tables have triggers. */
final class TableTriggers {

  private TableTriggers() {}

  /**
   * False if a table surely has none.
   *
   * @param count {@link GenericProduct#triggerCount}
   */
  static boolean mayBeOn(
      DatabaseMetaData metaData, Optional<String> count, String schema, String table)
      throws SQLException {
    if (count.isEmpty()) {
      return false;
    }
    try (PreparedStatement query = metaData.getConnection().prepareStatement(count.get())) {
      query.setString(1, schema);
      query.setString(2, table);
      try (ResultSet row = query.executeQuery()) {
        return !row.next() || row.getLong(1) != 0;
      }
    } catch (SQLException e) {
      return true; // there is no such table of triggers, or no right to read it
    }
  }
}
