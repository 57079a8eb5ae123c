package io.txwatch.changes.sqlite;

import io.txwatch.changes.ChangedRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteUpdateListener;

/**
 * The rows that one connection changes. Nothing is executed on the connection. Not thread-safe, as
 * the connection.
 */
public final class RowIdListener implements AutoCloseable {

  static final int MAX_ROWS = 1 << 16;

  /**
   * A changed row.
   *
   * @param database its name on the connection: main, temp, or of an attached one
   * @param rowId after the change; that of an INTEGER PRIMARY KEY is its value
   */
  public record RowIdChange(ChangedRow.Kind kind, String database, String table, long rowId) {}

  /** A number that is not known. */
  public static final long UNKNOWN = Long.MIN_VALUE;

  private final SQLiteConnection connection;
  private final SQLiteUpdateListener updates = this::changed;
  private List<RowIdChange> changes = new ArrayList<>();
  private long countBefore = UNKNOWN;
  private long count;

  private RowIdListener(SQLiteConnection connection) {
    this.connection = connection;
  }

  /**
   * Begins to listen to a connection, or to the one behind a pool's handle.
   *
   * @return null if it is none of the SQLite driver that the class loader of txwatch sees, or that
   *     driver cannot be listened to
   */
  public static @Nullable RowIdListener to(Connection connection) {
    try {
      Connection behind =
          connection instanceof SQLiteConnection
              ? connection
              : connection.unwrap(SQLiteConnection.class);
      if (!(behind instanceof SQLiteConnection own)) {
        return null;
      }
      own.getDatabase().total_changes(); // another type in older versions of the driver
      own.getDatabase().changes();
      RowIdListener listener = new RowIdListener(own);
      own.addUpdateListener(listener.updates);
      return listener;
    } catch (SQLException | RuntimeException | LinkageError e) {
      return null;
    }
  }

  private void changed(SQLiteUpdateListener.Type type, String database, String table, long rowId) {
    if (count++ < MAX_ROWS) {
      ChangedRow.Kind kind =
          switch (type) {
            case INSERT -> ChangedRow.Kind.INSERT;
            case UPDATE -> ChangedRow.Kind.UPDATE;
            case DELETE -> ChangedRow.Kind.DELETE;
          };
      changes.add(new RowIdChange(kind, database, table, rowId));
    }
  }

  /** A statement, or a batch of them, is about to be executed. */
  public void begin() {
    countBefore = counted();
    count = 0;
    changes = new ArrayList<>();
  }

  /**
   * The changed rows since {@link #begin}, in order; after a statement failed, also those that were
   * undone.
   *
   * @return null if they were too many
   */
  public @Nullable List<RowIdChange> changes() {
    return count > MAX_ROWS ? null : changes;
  }

  /**
   * How many more rows SQLite has counted since {@link #begin}. (It counts no rows that REPLACE
   * takes away.) Negative while a statement returns rows: SQLite counts what it wrote itself when
   * that has ended.
   *
   * @return {@link #UNKNOWN} if the connection is closed
   */
  public long unseen() {
    long now = counted();
    return now == UNKNOWN || countBefore == UNKNOWN ? UNKNOWN : now - countBefore - count;
  }

  /**
   * How many rows the last statement wrote itself, without its triggers and cascades, once it has
   * ended.
   *
   * @return {@link #UNKNOWN} if the connection is closed
   */
  public long writtenByLast() {
    try {
      return connection.getDatabase().changes();
    } catch (SQLException | RuntimeException e) {
      return UNKNOWN;
    }
  }

  private long counted() {
    try {
      return connection.getDatabase().total_changes();
    } catch (SQLException | RuntimeException e) {
      return UNKNOWN;
    }
  }

  /** Ends listening. */
  @Override
  public void close() {
    try {
      if (!connection.isClosed()) {
        connection.removeUpdateListener(updates);
      }
    } catch (SQLException | RuntimeException e) {
      // it was closed meanwhile, and its listeners are gone with it
    }
  }
}
