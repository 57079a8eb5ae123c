package io.txwatch.bench.analysis;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Simulates sessions that interleave randomly under strict two-phase locking: the history is
 * serializable and depends only on the seed. A session that waits too long for a lock rolls back.
 *
 * @param <S> the recorder's representation of a key's list; immutable
 */
final class TwoPhaseLockingSimulation<S> {

  static final long SEED = 20_261_121;
  static final int SESSIONS = 20;
  static final int KEYS = 1000;
  static final int OPERATIONS_PER_TRANSACTION = 5;

  /** The number of attempts to acquire a lock before the session rolls back. */
  private static final int MAX_LOCK_ATTEMPTS = 50;

  /**
   * An operation of a transaction, drawn when the transaction begins.
   *
   * @param append true if it appends; false if it reads
   * @param key the number of the key
   * @param element the element that it appends, unique; 0 if it reads
   */
  record Operation(boolean append, int key, long element) {}

  /** Records a simulation. Transactions and elements are numbered from 1, sessions from 0. */
  interface Recorder<S> {
    /** The list of a new key. */
    S empty();

    /** A transaction begins. */
    void began(int session, long transaction, List<Operation> operations) throws IOException;

    /** An operation reads a list; its position in the transaction counts from 1. */
    void read(int session, long transaction, int position, int key, S list) throws IOException;

    /** An operation appends to a list; returns the new list. */
    S append(int session, long transaction, int position, Operation operation, S list)
        throws IOException;

    /** A transaction ends. */
    void ended(int session, long transaction, boolean committed) throws IOException;
  }

  /** Older keys are not used any more. */
  private static final int RETAINED_KEYS = 1 << 16;

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
    int lockAttempts;
    List<Operation> operations = List.of();
    final List<S> listsBefore = new ArrayList<>();
  }

  private final Recorder<S> recorder;
  private final SplittableRandom random;
  private final int appendsPerKey;
  private final Map<Integer, Key<S>> keys = new HashMap<>();
  private int keysCreated;
  private final int[] currentKeys = new int[KEYS];
  private final int[] appends = new int[KEYS];
  private final List<Session<S>> sessions = new ArrayList<>();
  private long transactions;
  private long operations;
  private int running;

  /**
   * Prepares a simulation.
   *
   * @param appendsPerKey the number of appends after which a key is replaced, so that lists stay
   *     short: {@code :max-writes-per-key} of Elle's generator
   */
  TwoPhaseLockingSimulation(Recorder<S> recorder, long seed, int appendsPerKey) {
    this.recorder = recorder;
    this.random = new SplittableRandom(seed);
    this.appendsPerKey = appendsPerKey;
    for (int slot = 0; slot < KEYS; slot++) {
      currentKeys[slot] = newKey();
    }
    for (int i = 0; i < SESSIONS; i++) {
      sessions.add(new Session<>());
    }
  }

  /** Simulates until {@code count} operations have run and all transactions have ended. */
  void run(long count) throws IOException {
    runUntil(count);
    while (running > 0) {
      takeTurn(false);
    }
  }

  /** Simulates until {@code count} operations have run in total. */
  void runUntil(long count) throws IOException {
    while (operations < count) {
      takeTurn(true);
    }
  }

  private void takeTurn(boolean mayBegin) throws IOException {
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
    } else if (!step(number, session) && ++session.lockAttempts > MAX_LOCK_ATTEMPTS) {
      end(number, session, false);
      running--;
    }
  }

  private int newKey() {
    keys.remove(keysCreated - RETAINED_KEYS);
    keys.put(keysCreated, new Key<>(recorder.empty()));
    return keysCreated++;
  }

  private Key<S> key(Operation operation) {
    return Objects.requireNonNull(keys.get(operation.key()));
  }

  private void begin(int number, Session<S> session) throws IOException {
    session.transaction = ++transactions;
    session.done = 0;
    session.lockAttempts = 0;
    List<Operation> planned = new ArrayList<>(OPERATIONS_PER_TRANSACTION);
    for (int i = 0; i < OPERATIONS_PER_TRANSACTION; i++) {
      boolean append = random.nextBoolean();
      int slot = random.nextInt(KEYS);
      if (append && appends[slot]++ == appendsPerKey) {
        currentKeys[slot] = newKey();
        appends[slot] = 1;
      }
      long element = append ? transactions * OPERATIONS_PER_TRANSACTION + i : 0;
      planned.add(new Operation(append, currentKeys[slot], element));
    }
    session.operations = planned;
    recorder.began(number, session.transaction, planned);
  }

  /** Executes the session's next operation; false if it has to wait for a lock. */
  private boolean step(int number, Session<S> session) throws IOException {
    Operation operation = session.operations.get(session.done);
    Key<S> key = key(operation);
    int others = key.readers & ~(1 << number);
    boolean written = key.writer >= 0 && key.writer != number;
    if (written || operation.append() && others != 0) {
      return false;
    }
    session.listsBefore.add(key.list);
    int position = ++session.done;
    operations++;
    if (operation.append()) {
      key.writer = number;
      key.list = recorder.append(number, session.transaction, position, operation, key.list);
    } else {
      key.readers |= 1 << number;
      recorder.read(number, session.transaction, position, operation.key(), key.list);
    }
    return true;
  }

  private void end(int number, Session<S> session, boolean committed) throws IOException {
    for (int i = session.done - 1; i >= 0; i--) {
      Key<S> key = key(session.operations.get(i));
      if (!committed && session.operations.get(i).append()) {
        key.list = session.listsBefore.get(i);
      }
      key.writer = key.writer == number ? -1 : key.writer;
      key.readers &= ~(1 << number);
    }
    recorder.ended(number, session.transaction, committed);
    session.transaction = 0;
    session.listsBefore.clear();
  }
}
