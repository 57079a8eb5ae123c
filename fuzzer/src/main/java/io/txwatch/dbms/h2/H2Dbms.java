package io.txwatch.dbms.h2;

import io.txwatch.dbms.AbstractDbms;
import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.Sql;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** H2. A workspace is a schema; in memory, in a database of its own. */
final class H2Dbms extends AbstractDbms {

  /** org.h2.engine.Constants.TRANSACTION_SNAPSHOT. */
  private static final int SNAPSHOT = 6;

  private static final String IN_MEMORY = "jdbc:h2:mem:";
  private static final int LOCK_TIMEOUT = 50200;
  private static final int DEADLOCK = 40001;
  private static final int CONCURRENT_UPDATE = 90131;

  private final String url;

  H2Dbms(Database database, String url, Connector connector) {
    super(database, connector);
    this.url = url;
  }

  @Override
  public List<IsolationLevel> levels() {
    return List.of(
        IsolationLevel.READ_COMMITTED,
        IsolationLevel.REPEATABLE_READ,
        IsolationLevel.SNAPSHOT,
        IsolationLevel.SERIALIZABLE);
  }

  /** Queries read uncommitted rows; the manual does not say what the search of a write reads. */
  @Override
  public List<IsolationLevel> levelsOnRequest() {
    return List.of(IsolationLevel.READ_UNCOMMITTED);
  }

  @Override
  public String renderSql(String sql) {
    return render(sql, "", "INT AUTO_INCREMENT PRIMARY KEY", "FOR UPDATE");
  }

  @Override
  public void setLevel(Connection session, IsolationLevel level) throws SQLException {
    if (level == IsolationLevel.SNAPSHOT) {
      session.setTransactionIsolation(SNAPSHOT);
    } else {
      super.setLevel(session, level);
    }
  }

  /**
   * After a deadlock H2 rolls the victim back; after a conflict with a newer row version the
   * transaction has to be rolled back.
   */
  @Override
  public Failure failure(SQLException error) {
    return switch (error.getErrorCode()) {
      case DEADLOCK -> new Failure(Failure.Kind.DEADLOCK, Failure.Effect.ROLLED_BACK);
      case CONCURRENT_UPDATE ->
          new Failure(Failure.Kind.SERIALIZATION, Failure.Effect.MUST_ROLL_BACK);
      case LOCK_TIMEOUT -> new Failure(Failure.Kind.LOCK_TIMEOUT, Failure.Effect.CONTINUES);
      case 90067, 90098, 90121 -> Failure.CONNECTION_LOST;
      default -> Failure.OF_STATEMENT;
    };
  }

  @Override
  public boolean plainReadsLock(IsolationLevel level) {
    return false;
  }

  /** A statement busy-waits if it finds an uncommitted key in a secondary index (2.5.252). */
  @Override
  public boolean mayBusyWait() {
    return url.startsWith(IN_MEMORY);
  }

  /** A deadlock victim is reported as blocked until it has rolled back. */
  @Override
  public boolean blocksCallingThread() {
    return url.startsWith(IN_MEMORY);
  }

  /** Blocked sessions are notified of a rollback before it is visible (2.5.252). */
  @Override
  public boolean mayMissSavepointWakeup() {
    return true;
  }

  /**
   * The end of a transaction wakes the blocked sessions, which then search for the row again
   * (2.5.252).
   */
  @Override
  public boolean hasUnfairLocks() {
    return true;
  }

  /**
   * H2's sessions can block each other forever when two of them define tables (2.5.252: one has the
   * catalog lock and waits for the database's monitor, the other has the monitor). In memory, each
   * workspace has a database of its own; elsewhere there is one workspace at a time.
   */
  @Override
  public int maxWorkers() {
    return url.startsWith(IN_MEMORY) ? Integer.MAX_VALUE : 1;
  }

  private String ownDatabaseUrl(String name) {
    if (!url.startsWith(IN_MEMORY)) {
      return url;
    }
    int end = url.indexOf(';');
    // Automatic statistics would change plans.
    return IN_MEMORY
        + name
        + (end < 0 ? "" : url.substring(end))
        + ";ANALYZE_AUTO=0;DEFAULT_LOCK_TIMEOUT=1";
  }

  @Override
  public Workspace newWorkspace() throws SQLException {
    String schema = Sql.uniqueName();
    return new H2Workspace(connector, schema, ownDatabaseUrl(schema), url.startsWith(IN_MEMORY));
  }
}
