package io.txwatch.serve;

import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.link.Frames;
import io.txwatch.link.wire.Frame;
import io.txwatch.link.wire.Hello;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A client's connection: one thread reads and decodes, another writes the welcome and the
 * acknowledgements, so a client that does not read blocks no other.
 *
 * <p>Input is not trusted. Frames have a size limit, which is small until the client has shown its
 * token; malformed frames and silence end the connection.
 */
final class Connection {

  private static final long MAX_ACK_INTERVAL_MILLIS = 5_000;

  /** The delay after a wrong token, against guessing. */
  private static final long WRONG_TOKEN_DELAY_MILLIS = 200;

  /** The bytes of a frame that are read at a time. */
  private static final int READ_SIZE_BYTES = 1 << 16;

  /**
   * A frame that arrives more slowly than this, after the limit of silence, ends the connection.
   */
  private static final long MIN_BYTES_PER_SECOND = 1 << 16;

  private final Socket socket;
  private final BoundedInbox inbox;
  private final PartialFrames partialFrames;
  private final RateLimitedLog log;
  private final Predicate<Connection> admission;
  private final String address;

  /** Confined to the analysis thread. */
  @org.jspecify.annotations.Nullable ClientState client;

  private volatile boolean admitted;
  private volatile boolean cutByUs;
  private boolean inFrame;
  private boolean welcomed;
  private boolean announce;
  private long acknowledgedChunk;
  private long epoch;
  private volatile long complete;
  private boolean toWrite;
  private boolean closed;

  /**
   * Wraps a socket.
   *
   * @param admission called when the client has shown its token; whether there is room for it
   */
  Connection(
      Socket socket,
      BoundedInbox inbox,
      PartialFrames partialFrames,
      RateLimitedLog log,
      Predicate<Connection> admission) {
    this.socket = socket;
    this.inbox = inbox;
    this.partialFrames = partialFrames;
    this.log = log;
    this.admission = admission;
    this.address = String.valueOf(socket.getRemoteSocketAddress()).replaceFirst("^[^/]*/", "");
  }

  String address() {
    return address;
  }

  /**
   * Starts reading.
   *
   * @param onClose called at the end, with whether the client had been admitted
   */
  void start(ServerOptions options, BiConsumer<Connection, Boolean> onClose) {
    startDaemon(
        "txwatch-client",
        () -> {
          try {
            run(options);
          } finally {
            onClose.accept(this, admitted);
          }
        });
  }

  private static void startDaemon(String name, Runnable body) {
    Thread thread = new Thread(null, body, name, 0, false);
    thread.setDaemon(true);
    thread.start();
  }

  private void run(ServerOptions options) {
    Message.End end = Message.End.CUT;
    try {
      socket.setTcpNoDelay(true);
      Socket spoken = options.tls().isEmpty() ? socket : secure(options.tls().get());
      InputStream in = spoken.getInputStream();
      OutputStream out = spoken.getOutputStream();
      if (!isAdmitted(in, out, options.token())) {
        return;
      }
      socket.setSoTimeout((int) options.silence().toMillis());
      startDaemon("txwatch-acks", () -> write(out));
      if (read(in, options.silence().toNanos())) {
        end = Message.End.IN_ORDER;
      }
    } catch (EOFException e) {
      end = Message.End.CUT_WITHIN_FRAME;
    } catch (SocketTimeoutException e) {
      log.log(address + ": silent for too long, closed");
    } catch (IOException e) {
      // A killed client often resets the connection. Only protocol errors are logged.
      if (!cutByUs && (!admitted || !(e instanceof java.net.SocketException))) {
        log.log(address + ": closed: " + e.getMessage());
      }
      end = inFrame ? Message.End.CUT_WITHIN_FRAME : Message.End.CUT;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | OutOfMemoryError e) {
      log.log(address + ": a fault of txwatch, closed: " + e);
    } finally {
      cut();
      partialFrames.remove(this);
      enqueueDisconnected(end);
    }
  }

  private SSLSocket secure(SSLContext context) throws IOException {
    SSLSocket secure =
        (SSLSocket) context.getSocketFactory().createSocket(socket, null, socket.getPort(), true);
    secure.setUseClientMode(false);
    secure.startHandshake();
    return secure;
  }

  private boolean isAdmitted(InputStream in, OutputStream out, String token)
      throws IOException, InterruptedException {
    int length = Frames.readLength(in, Frames.MAX_SHORT_FRAME_BYTES);
    if (length < 0) {
      return false;
    }
    Hello hello = Frames.readBody(in, length).getHello();
    if (!hello.getMagic().equals(Frames.MAGIC) || hello.getClient() == 0) {
      throw new IOException("expected a txwatch client, found something else");
    }
    if (hello.getVersion() != Frames.VERSION) {
      refuse(out, "speaks version " + Frames.VERSION + " of the protocol, as this client does not");
      return false;
    }
    // An empty token requires none: the server then listens on its own machine only.
    if (!token.isEmpty() && !MessageDigest.isEqual(utf8(token), utf8(hello.getToken()))) {
      TimeUnit.MILLISECONDS.sleep(WRONG_TOKEN_DELAY_MILLIS);
      refuse(
          out, hello.getToken().isEmpty() ? "a token is required (txwatch.token)" : "wrong token");
      return false;
    }
    if (!admission.test(this)) {
      refuse(out, "it has as many clients as it takes");
      return false;
    }
    admitted = true;
    inbox.put(
        new Message.ClientConnected(
            this, hello.getClient(), RateLimitedLog.printable(hello.getName())));
    return true;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void refuse(OutputStream out, String reason) throws IOException {
    log.log(address + ": refused: " + reason);
    Frames.write(out, Frames.refusal(reason));
  }

  /** Reads until the client sends Bye (true) or the connection ends (false). */
  private boolean read(InputStream in, long silenceNanos) throws IOException, InterruptedException {
    while (true) {
      int length = Frames.readLength(in, Frames.MAX_FRAME_BYTES);
      if (length < 0) {
        return false;
      }
      inFrame = true;
      byte[] body = readBody(in, length, silenceNanos);
      inFrame = false;
      // Only a frame that has arrived takes room: an announced one would lock out all others.
      int weight = inbox.reserve(length);
      partialFrames.remove(this);
      boolean handedOn = false;
      try {
        Frame frame = Frames.parse(body);
        if (frame.hasBye()) {
          return true;
        }
        Message message = message(frame, weight);
        handedOn = !(message instanceof Message.Heartbeat);
        inbox.put(message);
      } finally {
        if (!handedOn) {
          inbox.release(weight);
        }
      }
    }
  }

  /** Reads a frame's body, allocating memory as it arrives. */
  private byte[] readBody(InputStream in, int length, long silenceNanos) throws IOException {
    long startNanos = System.nanoTime();
    byte[] body = new byte[0];
    int arrived = 0;
    while (arrived < length) {
      if (arrived == body.length) {
        int larger = Math.min(length, Math.max(READ_SIZE_BYTES, 2 * body.length));
        reserveMemory(larger - body.length);
        body = Arrays.copyOf(body, larger);
      }
      int more = in.read(body, arrived, Math.min(READ_SIZE_BYTES, body.length - arrived));
      if (more < 0) {
        throw new EOFException("the link was cut within a frame");
      }
      arrived += more;
      long lateNanos = System.nanoTime() - startNanos - silenceNanos;
      if (arrived < length
          && lateNanos > 0
          && arrived < lateNanos / 1_000_000_000.0 * MIN_BYTES_PER_SECOND) {
        throw new IOException("a frame of " + length + " bytes arrives too slowly");
      }
    }
    return body;
  }

  private void reserveMemory(int bytes) throws IOException {
    Connection largest = partialFrames.add(this, bytes);
    if (largest == this) {
      throw new IOException("too many large frames arrive at once");
    } else if (largest != null) {
      largest.cut("too many large frames arrive at once");
    }
  }

  private Message message(Frame frame, int weight) throws IOException {
    return switch (frame.getWhatCase()) {
      case CHUNK -> {
        complete = frame.getChunk().getComplete();
        yield new Message.ChunkReceived(
            this,
            frame.getChunk().getNumber(),
            Chunk.decode(frame.getChunk().getRecords().toByteArray()),
            frame.getChunk().getAcknowledgedEpoch(),
            weight);
      }
      case ANNOUNCEMENT -> {
        List<Event> events = Chunk.decode(frame.getAnnouncement().getRecords().toByteArray());
        yield new Message.SessionsAnnounced(this, events, weight);
      }
      case ALIVE -> {
        complete = frame.getAlive().getComplete();
        yield new Message.Heartbeat(this, frame.getAlive().getAcknowledgedEpoch());
      }
      default -> throw new IOException("expected a chunk, found " + frame.getWhatCase());
    };
  }

  private void enqueueDisconnected(Message.End end) {
    if (admitted) {
      try {
        inbox.put(new Message.Disconnected(this, end));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * The chunk up to which everything had happened that the client will send, as of its last
   * message.
   */
  long complete() {
    return complete;
  }

  /** Sends the welcome; the client continues after that chunk. */
  synchronized void welcome(long behind, boolean announceSessions) {
    acknowledgedChunk = behind;
    announce = announceSessions;
    toWrite = true;
    notifyAll();
  }

  /**
   * Acknowledges the chunks up to this one.
   *
   * @param newest the newest epoch
   */
  synchronized void acknowledge(long number, long newest) {
    acknowledgedChunk = Math.max(acknowledgedChunk, number);
    epoch = newest;
    toWrite = true;
    notifyAll();
  }

  /** Closes the connection at once, and logs the reason. */
  void cut(String reason) {
    cutByUs = true;
    log.log(address + ": closed: " + reason);
    cut();
  }

  /** Closes the connection at once. */
  void cut() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      socket.close();
    } catch (IOException e) {
      log.log(address + ": " + e.getMessage());
    }
  }

  private void write(OutputStream out) {
    try {
      for (Frame next = nextToWrite(); next != null; next = nextToWrite()) {
        Frames.write(out, next);
      }
    } catch (IOException e) {
      cut();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized @org.jspecify.annotations.Nullable Frame nextToWrite()
      throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MAX_ACK_INTERVAL_MILLIS);
    while (!closed && !toWrite && (!welcomed || until - System.nanoTime() > 0)) {
      wait(MAX_ACK_INTERVAL_MILLIS);
    }
    if (closed) {
      return null;
    }
    toWrite = false;
    if (!welcomed) {
      welcomed = true;
      return Frames.welcome(acknowledgedChunk, announce);
    }
    return Frames.ack(acknowledgedChunk, epoch);
  }
}
