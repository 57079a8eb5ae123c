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
 * Accepts connections and tracks the open ones. Connections that have not completed the handshake
 * have limits of their own ({@link PendingHandshakes}). Thread-safe.
 */
final class Acceptor {

  private static final int MAX_CONNECTIONS = 256;
  private static final int BACKLOG = 64;

  /** The time limit of a whole handshake, TLS included; lower if the limit of silence is. */
  private static final long MAX_HANDSHAKE_MILLIS = 10_000;

  /** The interval at which overdue handshakes are closed. */
  private static final int HANDSHAKE_CHECK_INTERVAL_MILLIS = 250;

  /** The most bytes of partially received frames. */
  private static final long MAX_PARTIAL_FRAME_BYTES = 32L << 20;

  private static final long ACCEPT_RETRY_MILLIS = 100;

  private final ServerOptions options;
  private final BoundedInbox inbox;
  private final RateLimitedLog log;
  private final ServerSocket socket = new ServerSocket();
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger admitted = new AtomicInteger();
  private final long handshakeMillis;
  private final PendingHandshakes pending;
  private final PartialFrames partialFrames = new PartialFrames(MAX_PARTIAL_FRAME_BYTES);
  private long lastCheckNanos = System.nanoTime();
  private volatile boolean closing;

  /**
   * Binds the address. Connections wait until {@link #open} is called.
   *
   * @throws IOException if the address is not available; the message names it
   */
  Acceptor(ServerOptions options, BoundedInbox inbox, RateLimitedLog log) throws IOException {
    this.options = options;
    this.inbox = inbox;
    this.log = log;
    this.handshakeMillis = Math.min(MAX_HANDSHAKE_MILLIS, options.silence().toMillis());
    this.pending = new PendingHandshakes(handshakeMillis);
    try {
      socket.setReuseAddress(true);
      socket.setSoTimeout(HANDSHAKE_CHECK_INTERVAL_MILLIS);
      socket.bind(options.listen().socketAddress(), BACKLOG);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** Accepts connections from now on. */
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

  /** Accepts no more connections, and closes those that are open. */
  void close() throws IOException {
    closing = true;
    socket.close();
    connections.forEach(Connection::cut);
  }

  private void run() {
    while (!closing) {
      try {
        cutOverdue();
        accept(socket.accept());
      } catch (SocketTimeoutException e) {
        // no connection within the interval
      } catch (IOException e) {
        if (!closing) {
          log.log("cannot take a connection: " + e.getMessage());
          pause();
        }
      } catch (OutOfMemoryError e) { // also thrown by a system that is out of threads
        log.log("cannot take a connection: " + e.getMessage());
        pause();
      }
    }
  }

  private void accept(Socket caller) {
    InetAddress address = caller.getInetAddress();
    Connection connection = new Connection(caller, inbox, partialFrames, log, this::admit);
    connections.add(connection);
    pending
        .add(connection, address)
        .ifPresent(oldest -> oldest.cut("too many others are in their handshakes"));
    connection.start(options, this::connectionClosed);
    if (closing) {
      connection.cut();
    }
  }

  /** Called when a connection has shown its token; whether there is room for it. */
  private boolean admit(Connection connection) {
    pending.remove(connection);
    if (admitted.incrementAndGet() > MAX_CONNECTIONS) {
      admitted.decrementAndGet();
      return false;
    }
    return true;
  }

  private void connectionClosed(Connection connection, boolean wasAdmitted) {
    pending.remove(connection);
    connections.remove(connection);
    if (wasAdmitted) {
      admitted.decrementAndGet();
    }
  }

  private void cutOverdue() {
    if (System.nanoTime() - lastCheckNanos
        > TimeUnit.MILLISECONDS.toNanos(HANDSHAKE_CHECK_INTERVAL_MILLIS)) {
      lastCheckNanos = System.nanoTime();
      for (Connection overdue : pending.takeOverdue()) {
        overdue.cut("the handshake took more than " + handshakeMillis + " ms");
      }
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(ACCEPT_RETRY_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
