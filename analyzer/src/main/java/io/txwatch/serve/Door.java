package io.txwatch.serve;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where connections come in, with those that are open. Those that have not completed the handshake
 * have limits of their own ({@link Pending}). Safe for many threads.
 */
final class Door {

  private static final int MAX_CONNECTIONS = 256;
  private static final int BACKLOG = 64;

  /** For a whole handshake, TLS included; less if a client may not be silent for as long. */
  private static final long MAX_HANDSHAKE_MILLIS = 10_000;

  /** How often it is looked whose handshake takes too long. */
  private static final int LOOK_MILLIS = 250;

  /** Bytes that frames may hold while they arrive. */
  private static final long MAX_ARRIVING_BYTES = 32L << 20;

  private static final long AFTER_A_FAULT_MILLIS = 100;

  private final ServerOptions options;
  private final Intake intake;
  private final RareLines lines;
  private final ServerSocket socket = new ServerSocket();
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger letIn = new AtomicInteger();
  private final long handshakeMillis;
  private final Pending pending;
  private final ArrivingFrames arriving = new ArrivingFrames(MAX_ARRIVING_BYTES);
  private long lookedNanos = System.nanoTime();
  private volatile boolean closing;

  /**
   * A door that nobody is let in by yet; who comes meanwhile waits.
   *
   * @throws IOException if the address is not to be had; the message says which
   */
  Door(ServerOptions options, Intake intake, RareLines lines) throws IOException {
    this.options = options;
    this.intake = intake;
    this.lines = lines;
    this.handshakeMillis = Math.min(MAX_HANDSHAKE_MILLIS, options.silence().toMillis());
    this.pending = new Pending(handshakeMillis);
    try {
      socket.setReuseAddress(true);
      socket.setSoTimeout(LOOK_MILLIS);
      socket.bind(options.listen().socketAddress(), BACKLOG);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** Lets in who comes, from now on. */
  void open() {
    Thread thread = new Thread(null, this::run, "txwatch-door", 0, false);
    thread.setDaemon(true);
    thread.start();
  }

  InetSocketAddress address() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  /** Whether no connection is open. */
  boolean isQuiet() {
    return connections.isEmpty();
  }

  /** Lets nobody in any more, and ends what is open. */
  void close() throws IOException {
    closing = true;
    socket.close();
    connections.forEach(Connection::cut);
  }

  private void run() {
    while (!closing) {
      try {
        cutOverdue();
        receive(socket.accept());
      } catch (SocketTimeoutException e) {
        // nobody came
      } catch (IOException e) {
        if (!closing) {
          lines.say("cannot take a connection: " + e.getMessage());
          pause();
        }
      } catch (OutOfMemoryError e) { // also what a system without threads throws
        lines.say("cannot take a connection: " + e.getMessage());
        pause();
      }
    }
  }

  private void receive(Socket caller) throws IOException {
    InetAddress address = caller.getInetAddress();
    if (!pending.mayCome(address)) {
      lines.say(
          address.getHostAddress()
              + ": "
              + Pending.MAX_OF_ONE_ADDRESS
              + " connections have not completed their handshake, one more was closed");
      caller.close();
      return;
    }
    Connection connection = new Connection(caller, intake, arriving, lines, this::isLetIn);
    connections.add(connection);
    pending
        .add(connection, address)
        .ifPresent(oldest -> oldest.cut("too many others are in their handshakes"));
    connection.start(options, this::over);
    if (closing) {
      connection.cut();
    }
  }

  /** Called when a connection has shown its token: whether there is room for it. */
  private boolean isLetIn(Connection connection) {
    pending.remove(connection);
    if (letIn.incrementAndGet() > MAX_CONNECTIONS) {
      letIn.decrementAndGet();
      return false;
    }
    return true;
  }

  private void over(Connection connection, boolean wasLetIn) {
    pending.remove(connection);
    connections.remove(connection);
    if (wasLetIn) {
      letIn.decrementAndGet();
    }
  }

  private void cutOverdue() {
    if (System.nanoTime() - lookedNanos > TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)) {
      lookedNanos = System.nanoTime();
      for (Connection overdue : pending.takeOverdue()) {
        overdue.cut("the handshake took more than " + handshakeMillis + " ms");
      }
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(AFTER_A_FAULT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
