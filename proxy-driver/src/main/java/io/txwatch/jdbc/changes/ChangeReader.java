package io.txwatch.jdbc.changes;

import io.txwatch.capture.Pipeline;
import io.txwatch.catalog.Uninterrupted;
import io.txwatch.changes.ChangeEvents;
import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeListener;
import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.SchemaChange;
import io.txwatch.history.BackgroundThreads;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.ValueHash;
import io.txwatch.jdbc.log.Notices;
import java.io.IOException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads what one DBMS records of its changes, for all databases of it that are watched.
 *
 * <p><b>How far the record was read.</b> The analyzer keeps a transaction until the record was read
 * through its end. Sessions {@linkplain #ended note} the time of each end, which costs a write and
 * a read of shared memory. This reader's thread compares it with the time through which the record
 * was read, and only if it is later asks the DBMS for the end of the record, at most every {@value
 * #PAUSE_MILLIS} ms. While no transaction ends, the thread sleeps and nothing is sent.
 *
 * <p>A database that is no longer watched is left {@value #LINGER_MILLIS} ms after its last
 * connection was closed, so that a pool that closes each connection starts no reader for each; with
 * the last database the reader ends. If the record cannot be read, the reason is printed once, and
 * reading is tried again every {@value #RETRY_SECONDS} s. A database in memory may be closed before
 * its connections are: then its record is complete.
 */
public final class ChangeReader {

  static final long PAUSE_MILLIS = 20;
  static final long LINGER_MILLIS = 1_000;
  static final long RETRY_SECONDS = 60;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
  private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(LINGER_MILLIS);
  private static final long MAX_LINGER_NANOS = 4 * LINGER_NANOS;
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(RETRY_SECONDS);
  private static final long CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** An interruption of reading that is longer is reported while it lasts. */
  private static final long OUTAGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Records of which a line states that they cannot be read; another one states when that is over.
   */
  private static final Set<String> UNREAD = ConcurrentHashMap.newKeySet();

  private final ChangeRecord record;
  private final List<Scope> scopes = new CopyOnWriteArrayList<>();
  private final AtomicLong lastEnd = new AtomicLong(Long.MIN_VALUE);
  private final Thread thread;
  private volatile boolean asleep;
  private boolean listening;
  private boolean ended;

  /** What is printed when the record is read; empty while it is not. */
  private List<String> announcement = List.of();

  /** Why it cannot be read; null if it can, or was not tried yet. */
  private @Nullable String failure;

  private long outageSince;
  private boolean outageReported;

  private long reconnects;

  ChangeReader(ChangeRecord record) {
    this.record = record;
    this.thread = BackgroundThreads.create("txwatch-changes", this::run);
  }

  void start() {
    thread.start();
  }

  /** A database that sessions of one pipeline watch. */
  private final class Scope {
    private final Pipeline pipeline;
    private final Database database;
    private final String home;
    private final EventSink sink;
    private final long session;
    private final Runnable catchUp = this::catchUp;

    /** Open until the record was read through the beginning, or cannot be read. */
    private final CountDownLatch ready = new CountDownLatch(1);

    /** False while it is only tried whether the record can be read: then nothing is printed. */
    private boolean isWanted;

    private volatile boolean isRead;

    /** Whether statements may have been executed before the record was read. */
    private volatile boolean isUsed;

    private int leases;
    private long unusedSince;
    private volatile @Nullable ChangeEvents events;

    Scope(Pipeline pipeline, Database database, String home) {
      this.pipeline = pipeline;
      this.database = database;
      this.home = home;
      this.sink = pipeline.acquire();
      this.session = pipeline.ids().next();
      pipeline.addCatchUp(catchUp);
    }

    void open() {
      if (events == null) {
        events =
            new ChangeEvents(
                session,
                record.name().replaceFirst("^the ", ""),
                database,
                record.comparesPadding(),
                home,
                ValueHash.ofThisProcess(),
                (table, key) -> pipeline.isNewKey(database, table, key, key),
                this::emit);
        if (isUsed || ready.getCount() == 0) {
          used();
        }
      }
    }

    /** A session does not wait until the record was read. */
    void used() {
      isUsed = true;
      ChangeEvents open = events;
      if (open != null) {
        open.used();
      }
    }

    private void emit(Event event) {
      sink.accept(event);
      if (event instanceof Event.ChangesRead) {
        isRead = true;
        ready.countDown();
      }
    }

    boolean isBehind(long nanos) {
      ChangeEvents open = events;
      return open != null && open.through() < nanos;
    }

    void close() {
      pipeline.removeCatchUp(catchUp);
      if (events != null) {
        sink.accept(new Event.SessionClosed(session));
      }
      pipeline.release(sink);
      ready.countDown();
    }

    /** The record is read through the present time, if it can be within a second. */
    private void catchUp() {
      long now = System.nanoTime();
      ended(now);
      while (isBehind(now) && thread.isAlive() && System.nanoTime() - now < CATCH_UP_NANOS) {
        LockSupport.parkNanos(PAUSE_NANOS / 10);
        if (Thread.currentThread().isInterrupted()) {
          return;
        }
      }
    }
  }

  /**
   * A connection to a database of this server is watched.
   *
   * @param isTrial true if it is tried only whether the record can be read, and nothing printed
   * @return empty if this reader has ended
   */
  synchronized @Nullable Lease acquire(
      Pipeline pipeline, Database database, String home, boolean isTrial) {
    if (ended) {
      return null;
    }
    for (Scope scope : scopes) {
      if (scope.pipeline == pipeline
          && scope.home.equals(home)
          && scope.database.scope().equals(database.scope())) {
        scope.leases++;
        want(scope, isTrial);
        return new Lease(this, scope);
      }
    }
    Scope scope = new Scope(pipeline, database, home);
    scope.leases = 1;
    if (listening) {
      scope.open();
    }
    scopes.add(scope);
    want(scope, isTrial);
    if (failure != null) {
      scope.ready.countDown();
    }
    ended(System.nanoTime()); // the record is read through its beginning
    return new Lease(this, scope);
  }

  private void want(Scope scope, boolean isTrial) {
    if (!isTrial && !scope.isWanted) {
      scope.isWanted = true;
      announce();
    }
  }

  /** Prints that the record is read, or why not, unless that is only tried. */
  private synchronized void announce() {
    if (scopes.stream().noneMatch(scope -> scope.isWanted)) {
      return;
    }
    announcement.forEach(this::printFirst);
    if (failure != null) {
      Notices.printFirst(
          record.kind() + " not read: " + failure,
          "no row versions come from "
              + record.name()
              + ", so that what is read and written is recorded and not resolved: "
              + failure);
    }
  }

  private void printFirst(String line) {
    Notices.printFirst(line.replace(record.name(), record.kind()), line);
  }

  private synchronized String whyNot(Scope scope) {
    return scope.isRead ? "" : failure == null ? "it was not read in time" : failure;
  }

  /** One watched connection's share in a reader. */
  public static final class Lease implements ChangeReading {
    private final ChangeReader reader;
    private final Scope scope;

    private Lease(ChangeReader reader, Scope scope) {
      this.reader = reader;
      this.scope = scope;
    }

    /** What is read. */
    public ChangeRecord record() {
      return reader.record;
    }

    void await(Duration limit) {
      if (!Uninterrupted.await(scope.ready, limit)) {
        scope.used();
        if (!UNREAD.contains(reader.record.name())) {
          reader.printFirst(
              "row versions from "
                  + reader.record.name()
                  + " are not read yet; transactions until then are recorded and not resolved");
        }
      }
    }

    /** Why the record cannot be read; empty if it is read. Waits so long until that is known. */
    String tried(Duration limit) {
      boolean unused = Uninterrupted.await(scope.ready, limit);
      return reader.whyNot(scope);
    }

    @Override
    public void ended(long nanos) {
      reader.ended(nanos);
    }

    @Override
    public void executed(String sql) {
      reader.record.executed(scope.home, sql);
    }

    @Override
    public void close() {
      synchronized (reader) {
        if (--scope.leases == 0) {
          scope.unusedSince = System.nanoTime();
        }
      }
      reader.wake();
    }
  }

  synchronized boolean hasEnded() {
    return ended;
  }

  private void ended(long nanos) {
    if (nanos > lastEnd.get()) {
      lastEnd.accumulateAndGet(nanos, Math::max);
      if (asleep) {
        wake();
      }
    }
  }

  private void wake() {
    LockSupport.unpark(thread);
  }

  private void run() {
    ChangeSource source = null;
    long pause = PAUSE_NANOS;
    while (closeUnused(source != null)) {
      if (source == null) {
        source = startedSource();
        if (source == null) {
          scopes.forEach(scope -> scope.ready.countDown());
          sleepUntil(System.nanoTime() + RETRY_NANOS);
          continue;
        }
      }
      long wanted = lastEnd.get();
      if (scopes.stream().noneMatch(scope -> scope.isBehind(wanted))) {
        pause = PAUSE_NANOS;
        asleep = true;
        if (lastEnd.get() == wanted) {
          park(unusedNanos());
        }
        asleep = false;
        continue;
      }
      if (source.state() == ChangeSource.State.CLOSED) {
        complete(source);
      } else if (askEnd(source)) {
        pause = PAUSE_NANOS;
      } else {
        pause = Math.min(pause + pause / 4, MAX_PAUSE_NANOS);
      }
      watch(source);
      LockSupport.parkNanos(this, pause);
    }
    if (source != null) {
      source.close();
    }
  }

  private static void park(long nanos) {
    if (nanos == Long.MAX_VALUE) {
      LockSupport.park();
    } else {
      LockSupport.parkNanos(nanos);
    }
  }

  /** Sleeps until then, unless a database is to be left before. */
  private void sleepUntil(long deadline) {
    for (long left = deadline - System.nanoTime();
        left > 0 && unusedNanos() > 0;
        left = deadline - System.nanoTime()) {
      park(Math.min(left, unusedNanos()));
    }
  }

  /** How long it takes until a database is to be left; {@link Long#MAX_VALUE} if all are used. */
  private synchronized long unusedNanos() {
    long least = Long.MAX_VALUE;
    for (Scope scope : scopes) {
      if (scope.leases == 0) {
        least = Math.min(least, scope.unusedSince + LINGER_NANOS - System.nanoTime());
      }
    }
    return least;
  }

  /** Leaves what is no longer watched; false if that was all. */
  private synchronized boolean closeUnused(boolean isReading) {
    for (Scope scope : scopes) {
      long unused = System.nanoTime() - scope.unusedSince;
      if (scope.leases == 0
          && unused >= LINGER_NANOS
          && (unused >= MAX_LINGER_NANOS || !isReading || !scope.isBehind(lastEnd.get()))) {
        scopes.remove(scope);
        scope.close();
      }
    }
    ended = scopes.isEmpty();
    return !ended;
  }

  /** Starts to read; null if the log cannot be read, which is printed. */
  private @Nullable ChangeSource startedSource() {
    ChangeSource source = null;
    try {
      ChangeRecord.Opened opened = record.open();
      source = opened.source();
      synchronized (this) {
        listening = true;
        scopes.forEach(Scope::open);
      }
      source.start(new ForAllScopes());
      List<String> lines = new ArrayList<>();
      lines.add("row versions come from " + record.name());
      opened.limits().forEach(limit -> lines.add(record.name() + ": " + limit));
      synchronized (this) {
        announcement = lines;
        failure = null;
      }
      announce();
      printOver(); // another reader has ended meanwhile
      ended(System.nanoTime());
      return source;
    } catch (IOException | RuntimeException | LinkageError e) {
      if (source != null) {
        source.close();
      }
      synchronized (this) {
        failure = String.valueOf(e.getMessage());
      }
      announce();
      return null;
    }
  }

  /** The database was closed: nothing is added to what was read. */
  private void complete(ChangeSource source) {
    long now = System.nanoTime();
    for (Scope scope : scopes) {
      ChangeEvents events = scope.events;
      if (events != null) {
        events.readThrough(now, source.position(), source);
      }
    }
  }

  /** Asks for the end of the record, for the databases that do not wait for an earlier one. */
  private boolean askEnd(ChangeSource source) {
    if (source.state() != ChangeSource.State.READING) {
      return false;
    }
    try {
      long now = System.nanoTime();
      LogPosition end = null;
      for (Scope scope : scopes) {
        ChangeEvents events = scope.events;
        if (events != null && events.through() < lastEnd.get() && !events.isWaiting()) {
          end = end == null ? source.endOfLog() : end;
          events.readThrough(now, end, source);
        }
      }
      return end != null;
    } catch (IOException | RuntimeException e) {
      return false; // tried again after a pause
    }
  }

  /** Prints that the record is read again, if a line reported that it is not. */
  private boolean printOver() {
    return UNREAD.remove(record.name())
        && Notices.printAgain("row versions come from " + record.name() + " again, since " + now());
  }

  private static String now() {
    return LocalTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS) + " UTC";
  }

  /** Prints that the record is not read for some time, and that its connection was lost. */
  private void watch(ChangeSource source) {
    long lost = source.statistics().reconnects();
    if (source.state() != ChangeSource.State.CONNECTING) {
      if (!printOver() && lost > reconnects) {
        Notices.printAgain(
            "the connection that reads "
                + record.name()
                + " was lost and opened again; reading goes on where it ended");
      }
      reconnects = lost;
      outageSince = 0;
      outageReported = false;
      return;
    }
    long now = System.nanoTime();
    outageSince = outageSince == 0 ? now : outageSince;
    if (!outageReported && now - outageSince > OUTAGE_NANOS) {
      outageReported = true;
      boolean isPrinted =
          Notices.printAgain(
              "no row versions come from "
                  + record.name()
                  + " until it can be read again: "
                  + (source.problem().isEmpty()
                      ? "the DBMS has not answered yet"
                      : source.problem()));
      if (isPrinted) {
        UNREAD.add(record.name());
      }
    }
  }

  /** What is read concerns each database that is watched. */
  private final class ForAllScopes implements ChangeListener {
    @Override
    public void transaction(ChangedTransaction transaction) {
      forEach(events -> events.transaction(transaction));
    }

    @Override
    public void gap(ChangeGap gap) {
      forEach(events -> events.gap(gap));
    }

    @Override
    public void schemaChange(SchemaChange change) {
      forEach(events -> events.schemaChange(change));
    }

    @Override
    public void position(LogPosition position, boolean caughtUp) {
      forEach(events -> events.position(position, caughtUp));
    }

    private void forEach(java.util.function.Consumer<ChangeEvents> use) {
      for (Scope scope : scopes) {
        ChangeEvents events = scope.events;
        if (events != null) {
          use.accept(events);
        }
      }
    }
  }
}
