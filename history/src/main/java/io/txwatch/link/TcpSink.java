package io.txwatch.link;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.link.wire.Frame;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends events to a shared analyzer. A daemon thread connects, and reconnects when the link breaks,
 * with exponential backoff up to {@value #MAX_BACKOFF_MILLIS} ms; a second thread reads the
 * acknowledgements. Unacknowledged events are kept in a bounded {@link Backlog}.
 *
 * <p>{@link #accept} encodes the event and never waits for the network. One line each reports an
 * unreachable analyzer, a lost one, one that is back, and dropped events.
 */
final class TcpSink implements EventSink {

  private static final long MIN_BACKOFF_MILLIS = 100;
  private static final long MAX_BACKOFF_MILLIS = 5_000;
  private static final long REFUSED_BACKOFF_MILLIS = 15_000;
  private static final int CONNECT_TIMEOUT_MILLIS = 5_000;
  private static final int CLOSING_CONNECT_TIMEOUT_MILLIS = 500;
  private static final long CLOSE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long BYE_TIMEOUT_MILLIS = 500;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Address address;
  private final String token;
  private final @Nullable SSLContext tls;
  private final long client;
  private final Locality locality;
  private final Backlog backlog;
  private final Consumer<String> warnings;
  private final Thread thread;
  private final Object closeMonitor = new Object();

  private volatile @Nullable Link link;

  /**
   * Pending acknowledgements in order: the queue's thread adds them, the sending thread removes
   * them.
   */
  private final Queue<EpochAcknowledgement> epochAcknowledgements = new ConcurrentLinkedQueue<>();

  // Used by the queue's thread: the link and the analyzer's epoch when it last caught up, and the
  // latest epoch that it has acknowledged.
  private @Nullable Link linkBefore;
  private long epochBefore;
  private volatile long acknowledgedEpoch;
  private volatile Runnable waker = () -> {};

  /**
   * An acknowledgement that every event from before an epoch of the analyzer is sent.
   *
   * @param to the link to send it over
   * @param with the last chunk that must be sent before
   */
  private record EpochAcknowledgement(Link to, long epoch, long with) {}

  private volatile long closeBy;
  private volatile boolean closing;

  /** The last reported status of the link. */
  private enum LinkStatus {
    NOTHING,
    THERE,
    AWAY,
    REFUSED
  }

  private LinkStatus reportedStatus = LinkStatus.NOTHING;
  private boolean droppingReported;

  /**
   * Starts the threads, which connect as soon as possible.
   *
   * @param token the analyzer's token; empty if it requires none
   * @param tls the TLS context for a {@code tls://} address
   * @param buffer the maximum size of unacknowledged events in bytes
   * @param service the display name of this process; empty for a generated one
   * @param warnings receives lines about failures
   */
  TcpSink(
      Address address,
      String token,
      Optional<SSLContext> tls,
      long buffer,
      String service,
      Consumer<String> warnings) {
    this.address = address;
    this.token = token;
    this.tls = tls.orElse(null);
    long number = RANDOM.nextLong();
    this.client = number == 0 ? 1 : number;
    this.locality = Locality.here(service, client);
    this.backlog = new Backlog(buffer, locality.service());
    this.warnings = warnings;
    this.thread = daemon("txwatch-link", this::run);
  }

  private static Thread daemon(String name, Runnable body) {
    Thread thread = BackgroundThreads.create(name, body);
    thread.start();
    return thread;
  }

  @Override
  public void accept(Event event) {
    if (backlog.add(locality.qualify(event))) {
      reportDropping();
    }
  }

  /**
   * Every event that had happened at the previous call has been added. So once the analyzer
   * receives the current backlog, it has every event from before the epoch that it had announced at
   * that call.
   */
  @Override
  public void caughtUp() {
    Link to = link;
    if (to != linkBefore) {
      acknowledgedEpoch = 0;
    } else if (to != null && epochBefore > acknowledgedEpoch) {
      OptionalLong with = backlog.lastPendingChunk();
      if (with.isPresent()) {
        acknowledgedEpoch = epochBefore;
        epochAcknowledgements.add(new EpochAcknowledgement(to, epochBefore, with.getAsLong()));
        backlog.wake();
      }
    }
    linkBefore = to;
    epochBefore = to == null ? 0 : to.epoch;
  }

  /** An idle process must acknowledge epochs, too. */
  @Override
  public void setWaker(Runnable newWaker) {
    waker = newWaker;
  }

  private void reportDropping() {
    if (!droppingReported) {
      droppingReported = true;
      warnings.accept(
          address
              + ": the buffer is full, events are dropped and counted until there is room"
              + " (txwatch.buffer)");
    }
  }

  /**
   * If the analyzer is connected, waits at most three seconds until it has received everything.
   * Reports the number of events that it did not receive.
   */
  @Override
  public void close() {
    closeBy = System.nanoTime() + CLOSE_TIMEOUT_NANOS;
    closing = true;
    backlog.wake();
    synchronized (closeMonitor) {
      closeMonitor.notifyAll();
    }
    try {
      thread.join(TimeUnit.NANOSECONDS.toMillis(CLOSE_TIMEOUT_NANOS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Link left = link;
    if (left != null) {
      left.cut();
    }
    long lost = backlog.events() + backlog.dropped();
    if (lost > 0) {
      warnings.accept(address + ": " + lost + " events were not delivered");
    }
  }

  private void run() {
    long backoff = MIN_BACKOFF_MILLIS;
    while (true) {
      boolean last = closing;
      long since = System.nanoTime();
      Attempt attempt = attempt();
      if (attempt == Attempt.FINISHED) {
        return;
      }
      if (attempt == Attempt.REFUSED) {
        backoff = REFUSED_BACKOFF_MILLIS;
      }
      if (System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(2 * MAX_BACKOFF_MILLIS)) {
        backoff = MIN_BACKOFF_MILLIS;
      }
      if (last || !sleep(backoff)) {
        return;
      }
      backoff = Math.min(2 * backoff, MAX_BACKOFF_MILLIS);
    }
  }

  /** The result of an attempt to connect and send. */
  private enum Attempt {
    /** Everything was sent, or this thread was interrupted. */
    FINISHED,
    REFUSED,
    FAILED
  }

  private Attempt attempt() {
    try (Link connected = connect()) {
      link = connected;
      reportStatus(LinkStatus.THERE, "is connected");
      if (send(connected)) {
        return Attempt.FINISHED;
      }
      reportStatus(LinkStatus.AWAY, "went away; what happens waits for it, up to txwatch.buffer");
    } catch (RefusedException e) {
      reportStatus(LinkStatus.REFUSED, "refused: " + e.getMessage());
      return Attempt.REFUSED;
    } catch (IOException e) {
      reportStatus(
          LinkStatus.AWAY,
          "is not to be reached ("
              + oneLine(e)
              + "); what happens waits for it, up to txwatch.buffer");
    } catch (InterruptedException e) {
      return Attempt.FINISHED;
    } catch (RuntimeException
        | Error e) { // after an OutOfMemoryError it continues once there is memory
      warnings.accept(address + ": a fault of txwatch, it continues: " + e);
    } finally {
      link = null;
    }
    return Attempt.FAILED;
  }

  /**
   * Sleeps for {@code millis} with a jitter of a quarter, or until the sink must close; false if
   * interrupted.
   */
  private boolean sleep(long millis) {
    long until =
        System.nanoTime() + (long) (millis * 1e6 * (0.75 + RANDOM.nextInt(1_000) / 2_000.0));
    synchronized (closeMonitor) {
      for (long rest = until - System.nanoTime();
          rest > 0 && !closing;
          rest = until - System.nanoTime()) {
        try {
          TimeUnit.NANOSECONDS.timedWait(closeMonitor, Math.max(1_000_000, rest));
        } catch (InterruptedException e) {
          return false;
        }
      }
    }
    return true;
  }

  private Link connect() throws IOException {
    Socket socket = new Socket();
    try {
      socket.connect(
          address.socketAddress(),
          closing ? CLOSING_CONNECT_TIMEOUT_MILLIS : CONNECT_TIMEOUT_MILLIS);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(Frames.SILENCE_TIMEOUT_MILLIS);
      Socket spoken = tls == null ? socket : Tls.over(socket, tls, address);
      return new Link(socket, spoken);
    } catch (IOException | RuntimeException | Error e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Sends the backlog until the link breaks (false), or the sink is closing and everything was sent
   * (true).
   */
  private boolean send(Link to) throws InterruptedException {
    long sent = backlog.base();
    long alive = System.nanoTime();
    long complete = 0;
    try {
      while (!to.broken) {
        if (closing && backlog.isEmpty() || closing && System.nanoTime() - closeBy > 0) {
          to.write(Frames.bye());
          to.awaitEnd();
          return true;
        }
        // Once everything is sent, a closing sink only waits for acknowledgements, which wake it.
        long wait = closing ? TimeUnit.MILLISECONDS.toNanos(20) : Frames.KEEPALIVE_INTERVAL_NANOS;
        Optional<Backlog.NumberedChunk> next = backlog.after(sent, wait, closing);
        if (next.isPresent()) {
          sent = next.get().number();
          complete = backlog.complete();
          to.write(
              Frames.chunk(
                  sent, next.get().chunk().bytes(), takeAcknowledgedEpoch(sent, to), complete));
          alive = System.nanoTime();
          continue;
        }
        long all = takeAcknowledgedEpoch(sent, to);
        if (all > 0
            || complete < backlog.complete()
            || System.nanoTime() - alive >= Frames.KEEPALIVE_INTERVAL_NANOS) {
          complete = backlog.complete();
          to.write(Frames.alive(all, complete));
          alive = System.nanoTime();
        }
      }
    } catch (IOException e) {
      // The link is broken: unacknowledged chunks are sent again over the next one.
    }
    return false;
  }

  /** Returns the latest epoch that this chunk acknowledges; 0 if it acknowledges no new one. */
  private long takeAcknowledgedEpoch(long chunk, Link to) {
    long epoch = 0;
    for (EpochAcknowledgement next = epochAcknowledgements.peek();
        next != null && (next.to != to || next.with <= chunk);
        next = epochAcknowledgements.peek()) {
      if (next.to == to) {
        epoch = next.epoch;
      } // else it belongs to an earlier link
      epochAcknowledgements.remove();
    }
    return epoch;
  }

  private void reportStatus(LinkStatus what, String line) {
    if (reportedStatus != what
        && !(reportedStatus == LinkStatus.NOTHING && what == LinkStatus.THERE)) {
      warnings.accept("the analyzer at " + address + " " + line);
    }
    reportedStatus = what;
  }

  private static String oneLine(IOException e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return message.replaceAll("\\p{Cntrl}+", " ");
  }

  /** The analyzer rejected this client. */
  private static final class RefusedException extends IOException {

    private static final long serialVersionUID = 1;

    RefusedException(String reason) {
      super(reason.replaceAll("\\p{Cntrl}+", " "));
    }
  }

  /** A connection that the analyzer has accepted. */
  private final class Link implements AutoCloseable {

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final Thread answers;
    private volatile boolean broken;

    /** The latest epoch that the analyzer announced. */
    private volatile long epoch;

    /**
     * Performs the handshake.
     *
     * @param socket the socket to close
     * @param spoken the same socket, or TLS over it
     */
    Link(Socket socket, Socket spoken) throws IOException {
      this.socket = socket;
      this.in = spoken.getInputStream();
      this.out = spoken.getOutputStream();
      write(Frames.hello(token, client, locality.service()));
      Frame answer = read();
      if (answer != null && answer.hasRefusal()) {
        throw new RefusedException(answer.getRefusal().getReason());
      } else if (answer == null || !answer.hasWelcome()) {
        throw new IOException("no analyzer answered there");
      }
      backlog.acknowledged(answer.getWelcome().getThrough());
      if (answer.getWelcome().getAnnounce()) {
        write(Frames.announcement(backlog.openSessionRecords()));
      }
      this.answers = daemon("txwatch-link-answers", this::readAnswers);
    }

    /**
     * Waits until the analyzer has read everything: closing a socket with unread input resets the
     * connection.
     */
    void awaitEnd() throws InterruptedException {
      answers.join(BYE_TIMEOUT_MILLIS);
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
            epoch = answer.getAck().getEpoch();
            backlog.acknowledged(answer.getAck().getThrough());
            if (epoch > acknowledgedEpoch) {
              waker.run();
            }
          }
        }
      } catch (IOException | RuntimeException | Error e) {
        // The sending thread detects the broken link and reconnects.
      }
      broken = true;
      cut();
      backlog.wake();
    }

    /** Closes the connection at once, whatever the threads do. */
    void cut() {
      try {
        socket.close();
      } catch (IOException e) {
        broken = true;
      }
    }

    @Override
    public void close() {
      cut();
    }
  }
}
