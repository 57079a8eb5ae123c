package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Inserts rows into a table in one batch, which is sent on {@link #close}. */
final class BatchInsert implements AutoCloseable {

  private final PreparedStatement insert;

  BatchInsert(Connection connection, String table, int columns) throws SQLException {
    insert =
        connection.prepareStatement(
            "INSERT INTO " + table + " VALUES (?" + ", ?".repeat(columns - 1) + ")");
  }

  void add(@Nullable Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      insert.setObject(i + 1, values[i]);
    }
    insert.addBatch();
  }

  @Override
  public void close() throws SQLException {
    insert.executeBatch();
    insert.close();
  }
}
