package io.txwatch.link;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.history.Event;
import io.txwatch.link.TopicRecord.Kind;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events of one process and one database to a topic, on a thread of its own. Adding an
 * event never waits for the broker: what is not written yet is kept in a bounded {@link Backlog}.
 *
 * <p>Records are sent in order, and after a failure again from the first that is not known to be
 * written. So a record can be in the topic twice, with the same number.
 */
final class TopicStream {

  /** How often the sessions that are open are repeated. */
  static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Together with an incomplete chunk it fits in a record. */
  private static final int MAX_EVENT_BYTES = 900_000;

  private static final long MIN_BACKOFF_MILLIS = 100;
  private static final long MAX_BACKOFF_MILLIS = 5_000;
  private static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Opens the topic, and receives what the stream reports. */
  interface Owner {
    TopicOutput output() throws IOException;

    /** A record was written. */
    void written();

    /** Nothing can be written, or was for {@link #STALLED_NANOS}, for that reason. */
    void failing(String reason);

    /** The broker does not accept a record, which is lost. */
    void rejected(String reason);
  }

  /** Every event that happened before a time is in the chunks up to a number. */
  private record Through(long chunk, long millis) {}

  private final long client;
  private final String service;
  private final String place;
  private final Owner owner;
  private final Backlog backlog;
  private final Thread thread;
  private final Queue<Through> throughs = new ConcurrentLinkedQueue<>();
  private final Object lock = new Object();

  // Guarded by lock.
  private int inFlight;
  private long lastProgress = System.nanoTime();
  private String failedSinceProgress = ""; // the last failure's message; empty without one
  private @Nullable String failure;

  private volatile Runnable waker = () -> {};
  private volatile boolean closing;
  private volatile long closeBy;
  private long caughtUpMillis;
  private long throughMillis;

  TopicStream(long client, String service, String place, long buffer, Owner owner) {
    this.client = client;
    this.service = service;
    this.place = place;
    this.owner = owner;
    this.backlog = new Backlog(buffer, service, MAX_EVENT_BYTES);
    this.thread = BackgroundThreads.create("txwatch-topic", this::run);
  }

  void start() {
    thread.start();
  }

  void setWaker(Runnable newWaker) {
    waker = newWaker;
  }

  /**
   * Keeps an event, or drops it.
   *
   * @return true if this event is the first one dropped
   */
  boolean add(Event event) {
    return backlog.add(event);
  }

  /** Every event that had happened at the previous call has been added. */
  void caughtUp(long nowMillis) {
    OptionalLong with = backlog.lastPendingChunk();
    if (caughtUpMillis > 0 && with.isPresent()) {
      throughs.add(new Through(with.getAsLong(), caughtUpMillis));
    }
    caughtUpMillis = nowMillis;
  }

  /** Begins to close: what is kept is still written until then. */
  void beginClose(long byNanos) {
    closeBy = byNanos;
    closing = true;
    backlog.wake();
    wake();
  }

  /**
   * Waits until it is closed, or the time is over.
   *
   * @return the number of events that were not written
   */
  long awaitClosed() throws InterruptedException {
    long rest = TimeUnit.NANOSECONDS.toMillis(closeBy - System.nanoTime());
    thread.join(Math.max(1, rest));
    return backlog.events() + backlog.dropped();
  }

  /** Why nothing has been written lately; empty if no record failed since the last one written. */
  String failure() {
    synchronized (lock) {
      return failedSinceProgress;
    }
  }

  private void run() {
    long backoff = MIN_BACKOFF_MILLIS;
    try {
      while (true) {
        boolean last = closing;
        boolean opened = false;
        long begun = System.nanoTime();
        try {
          TopicOutput output = owner.output();
          opened = true;
          if (writeAll(output)) {
            return;
          }
        } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
          fail(e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage());
        }
        String reason = takeFailure();
        // A broker that is busy, or creates the topic, writes what is sent again.
        boolean definite = !opened || isStalled();
        if (definite) {
          owner.failing(reason);
        }
        if (last && definite || isOverdue()) {
          return;
        }
        if (System.nanoTime() - begun > TimeUnit.MILLISECONDS.toNanos(2 * MAX_BACKOFF_MILLIS)) {
          backoff = MIN_BACKOFF_MILLIS;
        }
        sleep(last ? MIN_BACKOFF_MILLIS : backoff, last);
        backoff = Math.min(2 * backoff, MAX_BACKOFF_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isOverdue() {
    return closing && System.nanoTime() - closeBy > 0;
  }

  /** Writes until a record fails (false), or the stream is closed (true). */
  private boolean writeAll(TopicOutput output) throws IOException, InterruptedException {
    long sent = backlog.base();
    long beat = System.nanoTime() - HEARTBEAT_NANOS / 2;
    boolean woken = false;
    while (!hasFailed()) {
      if (isOverdue()) {
        return true;
      } else if (closing && backlog.isEmpty()) {
        send(output, Kind.END, sent, new byte[0]);
        awaitWritten();
        return !hasFailed();
      }
      long idle = System.nanoTime() - beat;
      if (idle >= HEARTBEAT_NANOS && !closing) {
        if (backlog.base() == sent) {
          send(output, Kind.SESSIONS, sent, openSessions());
          beat = System.nanoTime();
          woken = false;
        } else {
          awaitProgress();
        }
        continue;
      } else if (idle >= HEARTBEAT_NANOS / 2 && !woken) {
        woken = true;
        waker.run(); // an idle process states that nothing happened, too
      }
      // Once everything is sent, a closing stream only waits for callbacks.
      long wait = closing ? TimeUnit.MILLISECONDS.toNanos(20) : HEARTBEAT_NANOS / 4;
      var next = backlog.after(sent, wait, closing);
      if (next.isPresent()) {
        sent = next.get().number();
        send(output, Kind.EVENTS, sent, next.get().chunk().bytes());
      } else {
        reportStall();
      }
    }
    return false;
  }

  private byte[] openSessions() {
    byte[] sessions = backlog.openSessionRecords();
    // Of so many, a reader that begins in the middle learns none.
    return sessions.length > TopicRecord.MAX_VALUE_BYTES ? new byte[0] : sessions;
  }

  private void send(TopicOutput output, Kind kind, long number, byte[] value) throws IOException {
    for (Through next = throughs.peek();
        next != null && next.chunk <= number;
        next = throughs.peek()) {
      throughMillis = next.millis;
      throughs.remove();
    }
    synchronized (lock) {
      if (inFlight++ == 0 && failedSinceProgress.isEmpty()) {
        lastProgress = System.nanoTime();
      }
    }
    TopicRecord sent = new TopicRecord(client, number, kind, throughMillis, service, place, value);
    try {
      output.send(sent, (result, message) -> done(sent, result, message));
    } catch (IOException | RuntimeException | Error e) {
      synchronized (lock) {
        inFlight--;
      }
      throw e;
    }
  }

  private void done(TopicRecord sent, TopicOutput.Result result, String message) {
    boolean after;
    synchronized (lock) {
      inFlight--;
      after = failure != null;
      if (!after && result == TopicOutput.Result.FAILED) {
        fail(message);
      } else if (!after) {
        lastProgress = System.nanoTime();
        failedSinceProgress = "";
      }
      lock.notifyAll();
    }
    if (after || result == TopicOutput.Result.FAILED) {
      backlog.wake();
      return; // this record and those after it are sent again
    }
    if (sent.kind() == Kind.EVENTS) {
      backlog.acknowledged(sent.number());
    }
    if (result == TopicOutput.Result.REJECTED) {
      owner.rejected(message);
    } else {
      owner.written();
    }
  }

  private void reportStall() {
    boolean stalled;
    synchronized (lock) {
      stalled = inFlight > 0 && isStalled();
    }
    if (stalled) {
      owner.failing("no answer for " + TimeUnit.NANOSECONDS.toSeconds(STALLED_NANOS) + " s");
    }
  }

  private boolean isStalled() {
    synchronized (lock) {
      return System.nanoTime() - lastProgress > STALLED_NANOS;
    }
  }

  private boolean hasFailed() {
    synchronized (lock) {
      return failure != null;
    }
  }

  private void fail(String message) {
    synchronized (lock) {
      failure = failure == null ? message : failure;
      failedSinceProgress = failure;
    }
  }

  /** Waits until no record is in flight, which could be written after one that is sent again. */
  private String takeFailure() throws InterruptedException {
    synchronized (lock) {
      while (inFlight > 0 && !isOverdue()) {
        TimeUnit.MILLISECONDS.timedWait(lock, 100);
      }
      String taken = failure == null ? "" : failure;
      failure = null;
      return taken;
    }
  }

  private void awaitWritten() throws InterruptedException {
    synchronized (lock) {
      while (inFlight > 0 && failure == null && !isOverdue()) {
        TimeUnit.MILLISECONDS.timedWait(lock, 100);
      }
    }
  }

  private void awaitProgress() throws InterruptedException {
    synchronized (lock) {
      if (inFlight > 0 && failure == null && !closing) {
        TimeUnit.MILLISECONDS.timedWait(lock, 100);
      }
    }
    reportStall();
  }

  /** Sleeps; a stream that was not closing when it failed, until it is closed at most. */
  private void sleep(long millis, boolean wasClosing) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    synchronized (lock) {
      for (long rest = until - System.nanoTime();
          rest > 0 && closing == wasClosing;
          rest = until - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(lock, Math.max(1_000_000, rest));
      }
    }
  }

  private void wake() {
    synchronized (lock) {
      lock.notifyAll();
    }
  }
}
