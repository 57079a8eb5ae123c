package io.txwatch.link;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.link.TopicRecord.Kind;
import io.txwatch.link.wire.Frame;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a topic as a client of a shared analyzer. Chunks are kept until acknowledged, and
 * sent again over another connection. Used by one thread; another one reads the acknowledgements.
 */
final class RelayedStream {

  private static final long MAX_UNACKNOWLEDGED_BYTES = 4 << 20;
  private static final int CONNECT_TIMEOUT_MILLIS = 5_000;
  private static final long RETRY_MILLIS = 500;
  private static final long END_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * By how much the clocks of two machines may differ. Beyond that, an anomaly may be missed
   * between transactions that ended and events that arrive later.
   */
  private static final long MAX_CLOCK_DIFFERENCE_MILLIS = 5_000;

  private final long client;
  private final String service;
  private final InetSocketAddress server;
  private final Optional<SSLContext> tls;
  private final String token;
  private final BooleanSupplier closing;

  private final Object lock = new Object();

  // Guarded by lock.
  private final Deque<TopicRecord> unacknowledged = new ArrayDeque<>();
  private long unacknowledgedBytes;
  private final Deque<Epoch> epochs = new ArrayDeque<>();

  /** An epoch that the analyzer announced, and when. */
  private record Epoch(long number, long millis) {}

  private @Nullable Link link;
  private long last;
  private long sent;
  private boolean started;
  private byte[] sessions = new byte[0];
  private long throughMillis;
  private boolean ended;
  private long lastRecordNanos = System.nanoTime();

  RelayedStream(
      long client,
      String service,
      InetSocketAddress server,
      Optional<SSLContext> tls,
      String token,
      BooleanSupplier closing) {
    this.client = client;
    this.service = service;
    this.server = server;
    this.tls = tls;
    this.token = token;
    this.closing = closing;
  }

  long client() {
    return client;
  }

  boolean hasEnded() {
    return ended;
  }

  boolean isSilent(long nanos) {
    return link != null && System.nanoTime() - lastRecordNanos > nanos;
  }

  /** Takes the next record; waits while too much is not acknowledged. */
  void take(TopicRecord next) throws InterruptedException {
    lastRecordNanos = System.nanoTime();
    if (next.kind() == Kind.SESSIONS) {
      sessions = next.value();
      last = started ? last : next.number();
      started = true;
    } else if (next.kind() == Kind.END) {
      ended = true;
    } else if (next.number() > last && (started || next.number() == 1)) {
      started = true;
      last = next.number();
      awaitRoom();
      synchronized (lock) {
        unacknowledged.add(next);
        unacknowledgedBytes += next.value().length;
      }
    } // else it came twice, or the sessions of its events are not known yet
    throughMillis = Math.max(throughMillis, next.throughMillis());
    flush();
  }

  private void awaitRoom() throws InterruptedException {
    while (!closing.getAsBoolean()) {
      synchronized (lock) {
        if (unacknowledgedBytes < MAX_UNACKNOWLEDGED_BYTES) {
          return;
        }
        if (link != null && !link.broken) {
          TimeUnit.MILLISECONDS.timedWait(lock, RETRY_MILLIS);
        }
      }
      flush();
    }
  }

  /** Sends what was not sent over this connection, over a new one if it is broken. */
  private void flush() throws InterruptedException {
    while (started && !closing.getAsBoolean()) {
      try {
        Link to = link;
        if (to == null || to.broken) {
          to = connect();
        }
        for (TopicRecord next : pending()) {
          to.write(Frames.chunk(next.number(), next.value(), acknowledgedEpoch(), next.number()));
          sent = next.number();
        }
        return;
      } catch (IOException e) {
        cut();
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
      }
    }
  }

  private TopicRecord[] pending() {
    synchronized (lock) {
      return unacknowledged.stream()
          .filter(next -> next.number() > sent)
          .toArray(TopicRecord[]::new);
    }
  }

  /** Shows the analyzer that the stream goes on. */
  void alive() throws InterruptedException {
    Link to = link;
    if (to == null) {
      return; // cut off until its process writes again
    }
    flush();
    try {
      to.write(Frames.alive(acknowledgedEpoch(), last));
    } catch (IOException e) {
      to.cut();
    }
  }

  /**
   * The newest epoch before which every event was sent: those that happened before the epoch was
   * received have arrived, by the time through which the stream is complete.
   */
  private long acknowledgedEpoch() {
    long acknowledged = 0;
    synchronized (lock) {
      boolean isAllSent = unacknowledged.isEmpty() || unacknowledged.getLast().number() <= sent;
      for (Epoch next = epochs.peek();
          isAllSent && next != null && next.millis + MAX_CLOCK_DIFFERENCE_MILLIS <= throughMillis;
          next = epochs.peek()) {
        acknowledged = next.number;
        epochs.remove();
      }
    }
    return acknowledged;
  }

  /** Ends the connection in order, once everything was acknowledged. */
  void end() throws InterruptedException {
    flush();
    long until = System.nanoTime() + END_TIMEOUT_NANOS;
    Link to = link;
    while (to != null && !closing.getAsBoolean() && System.nanoTime() < until) {
      synchronized (lock) {
        if (unacknowledged.isEmpty()) {
          break;
        }
        TimeUnit.MILLISECONDS.timedWait(lock, 50);
      }
      flush();
      to = link;
    }
    if (to != null) {
      try {
        to.write(Frames.bye());
        to.awaitEnd();
      } catch (IOException e) {
        // The analyzer waits for it, and ends its transactions with an unknown outcome.
      }
    }
    cut();
  }

  /** Closes the connection: the analyzer waits for another one for some time. */
  void cut() {
    Link cut = link;
    link = null;
    if (cut != null) {
      cut.cut();
    }
  }

  private Link connect() throws IOException {
    cut();
    Socket socket = new Socket();
    try {
      socket.connect(server, CONNECT_TIMEOUT_MILLIS);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(Frames.SILENCE_TIMEOUT_MILLIS);
      Socket spoken =
          tls.isEmpty()
              ? socket
              : Tls.over(
                  socket, tls.get(), new Address(true, server.getHostString(), server.getPort()));
      Link opened = new Link(socket, spoken);
      link = opened;
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      socket.close();
      throw e;
    }
  }

  private void acknowledged(long through) {
    synchronized (lock) {
      for (TopicRecord next = unacknowledged.peek();
          next != null && next.number() <= through;
          next = unacknowledged.peek()) {
        unacknowledgedBytes -= next.value().length;
        unacknowledged.remove();
      }
      lock.notifyAll();
    }
  }

  /** A connection that the analyzer has accepted. */
  private final class Link {

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final Thread answers;
    private volatile boolean broken;

    Link(Socket socket, Socket spoken) throws IOException {
      this.socket = socket;
      this.in = spoken.getInputStream();
      this.out = spoken.getOutputStream();
      write(Frames.hello(token, client, service));
      Frame answer = read();
      if (answer == null || !answer.hasWelcome()) {
        throw new IOException("the analyzer does not accept the stream");
      }
      sent = answer.getWelcome().getThrough();
      last = Math.max(last, sent);
      acknowledged(sent);
      synchronized (lock) {
        epochs.clear();
      }
      if (answer.getWelcome().getAnnounce()) {
        write(Frames.announcement(sessions));
      }
      this.answers = BackgroundThreads.create("txwatch-relay-answers", this::readAnswers);
      this.answers.start();
    }

    private @Nullable Frame read() throws IOException {
      int length = Frames.readLength(in, Frames.MAX_SHORT_FRAME_BYTES);
      return length < 0 ? null : Frames.readBody(in, length);
    }

    void write(Frame frame) throws IOException {
      Frames.write(out, frame);
    }

    private void readAnswers() {
      try {
        for (Frame answer = read(); answer != null; answer = read()) {
          if (answer.hasAck()) {
            synchronized (lock) {
              Epoch newest = epochs.peekLast();
              if (newest == null || newest.number < answer.getAck().getEpoch()) {
                epochs.add(new Epoch(answer.getAck().getEpoch(), System.currentTimeMillis()));
              }
            }
            acknowledged(answer.getAck().getThrough());
          }
        }
      } catch (IOException | RuntimeException e) {
        // The relay detects the broken link and reconnects.
      }
      broken = true;
      cut();
    }

    void awaitEnd() throws InterruptedException {
      answers.join(500);
    }

    void cut() {
      try {
        socket.close();
      } catch (IOException e) {
        broken = true;
      }
    }
  }
}
