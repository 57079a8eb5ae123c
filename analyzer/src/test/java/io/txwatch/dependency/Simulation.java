package io.txwatch.dependency;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A small simulated DBMS with random schedules: sessions run transactions on a few rows, and the
 * simulation emits the events that a driver would send.
 */
public final class Simulation {

  /** How well the DBMS isolates. */
  public enum Mode {
    /** One transaction after the other. */
    SERIAL,
    /** Reads from a snapshot; aborts on writing a row that changed since or is locked. */
    SNAPSHOT,
    /** Reads and writes the last committed versions; aborts on writing a locked row. */
    READ_COMMITTED,
    /** Reads the newest versions, committed or not; aborts on writing a locked row. */
    READ_UNCOMMITTED,
    /**
     * Reads and writes the newest versions, committed or not; an abort restores the previous
     * version.
     */
    BROKEN
  }

  private static final long UNLOCKED = 0;

  private final Mode mode;
  private final Random random;
  private final Database database = new Database(new Product("Simulated", "1"), Map.of());
  private final int rows;
  private final boolean plain;
  private final List<Event> events = new ArrayList<>();

  /**
   * Committed texts, oldest first; null marks a deletion. In BROKEN the last is the current one.
   */
  private final Map<Integer, List<@Nullable String>> committed = new HashMap<>();

  private final Map<Integer, @Nullable String> dirty = new HashMap<>();
  private final Map<Integer, Long> locks = new HashMap<>();
  private long nextTransaction = 1;

  private Simulation(Mode mode, Random random, int rows, boolean plain) {
    this.mode = mode;
    this.random = random;
    this.rows = rows;
    this.plain = plain;
    for (int row = 0; row < rows; row++) {
      List<@Nullable String> history = new ArrayList<>();
      history.add("");
      committed.put(row, history);
    }
  }

  /** A transaction that runs. */
  private final class Running {
    final long session;
    final long id = nextTransaction++;
    final Map<Integer, Integer> snapshot = new HashMap<>();
    final Map<Integer, @Nullable String> own = new LinkedHashMap<>();
    final List<Map<Integer, @Nullable String>> states = new ArrayList<>();
    int statement;
    int sent = 1;

    Running(long session) {
      this.session = session;
      committed.forEach((row, history) -> snapshot.put(row, history.size()));
      events.add(new Event.TransactionBegan(session, id, IsolationLevel.READ_COMMITTED, 0));
      states.add(Map.of());
    }
  }

  /**
   * Runs transactions to their ends.
   *
   * @param plain whether there are no locking reads, which may excuse a cycle
   */
  public static List<Event> run(
      Mode mode, Random random, int sessions, int transactions, int rows, boolean plain) {
    Simulation simulation = new Simulation(mode, random, rows, plain);
    simulation.run(sessions, transactions);
    return simulation.events;
  }

  private void run(int sessions, int transactions) {
    List<@Nullable Running> running = new ArrayList<>();
    for (int session = 1; session <= sessions; session++) {
      events.add(new Event.SessionOpened(session, "s" + session, database));
      running.add(null);
    }
    int begun = 0;
    while (begun < transactions || running.stream().anyMatch(r -> r != null)) {
      int at = random.nextInt(sessions);
      Running transaction = running.get(at);
      if (transaction == null) {
        boolean busy = running.stream().anyMatch(r -> r != null);
        if (begun < transactions && !(mode == Mode.SERIAL && busy)) {
          begun++;
          running.set(at, new Running(at + 1));
        }
      } else if (!step(transaction)) {
        running.set(at, null);
      }
    }
    for (int session = 1; session <= sessions; session++) {
      events.add(new Event.SessionClosed(session));
    }
  }

  private boolean step(Running t) {
    if (t.statement > 0 && random.nextInt(4) == 0) {
      int how = random.nextInt(10);
      end(t, how == 0 ? Outcome.ABORTED : how == 1 ? Outcome.UNKNOWN : Outcome.COMMITTED);
      return false;
    }
    int dice = random.nextInt(20);
    if (dice < 9) {
      read(t);
    } else if (dice == 9 && t.statement > 0 && mode != Mode.BROKEN) {
      rollBackToSavepoint(t);
    } else if (!write(t, dice >= 18, dice == 10)) {
      end(t, Outcome.ABORTED);
      return false;
    }
    return true;
  }

  private void read(Running t) {
    t.statement++;
    boolean locking = !plain && random.nextInt(4) == 0;
    List<RowAccess> seen = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      String text = random.nextInt(rows) == 0 ? visible(t, row) : null;
      if (text != null) {
        seen.add(access(Access.READ, row, text));
      }
    }
    send(t, locking ? StatementKind.LOCKING_SELECT : StatementKind.SELECT, seen, true);
  }

  private boolean write(Running t, boolean blind, boolean delete) {
    int row = random.nextInt(rows);
    String under = newest(t, row);
    if (under == null) {
      return true;
    }
    if (mode != Mode.BROKEN) {
      List<@Nullable String> history = committed.getOrDefault(row, List.of());
      long owner = locks.getOrDefault(row, UNLOCKED);
      boolean changed =
          mode == Mode.SNAPSHOT
              && !t.own.containsKey(row)
              && t.snapshot.getOrDefault(row, 0) != history.size();
      if (owner != UNLOCKED && owner != t.id || changed) {
        return false;
      }
      locks.put(row, t.id);
    }
    t.statement++;
    String text = delete ? null : under + WriterToken.of(t.id, t.statement);
    set(t, row, text);
    t.states.add(copy(t.own));
    Access access = delete ? Access.DELETE : Access.UPDATE;
    List<RowAccess> seen =
        blind ? List.of() : List.of(access(access, row, delete ? under : String.valueOf(text)));
    send(t, delete ? StatementKind.DELETE : StatementKind.UPDATE, seen, !blind);
    return true;
  }

  private void rollBackToSavepoint(Running t) {
    int to = random.nextInt(t.statement);
    Map<Integer, @Nullable String> state = t.states.get(to);
    for (int row : List.copyOf(t.own.keySet())) {
      if (state.containsKey(row)) {
        t.own.put(row, state.get(row));
        dirty.put(row, state.get(row));
      } else {
        t.own.remove(row);
        dirty.remove(row);
      }
    }
    events.add(new Event.StatementsUndone(t.session, t.id, to + 1, t.statement));
    t.sent++;
    while (t.states.size() > to + 1) {
      t.states.remove(t.states.size() - 1);
    }
    while (t.states.size() <= t.statement) {
      t.states.add(copy(t.own));
    }
  }

  private void end(Running t, Outcome outcome) {
    boolean kept =
        outcome == Outcome.COMMITTED || outcome == Outcome.UNKNOWN && random.nextBoolean();
    t.own.forEach(
        (row, text) -> {
          List<@Nullable String> history = committed.getOrDefault(row, new ArrayList<>());
          if (mode == Mode.BROKEN) {
            if (!kept) {
              history.add(t.states.get(0).get(row));
            }
          } else if (kept) {
            history.add(text);
          }
          dirty.remove(row);
          locks.remove(row);
        });
    locks.values().removeIf(owner -> owner == t.id);
    events.add(new Event.TransactionEnded(t.session, t.id, outcome, 0, t.sent));
  }

  private void set(Running t, int row, @Nullable String text) {
    List<@Nullable String> history = committed.getOrDefault(row, new ArrayList<>());
    if (mode == Mode.BROKEN) {
      if (!t.own.containsKey(row)) {
        Map<Integer, @Nullable String> before = copy(t.states.get(0));
        before.put(row, history.get(history.size() - 1));
        t.states.set(0, before);
      }
      history.add(text);
    }
    t.own.put(row, text);
    dirty.put(row, text);
  }

  private @Nullable String visible(Running t, int row) {
    List<@Nullable String> history = committed.getOrDefault(row, List.of());
    if (t.own.containsKey(row) && mode != Mode.BROKEN) {
      return t.own.get(row);
    }
    return switch (mode) {
      case SNAPSHOT -> history.get(t.snapshot.getOrDefault(row, 1) - 1);
      case READ_UNCOMMITTED ->
          dirty.containsKey(row) ? dirty.get(row) : history.get(history.size() - 1);
      default -> history.get(history.size() - 1);
    };
  }

  private @Nullable String newest(Running t, int row) {
    List<@Nullable String> history = committed.getOrDefault(row, List.of());
    return t.own.containsKey(row) && mode != Mode.BROKEN
        ? t.own.get(row)
        : history.get(history.size() - 1);
  }

  private void send(Running t, StatementKind kind, List<RowAccess> seen, boolean writesSeen) {
    while (t.states.size() <= t.statement) {
      t.states.add(copy(t.own));
    }
    t.sent++;
    events.add(
        new Event.StatementExecuted(
            t.session, t.id, t.statement, kind, kind.name(), "", seen, writesSeen, null));
  }

  private static Map<Integer, @Nullable String> copy(Map<Integer, @Nullable String> map) {
    return new LinkedHashMap<>(map);
  }

  private static RowAccess access(Access access, int row, String text) {
    String window = text.substring(Math.max(0, text.length() - WriterList.WINDOW_LENGTH));
    return new RowAccess(access, "t", row, WriterList.ofColumn(window));
  }
}
