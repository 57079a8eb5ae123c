package io.txwatch.changes.sqlite;

import io.txwatch.changes.RowChange;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.sqlite.SQLiteCommitListener;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteUpdateListener;

/**
 * Listens to one connection. SQLite does not report what a savepoint or a failed statement undoes,
 * nor whether a COMMIT succeeds after its listener was called: whoever executes the statements
 * does, with {@link #size}, {@link #undoTo} and {@link #ended}. Not thread-safe, as the connection.
 */
public final class RowIdListener implements AutoCloseable {

  static final int MAX_ROWS = 100_000;

  /** Of all connections of this process. */
  private static final AtomicLong COMMITS = new AtomicLong();

  /**
   * A changed row.
   *
   * @param database its name on the connection: main, temp, or of an attached one
   * @param rowId after the change; that of an INTEGER PRIMARY KEY is its value
   */
  public record RowIdChange(RowChange.Kind kind, String database, String table, long rowId) {}

  /**
   * A committed transaction.
   *
   * @param order of the commits of a database; 0 if the commit listener was not called: nothing was
   *     written
   * @param changes in order
   * @param isComplete false if there were too many
   */
  public record Committed(long order, List<RowIdChange> changes, boolean isComplete) {

    /** A transaction of immutable changes. */
    public Committed {
      changes = List.copyOf(changes);
    }
  }

  private final SQLiteConnection connection;
  private final List<RowIdChange> changes = new ArrayList<>();
  private final SQLiteUpdateListener updates = this::changed;
  private final SQLiteCommitListener commits =
      new SQLiteCommitListener() {
        @Override
        public void onCommit() {
          order = COMMITS.incrementAndGet();
        }

        @Override
        public void onRollback() {
          forget();
        }
      };

  private long order;
  private boolean isTooLarge;

  /**
   * Begins to listen, between two transactions.
   *
   * @param connection of SQLite's own driver; nothing is executed on it
   */
  public RowIdListener(SQLiteConnection connection) {
    this.connection = connection;
    connection.addUpdateListener(updates);
    connection.addCommitListener(commits);
  }

  /** Why a connection cannot be listened to, in one line; empty if it can. */
  public static String problem(Connection connection) {
    try {
      return connection instanceof SQLiteConnection
          ? ""
          : "not a connection of the SQLite driver that txwatch's class loader sees";
    } catch (LinkageError e) {
      return "the class loader of txwatch does not see the SQLite driver";
    }
  }

  private void changed(SQLiteUpdateListener.Type type, String database, String table, long rowId) {
    if (changes.size() >= MAX_ROWS) {
      isTooLarge = true;
      return;
    }
    RowChange.Kind kind =
        switch (type) {
          case INSERT -> RowChange.Kind.INSERT;
          case UPDATE -> RowChange.Kind.UPDATE;
          case DELETE -> RowChange.Kind.DELETE;
        };
    changes.add(new RowIdChange(kind, database, table, rowId));
  }

  /** The number of rows that the transaction has changed until now. */
  public int size() {
    return changes.size();
  }

  /**
   * ROLLBACK TO SAVEPOINT, or a statement failed and was undone.
   *
   * @param size what {@link #size} was at the savepoint, or before the statement
   */
  public void undoTo(int size) {
    if (size < changes.size()) {
      changes.subList(size, changes.size()).clear();
    }
  }

  /**
   * The transaction has ended: COMMIT has returned, or an autocommitted statement.
   *
   * @return what it committed; after a rollback, nothing
   */
  public Committed ended() {
    Committed committed = new Committed(order, changes, !isTooLarge);
    forget();
    return committed;
  }

  private void forget() {
    order = 0;
    isTooLarge = false;
    changes.clear();
  }

  /** Ends listening; the connection stays open. */
  @Override
  public void close() {
    connection.removeUpdateListener(updates);
    connection.removeCommitListener(commits);
  }
}
