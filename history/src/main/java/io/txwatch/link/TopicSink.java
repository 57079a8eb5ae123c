package io.txwatch.link;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes events to a topic: a {@linkplain TopicStream stream} for each database.
 *
 * <p>{@link #accept} encodes the event and never waits for a broker. One line each reports that no
 * broker answers, that one answers again, and dropped events. Called by one thread.
 */
final class TopicSink implements EventSink {

  private static final long CLOSE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long CLOSE_OUTPUT_TIMEOUT_MILLIS = 500;

  /** Further databases share the last stream: each stream has a thread and a buffer. */
  private static final int MAX_STREAMS = 16;

  private static final SecureRandom RANDOM = new SecureRandom();

  private final TopicAddress address;
  private final TopicConnector connector;
  private final Properties options;
  private final long buffer;
  private final Locality locality;
  private final Consumer<String> warnings;
  private final Owner owner = new Owner();
  private final Map<String, TopicStream> streams = new ConcurrentHashMap<>();
  private final Map<Long, TopicStream> streamOfSession = new HashMap<>();
  private Runnable waker = () -> {};
  private @Nullable TopicStream last;
  private boolean droppingReported;

  /**
   * Opens nothing yet.
   *
   * @param options of the broker's client
   * @param buffer the maximum size of what is not written yet, in bytes for each database
   * @param service the display name of this process; empty for a generated one
   * @param warnings receives lines about failures
   */
  TopicSink(
      TopicAddress address,
      TopicConnector connector,
      Properties options,
      long buffer,
      String service,
      Consumer<String> warnings) {
    this.address = address;
    this.connector = connector;
    this.options = options;
    this.buffer = buffer;
    this.locality = Locality.here(service, id());
    this.warnings = warnings;
  }

  private static long id() {
    long id = RANDOM.nextLong();
    return id == 0 ? 1 : id;
  }

  @Override
  public void accept(Event event) {
    Event qualified = locality.qualify(event);
    boolean firstDropped = false;
    for (TopicStream stream : streamsOf(qualified)) {
      firstDropped |= stream.add(qualified);
    }
    if (firstDropped && !droppingReported) {
      droppingReported = true;
      warnings.accept(
          address
              + ": the buffer is full, events are dropped and counted until there is room"
              + " (txwatch.buffer)");
    }
  }

  /** The stream of the event's session; all for an event of the whole process. */
  private Collection<TopicStream> streamsOf(Event event) {
    if (event instanceof Event.SessionOpened opened) {
      TopicStream stream = stream(opened.database().place());
      streamOfSession.put(event.session(), stream);
      return List.of(stream);
    }
    TopicStream stream =
        event instanceof Event.SessionClosed
            ? streamOfSession.remove(event.session())
            : streamOfSession.get(event.session());
    if (stream != null) {
      return List.of(stream);
    }
    // What concerns no session, as a gap, weakens what is known of each database.
    return streams.isEmpty() ? List.of(stream("")) : streams.values();
  }

  private TopicStream stream(String place) {
    TopicStream known = streams.get(place);
    if (known != null) {
      return known;
    } else if (last != null && streams.size() >= MAX_STREAMS) {
      return last;
    }
    TopicStream stream = new TopicStream(id(), locality.service(), place, buffer, owner);
    stream.setWaker(waker);
    streams.put(place, stream);
    last = stream;
    stream.start();
    return stream;
  }

  @Override
  public void caughtUp() {
    long now = System.currentTimeMillis();
    for (TopicStream stream : streams.values()) {
      stream.caughtUp(now);
    }
  }

  @Override
  public void setWaker(Runnable newWaker) {
    waker = newWaker;
    for (TopicStream stream : streams.values()) {
      stream.setWaker(newWaker);
    }
  }

  /**
   * Waits at most three seconds until the topic has everything. Reports the number of events that
   * it does not have.
   */
  @Override
  public void close() {
    long by = System.nanoTime() + CLOSE_TIMEOUT_NANOS;
    streams.values().forEach(stream -> stream.beginClose(by));
    long lost = 0;
    String reason = "";
    try {
      for (TopicStream stream : streams.values()) {
        lost += stream.awaitClosed();
        reason = reason.isEmpty() ? stream.failure() : reason;
      }
      Thread closer = BackgroundThreads.create("txwatch-topic-close", owner::closeOutput);
      closer.start();
      closer.join(CLOSE_OUTPUT_TIMEOUT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (lost > 0) {
      warnings.accept(
          address
              + ": "
              + lost
              + " events were not delivered"
              + (reason.isEmpty() ? "" : " (" + oneLine(reason) + ")"));
    }
  }

  /** The output that all streams use. */
  private final class Owner implements TopicStream.Owner {

    private final Object statusLock = new Object();
    private @Nullable TopicOutput output;
    private boolean closed;
    private volatile boolean away;
    private boolean rejectionReported;

    @Override
    public synchronized TopicOutput output() throws IOException {
      if (closed) {
        throw new IOException("closed");
      }
      TopicOutput opened = output;
      if (opened == null) {
        opened = connector.openOutput(address, options);
        output = opened;
      }
      return opened;
    }

    synchronized void closeOutput() {
      closed = true;
      if (output != null) {
        output.close();
      }
    }

    @Override
    public void written() {
      if (away) {
        synchronized (statusLock) {
          if (away) {
            away = false;
            warnings.accept(address + " is connected");
          }
        }
      }
    }

    @Override
    public void failing(String reason) {
      synchronized (statusLock) {
        if (!away) {
          away = true;
          warnings.accept(
              address
                  + " is not to be reached ("
                  + oneLine(reason)
                  + "); what happens waits for it, up to txwatch.buffer");
        }
      }
    }

    @Override
    public void rejected(String reason) {
      synchronized (statusLock) {
        if (!rejectionReported) {
          rejectionReported = true;
          warnings.accept(
              address + " does not accept a record, its events are lost: " + oneLine(reason));
        }
      }
    }
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cntrl}+", " ");
  }
}
