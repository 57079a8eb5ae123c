package io.txwatch.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Compares {@link KeyedWrites} with a simulated DBMS that holds locks until commit and makes no
 * version for a no-op update. The events of a session arrive some time after their statements
 * returned, and rows are replaced by others of the same key. Every inferred ww dependency must
 * agree with the order in which the key was locked.
 */
class KeyedWritesSimulationTest {

  private static final int KEYS = 2;
  private static final int SESSIONS = 4;
  private static final int STEPS = 160;

  /** The row that has a key. */
  private record Stored(long row, int value, String writers) {}

  private static final class Db {
    final Random random;
    final List<Event> events = new ArrayList<>();
    final Map<Integer, Stored> committed = new HashMap<>();
    final Map<Integer, Stored> current = new HashMap<>();
    final Map<Integer, ClientState> locks = new HashMap<>();

    /** When a statement got its lock: by transaction and statement. */
    final Map<String, Integer> lockedAt = new HashMap<>();

    long rows;
    long transactions;
    int clock;

    Db(long seed) {
      random = new Random(seed);
      for (int key = 0; key < KEYS; key++) {
        committed.put(key, new Stored(++rows, 0, ""));
      }
      current.putAll(committed);
    }

    List<Event> run() {
      List<ClientState> clients = new ArrayList<>();
      for (int i = 1; i <= SESSIONS; i++) {
        clients.add(new ClientState(this, i));
      }
      for (int i = 0; i < STEPS; i++) {
        clients.get(random.nextInt(SESSIONS)).step(false);
      }
      for (int i = 0; i < 20 * SESSIONS; i++) {
        clients.get(i % SESSIONS).step(true);
      }
      return events;
    }
  }

  /** A session with the driver in front of it. */
  private static final class ClientState {
    private final Db db;
    private final long session;
    private final boolean snapshots;

    /** Events that are not reported yet; they must be before the next statement is sent. */
    private final List<Event> unreported = new ArrayList<>();

    /** Events that may be reported after the COMMIT: queries whose result sets are still open. */
    private final List<Event> open = new ArrayList<>();

    private final Map<Integer, Stored> snapshot = new HashMap<>();
    private final Map<Integer, Long> known = new HashMap<>();
    private long transaction;
    private int statement;

    ClientState(Db db, long session) {
      this.db = db;
      this.session = session;
      this.snapshots = db.random.nextBoolean();
      Database mariadb = new Database(new Product("MariaDB", "10.11"), Map.of());
      db.events.add(new Event.SessionOpened(session, "s" + session, mariadb));
    }

    void step(boolean toTheEnd) {
      Random random = db.random;
      if (!unreported.isEmpty()) {
        db.events.add(unreported.remove(0));
      } else if (transaction == 0) {
        if (!toTheEnd) {
          begin();
          if (random.nextInt(4) == 0) {
            alone();
          }
        }
      } else if (toTheEnd || random.nextInt(5) == 0) {
        end(random.nextInt(5) > 0);
      } else {
        int key = random.nextInt(KEYS);
        switch (random.nextInt(9)) {
          case 0 -> replace(key);
          case 1, 2, 3, 4 -> read(key);
          default -> update(key);
        }
      }
    }

    private void begin() {
      transaction = ++db.transactions;
      statement = 0;
      IsolationLevel level =
          snapshots ? IsolationLevel.REPEATABLE_READ : IsolationLevel.READ_COMMITTED;
      db.events.add(new Event.TransactionBegan(session, transaction, level, 0));
    }

    /** An autocommitted update, reported after its commit. */
    private void alone() {
      update(db.random.nextInt(KEYS));
      if (statement == 0) {
        open.clear();
      }
      end(true);
    }

    private boolean lock(int key) {
      ClientState holder = db.locks.get(key);
      if (holder != null && holder != this) {
        return false;
      }
      db.locks.put(key, this);
      db.lockedAt.put(transaction + "." + ++statement, ++db.clock);
      return true;
    }

    private Stored stored(int key) {
      return Objects.requireNonNull(db.current.get(key));
    }

    private Stored committed(int key) {
      return Objects.requireNonNull(db.committed.get(key));
    }

    private void read(int key) {
      Stored seen = snapshots ? snapshot.getOrDefault(key, committed(key)) : committed(key);
      if (db.locks.get(key) == this) {
        seen = stored(key);
      } else {
        snapshot.put(key, seen);
      }
      known.merge(key, seen.row(), (one, other) -> one.equals(other) ? one : -1L);
      Event read = executed(++statement, StatementKind.SELECT, access(Access.READ, seen));
      (db.random.nextInt(4) == 0 ? open : unreported).add(read);
    }

    private void update(int key) {
      if (!lock(key)) {
        return;
      }
      Stored before = stored(key);
      int value = db.random.nextInt(3);
      if (value != before.value()) {
        String list = before.writers() + WriterToken.of(transaction, statement);
        String window = list.substring(Math.max(0, list.length() - WriterList.WINDOW_LENGTH));
        db.current.put(key, new Stored(before.row(), value, window));
      }
      long row = known.getOrDefault(key, -1L);
      RowAccess target =
          row < 0
              ? null
              : new RowAccess(
                  Access.TARGET,
                  "t",
                  row,
                  new WriterList(WriterToken.of(transaction, statement), false),
                  false);
      unreported.add(executed(statement, StatementKind.UPDATE, target));
    }

    /** Another row takes the key. */
    private void replace(int key) {
      if (!lock(key)) {
        return;
      }
      known.remove(key);
      Stored before = stored(key);
      unreported.add(executed(statement, StatementKind.DELETE, access(Access.DELETE, before)));
      db.lockedAt.put(transaction + "." + ++statement, ++db.clock);
      Stored after = new Stored(++db.rows, 0, WriterToken.of(transaction, statement));
      db.current.put(key, after);
      unreported.add(executed(statement, StatementKind.INSERT, access(Access.INSERT, after)));
    }

    private void end(boolean commit) {
      for (int key = 0; key < KEYS; key++) {
        if (db.locks.get(key) == this) {
          if (commit) {
            db.committed.put(key, stored(key));
          } else {
            db.current.put(key, committed(key));
          }
          db.locks.remove(key);
        }
      }
      unreported.addAll(open);
      unreported.add(
          new Event.TransactionEnded(
              session, transaction, commit ? Outcome.COMMITTED : Outcome.ABORTED, 0));
      open.clear();
      known.clear();
      snapshot.clear();
      transaction = 0;
    }

    private static RowAccess access(Access access, Stored stored) {
      return new RowAccess(access, "t", stored.row(), WriterList.ofColumn(stored.writers()));
    }

    private Event executed(int number, StatementKind kind, @Nullable RowAccess row) {
      List<RowAccess> rows = row == null ? List.of() : List.of(row);
      return new Event.StatementExecuted(
          session, transaction, number, kind, kind.name(), "", rows, row != null, null);
    }
  }

  @Test
  void inferredOrderIsTheLockOrder() {
    int inferred = 0;
    int withoutTargets = 0;
    for (long seed = 0; seed < 400; seed++) {
      Db db = new Db(seed);
      List<Event> history = db.run();
      List<String> edges = ww(history);
      for (String edge : edges) {
        String[] ends = edge.split("[ >]");
        assertThat(db.lockedAt.get(ends[1]))
            .as("%d %s", seed, edge)
            .isLessThan(db.lockedAt.get(ends[2]));
      }
      inferred += edges.size();
      withoutTargets +=
          ww(history.stream().map(KeyedWritesSimulationTest::untargeted).toList()).size();
    }
    assertThat(inferred).isGreaterThan(withoutTargets + 150);
  }

  private static List<String> ww(List<Event> history) {
    return new DependencyRecorder(history)
        .all.stream().filter(edge -> edge.startsWith("ww ")).toList();
  }

  private static Event untargeted(Event event) {
    return event instanceof Event.StatementExecuted e
            && e.rows().stream().anyMatch(row -> row.access() == Access.TARGET)
        ? new Event.StatementExecuted(
            e.session(), e.transaction(), e.statement(), e.kind(), "", "", List.of(), false, null)
        : event;
  }
}
