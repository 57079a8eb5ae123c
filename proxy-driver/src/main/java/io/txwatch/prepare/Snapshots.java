package io.txwatch.prepare;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * Which watched sessions of this process read from a snapshot that a changed table would break, and
 * a gate that keeps further ones waiting while a table is changed.
 *
 * <p>MySQL and MariaDB refuse a snapshot older than the table's definition (error 1412). To an
 * older snapshot of PostgreSQL a table that was rewritten is empty. A SQLite transaction that has
 * read can no longer write. So a table is changed only while no watched session holds such a
 * snapshot. A session first notes its transaction, then looks at the gate; whoever changes a table
 * first closes the gate, then looks at the sessions: at least one of them sees the other.
 *
 * <p>Sessions belong to one database if their URLs do, whatever the driver and the parameters.
 */
final class Snapshots {

  /** A statement waits no longer than this for a change, which takes milliseconds. */
  private static final long MAX_WAIT_NANOS = 2_000_000_000L;

  private static final long POLL_NANOS = 500_000;

  private static final Pattern DRIVER = Pattern.compile("^jdbc:[a-z]+:");

  /** By database; each is there as long as somebody uses it. */
  private static final Cache<String, Snapshots> ALL =
      Caffeine.newBuilder().weakValues().executor(Runnable::run).build();

  private final Set<SessionView> sessions = ConcurrentHashMap.newKeySet();
  private final AtomicInteger changes = new AtomicInteger();

  private Snapshots() {}

  /**
   * Those of a database.
   *
   * @param place its URL without parameters
   */
  static Snapshots of(String place) {
    String database =
        DRIVER
            .matcher(place.toLowerCase(Locale.ROOT))
            .replaceFirst("")
            .replace("//localhost", "//127.0.0.1");
    return ALL.get(database, key -> new Snapshots());
  }

  void add(SessionView session) {
    sessions.add(session);
  }

  void remove(SessionView session) {
    sessions.remove(session);
  }

  /** True if some session holds a snapshot. */
  boolean areHeld() {
    for (SessionView session : sessions) {
      if (session.holdsSnapshot()) {
        return true;
      }
    }
    return false;
  }

  /** True if some session has a transaction open, which may hold locks on tables. */
  boolean hasTransactions() {
    for (SessionView session : sessions) {
      if (session.hasBegun()) {
        return true;
      }
    }
    return false;
  }

  /** A table is about to be changed: sessions that begin a transaction wait. */
  void closeGate() {
    changes.incrementAndGet();
  }

  /** The change is over. */
  void openGate() {
    changes.decrementAndGet();
  }

  /** Waits while a table is changed. To be called once the session's transaction is noted. */
  void awaitGate() {
    if (changes.get() == 0) {
      return;
    }
    long end = System.nanoTime() + MAX_WAIT_NANOS;
    while (changes.get() > 0 && System.nanoTime() - end < 0) {
      try {
        TimeUnit.NANOSECONDS.sleep(POLL_NANOS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
