package io.txwatch.endtoend;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
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

/** SQLite, a file with a write-ahead log. */
final class SqliteTarget implements Target {

  /** SQLITE_BUSY: another connection holds what is asked for, and waiting would not help. */
  private static final int BUSY = 5;

  private static final long CALL_AGAIN_NANOS = 100_000;

  @Override
  public String name() {
    return "sqlite";
  }

  @Override
  public List<String> levels() {
    return List.of("SER");
  }

  @Override
  public Database create() throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.SQLITE) + "?journal_mode=WAL&synchronous=OFF";
    return new Database() {
      @Override
      public String url() {
        return url;
      }

      @Override
      public Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public String spell(String sql) {
    return sql.replace("{ENGINE}", "")
        .replace("{AUTOINC}", "INTEGER PRIMARY KEY")
        .replace("{FU}", "");
  }

  @Override
  public void setLevel(Connection connection, String level) throws SQLException {
    connection.setTransactionIsolation(Levels.jdbc(level));
  }

  @Override
  public boolean endsTransaction(SQLException error) {
    return error.getErrorCode() == BUSY;
  }

  /**
   * SQLite has no list of waiters, but calls back each time it finds what it needs taken. Two calls
   * after the question was asked mean that it still is: the first may speak of a moment before.
   */
  @Override
  public BlockMonitor monitor(Database database) {
    Map<Long, AtomicLong> calls = new ConcurrentHashMap<>();
    return new BlockMonitor() {
      @Override
      public long sessionOf(Connection connection) throws SQLException {
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
      public Map<Long, Set<Long>> waiting() {
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
    };
  }
}
