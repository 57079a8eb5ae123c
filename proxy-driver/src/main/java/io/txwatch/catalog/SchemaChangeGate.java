package io.txwatch.catalog;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/**
 * Keeps {@code txwatch.prepare=auto} and the watched sessions of this process apart: a table is
 * changed while no session has a snapshot that the change would break, and none is sending a
 * statement that was planned before the change.
 *
 * <p>MySQL and MariaDB refuse a snapshot older than the table's definition (error 1412). To an
 * older snapshot of PostgreSQL a table that was rewritten is empty. A SQLite transaction that has
 * read can no longer write. And where {@code *} shows the auxiliary columns, a text that was
 * planned for a table without them would show them.
 *
 * <p>A session {@linkplain #enter enters} before it plans a statement and {@linkplain Session#leave
 * leaves} once the server has executed it, by when its transaction is noted. To enter, it first
 * states that it is inside, then examines the gate; anyone who changes a table first closes the
 * gate, then examines the sessions: at least one of them sees the other. Before the gate is opened,
 * the change is {@linkplain #changed counted}, so that anyone who enters next plans again.
 *
 * <p>Sessions belong to one database if their URLs do, whatever the driver and the parameters.
 */
public final class SchemaChangeGate {

  /** A statement waits no longer than this for a change, which takes milliseconds. */
  private static final long MAX_WAIT_NANOS = 2_000_000_000L;

  /** A statement that a session did not come to send, having failed before, is forgotten then. */
  private static final long MAX_INSIDE_NANOS = 2_000_000_000L;

  private static final long POLL_NANOS = 500_000;

  private static final Pattern DRIVER = Pattern.compile("^jdbc:[a-z]+:");

  /** By database; each is there as long as somebody uses it. */
  private static final Cache<String, SchemaChangeGate> ALL =
      Caffeine.newBuilder().weakValues().executor(Runnable::run).build();

  /** Weak, for a connection may be abandoned without being closed. */
  private final Set<Session> sessions =
      Collections.newSetFromMap(
          Caffeine.newBuilder()
              .weakKeys()
              .executor(Runnable::run)
              .<Session, Boolean>build()
              .asMap());

  private final AtomicInteger changing = new AtomicInteger();
  private final AtomicLong changes = new AtomicLong();

  private SchemaChangeGate() {}

  /** A session to the database. */
  static final class Session {
    private final SessionView view;

    /** When it last entered; 0 if it is not inside. */
    private volatile long enteredNanos;

    private Session(SessionView view) {
      this.view = view;
    }

    private boolean isInside(long maxNanos) {
      long entered = enteredNanos;
      return entered != 0 && System.nanoTime() - entered < maxNanos;
    }

    /** The statement was executed. */
    void leave() {
      enteredNanos = 0;
    }
  }

  /**
   * Those of a database.
   *
   * @param place its URL without parameters
   */
  static SchemaChangeGate of(String place) {
    String database =
        DRIVER
            .matcher(place.toLowerCase(Locale.ROOT))
            .replaceFirst("")
            .replace("//localhost", "//127.0.0.1");
    return ALL.get(database, key -> new SchemaChangeGate());
  }

  Session add(SessionView view) {
    Session session = new Session(view);
    sessions.add(session);
    return session;
  }

  void remove(Session session) {
    sessions.remove(session);
  }

  /** True if some session holds a snapshot. */
  public boolean areHeld() {
    return sessions.stream().anyMatch(session -> session.view.holdsSnapshot());
  }

  /** True if some session has a transaction open, which may hold locks on tables. */
  public boolean hasTransactions() {
    return sessions.stream().anyMatch(session -> session.view.hasBegun());
  }

  /** How many tables were changed. */
  long changes() {
    return changes.get();
  }

  // ---------------------------------------------------------------- who changes a table

  /** A table is about to be changed: sessions that enter wait. */
  public void closeGate() {
    changing.incrementAndGet();
  }

  /**
   * Waits for the sessions that are inside to leave.
   *
   * @param own the session of the caller
   * @return false if one was still inside when the time was over
   */
  public boolean awaitOthers(SessionView own, long maxNanos) {
    return await(
        () -> sessions.stream().noneMatch(s -> s.view != own && s.isInside(MAX_INSIDE_NANOS)),
        maxNanos);
  }

  /** A table was changed. To be called before the gate is opened. */
  public void changed() {
    changes.incrementAndGet();
  }

  /** The change is over. */
  public void openGate() {
    changing.decrementAndGet();
  }

  // ---------------------------------------------------------------- who sends a statement

  /** A statement is about to be planned and sent: waits while a table is changed. */
  void enter(Session session) {
    if (session.isInside(MAX_INSIDE_NANOS / 2)) {
      session.enteredNanos = now(); // a plan that was made since it entered must hold
      return;
    }
    long end = System.nanoTime() + MAX_WAIT_NANOS;
    while (true) {
      session.enteredNanos = now();
      if (changing.get() == 0 || System.nanoTime() - end >= 0) {
        return;
      }
      session.leave();
      if (!await(() -> changing.get() == 0, end - System.nanoTime())) {
        end = System.nanoTime();
      }
    }
  }

  private static long now() {
    return System.nanoTime() | 1;
  }

  /** False if it did not come true in time, or the thread was interrupted. */
  private static boolean await(BooleanSupplier condition, long maxNanos) {
    long end = System.nanoTime() + maxNanos;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end >= 0) {
        return false;
      }
      try {
        TimeUnit.NANOSECONDS.sleep(POLL_NANOS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}
