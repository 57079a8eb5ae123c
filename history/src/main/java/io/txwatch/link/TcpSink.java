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
 * Sends events to a shared analyzer. A daemon thread connects, and connects again when the link is
 * cut, ever more rarely up to every {@value #MAX_BACKOFF_MILLIS} ms; a second one reads the
 * acknowledgements. What waits meanwhile is in a {@link Backlog}, within its bound.
 *
 * <p>{@link #accept} encodes, and never waits for the network. An analyzer that is not there is one
 * line for people, as are one that went away, one that is back, and events that had to be dropped.
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

  /** What is to be reportedStatus, in order: the queue's thread adds, the one that sends takes. */
  private final Queue<EpochAcknowledgement> epochAcknowledgements = new ConcurrentLinkedQueue<>();

  // Of the queue's thread: the link and the analyzer's epoch when it last caught up, and the latest
  // epoch that it has a word for.
  private @Nullable Link linkBefore;
  private long epochBefore;
  private volatile long acknowledgedEpoch;
  private volatile Runnable waker = () -> {};

  /**
   * A word that everything is epochAcknowledgements that had happened before an epoch of the
   * analyzer.
   *
   * @param to over which link
   * @param with the last chunk that it takes
   */
  private record EpochAcknowledgement(Link to, long epoch, long with) {}

  private volatile long closeBy;
  private volatile boolean closing;

  /** What was last reportedStatus of the analyzer. */
  private enum LinkStatus {
    NOTHING,
    THERE,
    AWAY,
    REFUSED
  }

  private LinkStatus reportedStatus = LinkStatus.NOTHING;
  private boolean droppingReported;

  /**
   * Starts the threads, which connect when they can.
   *
   * @param token what the analyzer asks for; empty if nothing
   * @param tls for an address at {@code tls://}
   * @param buffer how many bytes may wait
   * @param service what people call this process; empty for a name of its own
   * @param warnings takes a line for people
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
   * What had happened when this was last reportedStatus has been added. So the analyzer is
   * epochAcknowledgements everything from before the epoch that it had named by then, once it gets
   * what is here now.
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

  /** An epoch is acknowledged by a process, too, in which nothing happens. */
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
   * If the analyzer is there, waits three seconds at most until it has everything. Says how many
   * events it did not get.
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
      try (Link connected = connect()) {
        link = connected;
        reportStatus(LinkStatus.THERE, "is connected");
        if (send(connected)) {
          return;
        }
        reportStatus(LinkStatus.AWAY, "went away; what happens waits for it, up to txwatch.buffer");
      } catch (RefusedException e) {
        reportStatus(LinkStatus.REFUSED, "refused: " + e.getMessage());
        backoff = REFUSED_BACKOFF_MILLIS;
      } catch (IOException e) {
        reportStatus(
            LinkStatus.AWAY,
            "is not to be reached ("
                + oneLine(e)
                + "); what happens waits for it, up to txwatch.buffer");
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException | Error e) { // without memory, too, it goes on when there is some
        warnings.accept(address + ": a fault of txwatch, it goes on: " + e);
      } finally {
        link = null;
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

  /**
   * Sleeps for as long, give or take a quarter, or until it is time to end; false if interrupted.
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
   * Sends what there is until the link is cut (false), or everything was sent and we end (true).
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
        // Once all is sent a closing sink only waits for acknowledgements, which wake it.
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
      // The link is cut: what was not acknowledged is sent again over the next.
    }
    return false;
  }

  /**
   * The latest epoch that is epochAcknowledgements with that chunk; 0 if none is that was not
   * before.
   */
  private long takeAcknowledgedEpoch(long chunk, Link to) {
    long epoch = 0;
    for (EpochAcknowledgement next = epochAcknowledgements.peek();
        next != null && (next.to != to || next.with <= chunk);
        next = epochAcknowledgements.peek()) {
      if (next.to == to) {
        epoch = next.epoch;
      } // else it is a word for an earlier link
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

  /** The analyzer does not want this client. */
  private static final class RefusedException extends IOException {

    private static final long serialVersionUID = 1;

    RefusedException(String reason) {
      super(reason.replaceAll("\\p{Cntrl}+", " "));
    }
  }

  /** A connection that the analyzer has let in. */
  private final class Link implements AutoCloseable {

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final Thread answers;
    private volatile boolean broken;

    /** The analyzer's newest epoch, as far as it was epochAcknowledgements. */
    private volatile long epoch;

    /**
     * Shakes hands.
     *
     * @param socket what is closed in the end
     * @param spoken the same, or TLS over it
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

    /** Lets the analyzer read to the end: a socket that is closed with answers unread is reset. */
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
        // The sender finds it broken, and connects anew.
      }
      broken = true;
      cut();
      backlog.wake();
    }

    /** Ends it at once, whatever either thread does. */
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
