package io.txwatch.bench.analysis;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Sessions that take turns at random under strict two-phase locking: what they do is serializable,
 * and the same for the same seed. A session that waits too long rolls back.
 *
 * @param <S> what a key's list is to the recorder; immutable
 */
final class Execution<S> {

  static final int SESSIONS = 20;
  static final int KEYS = 1000;
  static final int OPERATIONS_A_TRANSACTION = 5;

  /** So often a session asks for a lock before it gives up. */
  private static final int PATIENCE = 50;

  /**
   * One operation of a transaction, decided when it begins.
   *
   * @param append whether it appends; else it reads
   * @param key the number of the key
   * @param element what it appends, unlike any other; 0 if it reads
   */
  record Operation(boolean append, int key, long element) {}

  /** Takes down what happens. Transactions and elements are counted from 1, sessions from 0. */
  interface Recorder<S> {
    /** The list of a key that was never appended to. */
    S empty();

    /** A transaction begins. */
    void began(int session, long transaction, List<Operation> operations) throws IOException;

    /** An operation read a list; its place in the transaction is counted from 1. */
    void read(int session, long transaction, int place, int key, S list) throws IOException;

    /** An operation appends to a list; what the list is then. */
    S append(int session, long transaction, int place, Operation operation, S list)
        throws IOException;

    /** A transaction ends. */
    void ended(int session, long transaction, boolean committed) throws IOException;
  }

  /** So many keys back nobody uses one any more. */
  private static final int KEPT_KEYS = 1 << 16;

  private static final class Key<S> {
    S list;
    int writer = -1;
    int readers;

    Key(S list) {
      this.list = list;
    }
  }

  private static final class Session<S> {
    long transaction;
    int done;
    int waited;
    List<Operation> operations = List.of();
    final List<S> before = new ArrayList<>();
  }

  private final Recorder<S> recorder;
  private final SplittableRandom random;
  private final int appendsAKey;
  private final Map<Integer, Key<S>> keys = new HashMap<>();
  private int keysMade;
  private final int[] current = new int[KEYS];
  private final int[] appends = new int[KEYS];
  private final List<Session<S>> sessions = new ArrayList<>();
  private long transactions;
  private long operations;
  private int running;

  /**
   * An execution that has not begun.
   *
   * @param appendsAKey after so many appends a key is replaced by a new one, so that lists stay
   *     short: as in Elle's own generator, {@code :max-writes-per-key}
   */
  Execution(Recorder<S> recorder, long seed, int appendsAKey) {
    this.recorder = recorder;
    this.random = new SplittableRandom(seed);
    this.appendsAKey = appendsAKey;
    for (int slot = 0; slot < KEYS; slot++) {
      current[slot] = newKey();
    }
    for (int i = 0; i < SESSIONS; i++) {
      sessions.add(new Session<>());
    }
  }

  /** Lets so many operations happen, and the transactions end that began. */
  void run(long count) throws IOException {
    runOn(count);
    while (running > 0) {
      turn(false);
    }
  }

  /** Lets operations happen until there were so many in all. */
  void runOn(long count) throws IOException {
    while (operations < count) {
      turn(true);
    }
  }

  private void turn(boolean mayBegin) throws IOException {
    int number = random.nextInt(SESSIONS);
    Session<S> session = sessions.get(number);
    if (session.transaction == 0) {
      if (mayBegin) {
        begin(number, session);
        running++;
      }
    } else if (session.done == session.operations.size()) {
      end(number, session, true);
      running--;
    } else if (!step(number, session) && ++session.waited > PATIENCE) {
      end(number, session, false);
      running--;
    }
  }

  private int newKey() {
    keys.remove(keysMade - KEPT_KEYS);
    keys.put(keysMade, new Key<>(recorder.empty()));
    return keysMade++;
  }

  private Key<S> key(Operation operation) {
    return Objects.requireNonNull(keys.get(operation.key()));
  }

  private void begin(int number, Session<S> session) throws IOException {
    session.transaction = ++transactions;
    session.done = 0;
    session.waited = 0;
    List<Operation> planned = new ArrayList<>(OPERATIONS_A_TRANSACTION);
    for (int i = 0; i < OPERATIONS_A_TRANSACTION; i++) {
      boolean append = random.nextBoolean();
      int slot = random.nextInt(KEYS);
      if (append && appends[slot]++ == appendsAKey) {
        current[slot] = newKey();
        appends[slot] = 1;
      }
      long element = append ? transactions * OPERATIONS_A_TRANSACTION + i : 0;
      planned.add(new Operation(append, current[slot], element));
    }
    session.operations = planned;
    recorder.began(number, session.transaction, planned);
  }

  /** Does the session's next operation; false if it has to wait. */
  private boolean step(int number, Session<S> session) throws IOException {
    Operation operation = session.operations.get(session.done);
    Key<S> key = key(operation);
    int others = key.readers & ~(1 << number);
    boolean written = key.writer >= 0 && key.writer != number;
    if (written || operation.append() && others != 0) {
      return false;
    }
    session.before.add(key.list);
    int place = ++session.done;
    operations++;
    if (operation.append()) {
      key.writer = number;
      key.list = recorder.append(number, session.transaction, place, operation, key.list);
    } else {
      key.readers |= 1 << number;
      recorder.read(number, session.transaction, place, operation.key(), key.list);
    }
    return true;
  }

  private void end(int number, Session<S> session, boolean committed) throws IOException {
    for (int i = session.done - 1; i >= 0; i--) {
      Key<S> key = key(session.operations.get(i));
      if (!committed && session.operations.get(i).append()) {
        key.list = session.before.get(i);
      }
      key.writer = key.writer == number ? -1 : key.writer;
      key.readers &= ~(1 << number);
    }
    recorder.ended(number, session.transaction, committed);
    session.transaction = 0;
    session.before.clear();
  }
}
