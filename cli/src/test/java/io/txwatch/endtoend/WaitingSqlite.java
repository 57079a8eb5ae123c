package io.txwatch.endtoend;

import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.Workspace;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.sqlite.BusyHandler;
import org.sqlite.SQLiteConnection;

/**
 * SQLite with sessions that wait for locks ({@code busy_timeout}).
 *
 * <p>There is no list of waiters, but SQLite calls a handler each time it finds a lock taken. Two
 * calls after the check began mean that the session is blocked: the first may concern an earlier
 * moment.
 */
record WaitingSqlite(Dbms sqlite) implements Dbms {

  private static final long CALL_AGAIN_NANOS = 100_000;

  @Override
  public Database database() {
    return sqlite.database();
  }

  @Override
  public List<IsolationLevel> levels() {
    return sqlite.levels();
  }

  @Override
  public String renderSql(String sql) {
    return sqlite.renderSql(sql);
  }

  @Override
  public void refreshSchema(Connection session) throws SQLException {
    sqlite.refreshSchema(session);
  }

  @Override
  public Failure failure(SQLException error) {
    return sqlite.failure(error);
  }

  @Override
  public Workspace newWorkspace() throws SQLException {
    Workspace workspace = sqlite.newWorkspace();
    return new Workspace() {
      @Override
      public Connection connect() throws SQLException {
        return workspace.connect();
      }

      @Override
      public Connection connect(Connector by) throws SQLException {
        return workspace.connect(by);
      }

      @Override
      public List<String> tables() throws SQLException {
        return workspace.tables();
      }

      @Override
      public List<String> resetStatements(List<String> tables) {
        return workspace.resetStatements(tables);
      }

      @Override
      public void clear() throws SQLException {
        workspace.clear();
      }

      @Override
      public WaitMonitor newMonitor() {
        return new BusyCalls();
      }

      @Override
      public void close() throws SQLException {
        workspace.close();
      }
    };
  }

  /** Counts the calls of each session's busy handler. */
  private static final class BusyCalls implements WaitMonitor {

    private final Map<Long, AtomicLong> calls = new ConcurrentHashMap<>();

    @Override
    public long sessionId(Connection connection) throws SQLException {
      long key = calls.size() + 1L;
      AtomicLong counter = new AtomicLong();
      calls.put(key, counter);
      BusyHandler.setHandler(
          connection.unwrap(SQLiteConnection.class),
          new BusyHandler() {
            @Override
            protected int callback(int attempts) throws SQLException {
              counter.incrementAndGet();
              LockSupport.parkNanos(CALL_AGAIN_NANOS);
              return 1;
            }
          });
      return key;
    }

    @Override
    public Map<Long, Set<Long>> waitGraph() {
      Map<Long, Long> before = new HashMap<>();
      calls.forEach((session, counter) -> before.put(session, counter.get()));
      LockSupport.parkNanos(20 * CALL_AGAIN_NANOS);
      Map<Long, Set<Long>> waiting = new HashMap<>();
      before.forEach(
          (session, count) -> {
            if (Objects.requireNonNull(calls.get(session)).get() >= count + 2) {
              waiting.put(session, Set.of());
            }
          });
      return waiting;
    }

    @Override
    public void close() {}
  }
}
