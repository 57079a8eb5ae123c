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
 * A client's connection: a thread that reads and decodes, and one that writes welcome and
 * acknowledgements, so that a client that does not read holds up nobody.
 *
 * <p>Nothing is believed: frames have a bound, which is small until the client has shown its token;
 * what is no frame ends the connection, as does a silence.
 */
final class Connection {

  private static final long ACK_ANYWAY_MILLIS = 5_000;

  /** Who guesses at tokens is let wait. */
  private static final long WRONG_TOKEN_MILLIS = 200;

  /** Bytes of a frame that are read at once. */
  private static final int PIECE_BYTES = 1 << 16;

  /** A frame that arrives more slowly, once it has had its time of silence, is given up. */
  private static final long MIN_BYTES_PER_SECOND = 1 << 16;

  private final Socket socket;
  private final Intake intake;
  private final ArrivingFrames arriving;
  private final RareLines lines;
  private final Predicate<Connection> mayComeIn;
  private final String from;

  /** Kept by the thread that analyses. */
  @org.jspecify.annotations.Nullable Client client;

  private volatile boolean letIn;
  private volatile boolean cutByUs;
  private boolean inFrame;
  private boolean welcomed;
  private boolean announce;
  private long through;
  private long epoch;
  private volatile long complete;
  private boolean toWrite;
  private boolean closed;

  /**
   * @param mayComeIn is called when the client has shown its token: whether there is room for it
   */
  Connection(
      Socket socket,
      Intake intake,
      ArrivingFrames arriving,
      RareLines lines,
      Predicate<Connection> mayComeIn) {
    this.socket = socket;
    this.intake = intake;
    this.arriving = arriving;
    this.lines = lines;
    this.mayComeIn = mayComeIn;
    this.from = String.valueOf(socket.getRemoteSocketAddress()).replaceFirst("^[^/]*/", "");
  }

  /** Where the client is. */
  String from() {
    return from;
  }

  /**
   * Starts reading.
   *
   * @param over is called at the end, with whether the client had been let in
   */
  void start(ServerOptions options, BiConsumer<Connection, Boolean> over) {
    daemon(
        "txwatch-client",
        () -> {
          try {
            run(options);
          } finally {
            over.accept(this, letIn);
          }
        });
  }

  private static void daemon(String name, Runnable body) {
    Thread thread = new Thread(null, body, name, 0, false);
    thread.setDaemon(true);
    thread.start();
  }

  private void run(ServerOptions options) {
    boolean bye = false;
    boolean torn = false;
    try {
      socket.setTcpNoDelay(true);
      Socket spoken = options.tls().isEmpty() ? socket : secure(options.tls().get());
      InputStream in = spoken.getInputStream();
      OutputStream out = spoken.getOutputStream();
      if (!isLetIn(in, out, options.token())) {
        return;
      }
      socket.setSoTimeout((int) options.silence().toMillis());
      daemon("txwatch-acks", () -> write(out));
      bye = read(in, options.silence().toNanos());
    } catch (EOFException e) {
      torn = true;
    } catch (SocketTimeoutException e) {
      lines.say(from + ": silent for too long, closed");
    } catch (IOException e) {
      // A client that is killed is often a reset connection; one that talks nonsense is told of.
      if (!cutByUs && (!letIn || !(e instanceof java.net.SocketException))) {
        lines.say(from + ": closed: " + e.getMessage());
      }
      torn = inFrame;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | OutOfMemoryError e) {
      lines.say(from + ": a fault of txwatch, closed: " + e);
    } finally {
      cut();
      arriving.remove(this);
      leave(bye, torn);
    }
  }

  private SSLSocket secure(SSLContext context) throws IOException {
    SSLSocket secure =
        (SSLSocket) context.getSocketFactory().createSocket(socket, null, socket.getPort(), true);
    secure.setUseClientMode(false);
    secure.startHandshake();
    return secure;
  }

  private boolean isLetIn(InputStream in, OutputStream out, String token)
      throws IOException, InterruptedException {
    int length = Frames.readLength(in, Frames.SHORT);
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
    // An empty token asks for none: then the server listens to its own machine alone.
    if (!token.isEmpty() && !MessageDigest.isEqual(utf8(token), utf8(hello.getToken()))) {
      TimeUnit.MILLISECONDS.sleep(WRONG_TOKEN_MILLIS);
      refuse(
          out, hello.getToken().isEmpty() ? "it asks for a token (txwatch.token)" : "wrong token");
      return false;
    }
    if (!mayComeIn.test(this)) {
      refuse(out, "it has as many clients as it takes");
      return false;
    }
    letIn = true;
    intake.put(new Message.Arrived(this, hello.getClient(), RareLines.printable(hello.getName())));
    return true;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void refuse(OutputStream out, String reason) throws IOException {
    lines.say(from + ": refused: " + reason);
    Frames.write(out, Frames.refusal(reason));
  }

  /** Reads until the client says bye (true) or just ends (false). */
  private boolean read(InputStream in, long silenceNanos) throws IOException, InterruptedException {
    while (true) {
      int length = Frames.readLength(in, Frames.LONGEST);
      if (length < 0) {
        return false;
      }
      inFrame = true;
      byte[] body = arrive(in, length, silenceNanos);
      inFrame = false;
      // Only a frame that is here takes room: one that is awaited would keep out all others.
      int weight = intake.reserve(length);
      arriving.remove(this);
      boolean handedOn = false;
      try {
        Frame frame = Frames.parse(body);
        if (frame.hasBye()) {
          return true;
        }
        Message message = message(frame, weight);
        handedOn = !(message instanceof Message.Heard);
        intake.put(message);
      } finally {
        if (!handedOn) {
          intake.release(weight);
        }
      }
    }
  }

  /** Reads a frame's body, taking memory as it arrives. */
  private byte[] arrive(InputStream in, int length, long silenceNanos) throws IOException {
    long begun = System.nanoTime();
    byte[] body = new byte[0];
    int arrived = 0;
    while (arrived < length) {
      if (arrived == body.length) {
        int larger = Math.min(length, Math.max(PIECE_BYTES, 2 * body.length));
        take(larger - body.length);
        body = Arrays.copyOf(body, larger);
      }
      int more = in.read(body, arrived, Math.min(PIECE_BYTES, body.length - arrived));
      if (more < 0) {
        throw new EOFException("the link was cut within a frame");
      }
      arrived += more;
      long lateNanos = System.nanoTime() - begun - silenceNanos;
      if (arrived < length
          && lateNanos > 0
          && arrived < lateNanos / 1_000_000_000.0 * MIN_BYTES_PER_SECOND) {
        throw new IOException("a frame of " + length + " bytes arrives too slowly");
      }
    }
    return body;
  }

  private void take(int bytes) throws IOException {
    Connection largest = arriving.add(this, bytes);
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
        yield new Message.Received(
            this,
            frame.getChunk().getNumber(),
            Chunk.decode(frame.getChunk().getRecords().toByteArray()),
            frame.getChunk().getTold(),
            weight);
      }
      case ANNOUNCEMENT -> {
        List<Event> events = Chunk.decode(frame.getAnnouncement().getRecords().toByteArray());
        yield new Message.Announced(this, events, weight);
      }
      case ALIVE -> {
        complete = frame.getAlive().getComplete();
        yield new Message.Heard(this, frame.getAlive().getTold());
      }
      default -> throw new IOException("expected a chunk, found " + frame.getWhatCase());
    };
  }

  private void leave(boolean bye, boolean torn) {
    if (letIn) {
      try {
        intake.put(new Message.Left(this, bye, torn));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Up to which chunk all had happened that the client will say in them, when it last said so. */
  long complete() {
    return complete;
  }

  /** Lets the client go on behind that chunk. */
  synchronized void welcome(long behind, boolean announceSessions) {
    through = behind;
    announce = announceSessions;
    toWrite = true;
    notifyAll();
  }

  /**
   * Chunks up to this one are taken in.
   *
   * @param newest the newest epoch
   */
  synchronized void acknowledge(long number, long newest) {
    through = Math.max(through, number);
    epoch = newest;
    toWrite = true;
    notifyAll();
  }

  /** Ends it at once, and reports why. */
  void cut(String reason) {
    cutByUs = true;
    lines.say(from + ": closed: " + reason);
    cut();
  }

  /** Ends it at once. */
  void cut() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    try {
      socket.close();
    } catch (IOException e) {
      lines.say(from + ": " + e.getMessage());
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
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ACK_ANYWAY_MILLIS);
    while (!closed && !toWrite && (!welcomed || until - System.nanoTime() > 0)) {
      wait(ACK_ANYWAY_MILLIS);
    }
    if (closed) {
      return null;
    }
    toWrite = false;
    if (!welcomed) {
      welcomed = true;
      return Frames.welcome(through, announce);
    }
    return Frames.ack(through, epoch);
  }
}
