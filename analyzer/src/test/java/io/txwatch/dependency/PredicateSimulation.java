package io.txwatch.dependency;

import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A table of rows with one value each, from 0 to 2. Sessions query it by value, insert, update and
 * delete. The simulation emits the events that a driver would send at level {@code predicates}, and
 * records which commits each statement saw, as the number of commits at that time.
 */
public final class PredicateSimulation {

  /** How the DBMS isolates. */
  public enum Mode {
    /** One transaction after the other. */
    SERIAL,
    /** Reads from a snapshot; aborts on writing a row that changed since or is locked. */
    SNAPSHOT,
    /** Reads the last committed versions; the version set is some commits older. */
    READ_COMMITTED,
    /**
     * Queries read from a snapshot, in which an own write hides the row that had its key; writes
     * find the newest versions by key, as InnoDB's do at REPEATABLE READ.
     */
    SNAPSHOT_BY_KEY
  }

  private static final int VALUES = 3;
  private static final int KEYS = 4;

  /** A row at some time: its value, and the list of its writers. */
  private record State(int value, String writers) {}

  /** A committed state of a row; null once it is deleted. */
  private record Committed(int commit, @Nullable State state) {}

  /** The number of commits that a statement saw, and that its version set contains. */
  public record Seen(int itself, int set) {}

  /** The events, in the order in which they happened. */
  public final List<Event> events = new ArrayList<>();

  /** The commits that each statement saw. */
  private final Map<Long, Seen> seen = new HashMap<>();

  /** The number of each committed transaction's commit. */
  public final Map<Long, Integer> commits = new HashMap<>();

  private final Mode mode;
  private final Random random;
  private final TreeMap<Integer, List<Committed>> rows = new TreeMap<>();
  private final Map<Integer, Running> locks = new HashMap<>();

  /** The key of each row. Only by these, not by its id, are two versions of one row. */
  private final Map<Integer, Integer> keys = new HashMap<>();

  private int commit;
  private long nextTransaction = 1;
  private int nextRow = 3;

  private PredicateSimulation(Mode mode, Random random) {
    this.mode = mode;
    this.random = random;
    for (int row = 0; row < nextRow; row++) {
      rows.put(row, new ArrayList<>(List.of(new Committed(0, new State(row % VALUES, "")))));
      keys.put(row, row);
    }
  }

  private final class Running {
    final long session;
    final long id = nextTransaction++;
    final int snapshot = commit;
    final Map<Integer, @Nullable State> own = new HashMap<>();
    int statement;
    int lastSeen = commit;

    Running(long session) {
      this.session = session;
    }
  }

  /** What a statement saw. */
  public Seen seen(long transaction, int statement) {
    return Objects.requireNonNull(seen.get(key(transaction, statement)));
  }

  private static long key(long transaction, int statement) {
    return transaction << 20 | statement;
  }

  /** Runs transactions to their ends. */
  public static PredicateSimulation run(Mode mode, Random random, int sessions, int transactions) {
    PredicateSimulation simulation = new PredicateSimulation(mode, random);
    simulation.run(sessions, transactions);
    return simulation;
  }

  private void run(int sessions, int transactions) {
    Map<Integer, Running> running = new TreeMap<>();
    for (int session = 0; session < sessions; session++) {
      events.add(
          new Event.SessionOpened(
              session + 1, "s" + session, new Database(new Product("Simulated", "1"), Map.of())));
    }
    int begun = 0;
    while (begun < transactions || !running.isEmpty()) {
      int at = random.nextInt(sessions);
      Running t = running.get(at);
      if (t != null) {
        if (!step(t)) {
          running.remove(at);
        }
      } else if (begun < transactions && !(mode == Mode.SERIAL && !running.isEmpty())) {
        begun++;
        Running fresh = new Running(at + 1);
        running.put(at, fresh);
        IsolationLevel level =
            mode == Mode.SNAPSHOT_BY_KEY
                ? IsolationLevel.REPEATABLE_READ
                : IsolationLevel.READ_COMMITTED;
        events.add(new Event.TransactionBegan(fresh.session, fresh.id, level, 0));
      }
    }
  }

  private boolean step(Running t) {
    int dice = t.statement == 0 ? 0 : random.nextInt(12);
    if (dice >= 9) {
      end(t, dice == 9 ? Outcome.ABORTED : Outcome.COMMITTED);
      return false;
    }
    t.statement++;
    boolean bySnapshot =
        mode == Mode.SNAPSHOT || mode == Mode.SNAPSHOT_BY_KEY && dice < 4; // only queries
    int seesNow = bySnapshot ? t.snapshot : commit;
    int seesSet =
        mode == Mode.READ_COMMITTED
            ? t.lastSeen + random.nextInt(seesNow - t.lastSeen + 1)
            : seesNow;
    t.lastSeen = seesNow;
    seen.put(key(t.id, t.statement), new Seen(seesNow, seesSet));
    boolean written =
        switch (dice) {
          case 0, 1, 2, 3 -> select(t, seesNow, seesSet);
          case 4, 5 -> insert(t);
          default -> write(t, seesNow, seesSet, dice == 8);
        };
    if (!written) {
      end(t, Outcome.ABORTED);
    }
    return written;
  }

  private boolean select(Running t, int seesNow, int seesSet) {
    int wanted = random.nextInt(VALUES);
    List<RowAccess> found = new ArrayList<>();
    for (int row : rows.keySet()) {
      State state = visible(t, row, seesNow);
      if (state != null && state.value() == wanted) {
        found.add(access(Access.READ, row, state));
      }
    }
    send(t, StatementKind.SELECT, found, set(t, seesSet, wanted + 1));
    return true;
  }

  private boolean insert(Running t) {
    if (mode == Mode.SNAPSHOT_BY_KEY) {
      int key = random.nextInt(KEYS);
      if (rows.keySet().stream().anyMatch(row -> key(row) == key && mayExist(t, row))) {
        return false;
      }
      keys.put(nextRow, key);
    }
    int row = nextRow++;
    rows.put(row, new ArrayList<>());
    State state = new State(random.nextInt(VALUES), WriterToken.of(t.id, t.statement));
    t.own.put(row, state);
    locks.put(row, t);
    send(t, StatementKind.INSERT, List.of(access(Access.INSERT, row, state)), List.of());
    return true;
  }

  private int key(int row) {
    return Objects.requireNonNull(keys.get(row));
  }

  /** Whether a row exists, or will or did if the transaction that has locked it ends. */
  private boolean mayExist(Running t, int row) {
    Running owner = locks.get(row);
    return owner != null && owner != t || visible(t, row, commit) != null;
  }

  private boolean write(Running t, int seesNow, int seesSet, boolean delete) {
    List<Integer> all = List.copyOf(rows.keySet());
    int row = all.get(random.nextInt(all.size()));
    State under = visible(t, row, mode == Mode.SNAPSHOT ? seesNow : commit);
    if (under == null) {
      send(t, StatementKind.UPDATE, List.of(), set(t, seesSet, 0));
      return true;
    }
    Running owner = locks.get(row);
    List<Committed> history = history(row);
    boolean changed =
        mode == Mode.SNAPSHOT
            && !history.isEmpty()
            && history.get(history.size() - 1).commit() > t.snapshot;
    if (owner != null && owner != t || changed) {
      return false;
    }
    locks.put(row, t);
    List<VersionSet> sets = set(t, seesSet, 0);
    if (delete) {
      t.own.put(row, null);
      send(t, StatementKind.DELETE, List.of(access(Access.DELETE, row, under)), sets);
    } else {
      State state =
          new State(random.nextInt(VALUES), under.writers() + WriterToken.of(t.id, t.statement));
      t.own.put(row, state);
      send(t, StatementKind.UPDATE, List.of(access(Access.UPDATE, row, state)), sets);
    }
    return true;
  }

  private void end(Running t, Outcome outcome) {
    if (outcome == Outcome.COMMITTED) {
      commit++;
      commits.put(t.id, commit);
      t.own.forEach((row, state) -> history(row).add(new Committed(commit, state)));
    }
    locks.values().removeIf(owner -> owner == t);
    events.add(new Event.TransactionEnded(t.session, t.id, outcome, 0, 0));
  }

  private List<Committed> history(int row) {
    return Objects.requireNonNull(rows.get(row));
  }

  private @Nullable State visible(Running t, int row, int commits) {
    if (t.own.containsKey(row)) {
      return t.own.get(row);
    }
    if (mode == Mode.SNAPSHOT_BY_KEY
        && t.own.keySet().stream().anyMatch(own -> key(own) == key(row))) {
      return null;
    }
    State state = null;
    for (Committed each : history(row)) {
      if (each.commit() <= commits) {
        state = each.state();
      }
    }
    return state;
  }

  private List<VersionSet> set(Running t, int commits, long predicate) {
    List<Integer> ids = new ArrayList<>();
    StringBuilder writers = new StringBuilder();
    for (int row : rows.keySet()) {
      State state = visible(t, row, commits);
      if (state != null) {
        ids.add(row);
        String list = state.writers();
        writers.append(
            list.isEmpty()
                ? WriterToken.of(0, 0)
                : list.substring(list.length() - WriterToken.LENGTH));
      }
    }
    return List.of(
        new VersionSet(
            "t",
            predicate,
            ids.stream().mapToLong(id -> id).toArray(),
            writers.toString(),
            mode != Mode.READ_COMMITTED));
  }

  private void send(Running t, StatementKind kind, List<RowAccess> found, List<VersionSet> sets) {
    events.add(
        new Event.StatementExecuted(
            t.session, t.id, t.statement, kind, kind.name(), "", found, true, null, sets));
  }

  private static RowAccess access(Access access, int row, State state) {
    String list = state.writers();
    String window = list.substring(Math.max(0, list.length() - WriterList.WINDOW_LENGTH));
    return new RowAccess(access, "t", row, WriterList.ofColumn(window));
  }
}
