package io.txwatch.page;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.link.Address;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A small HTTP server for a process that belongs to an application: however many connections
 * clients open, and whatever they send or do not read, it uses at most {@value #MAX_CONNECTIONS}
 * sockets and threads, and goes on to serve others.
 *
 * <p>A connection serves one request. It is closed when the request has not arrived within {@value
 * #MAX_REQUEST_SECONDS} seconds, or the response has not been read within {@value
 * HttpExchange#MAX_RESPONSE_SECONDS}. A connection beyond the limit, in total or of an address,
 * takes the place of the oldest one whose request has not arrived; if there is none, it is closed.
 *
 * <p>The server of the JDK is not used: its limits are system properties, so they would apply to
 * the servers of the application, and a request that is half sent occupies one of its threads.
 */
final class HttpListener implements AutoCloseable {

  static final int MAX_CONNECTIONS = 64;
  static final int MAX_PER_ADDRESS = 40;
  static final int MAX_REQUEST_SECONDS = 5;

  private static final int BACKLOG = 64;
  private static final int CHECK_INTERVAL_MILLIS = 250;
  private static final long ACCEPT_RETRY_MILLIS = 100;
  private static final long CLOSE_MILLIS = 1_000;

  /** Answers requests. */
  interface Handler {
    void handle(HttpExchange exchange) throws IOException, InterruptedException;
  }

  private final ServerSocket listening = new ServerSocket();
  private final Optional<SSLContext> tls;
  private final Handler handler;

  /** Oldest first; guarded by itself. */
  private final Set<Client> clients = new LinkedHashSet<>();

  /** One for each socket, until its thread has ended. */
  private final Semaphore sockets = new Semaphore(MAX_CONNECTIONS);

  private final Thread acceptor;
  private long lastCheckNanos = System.nanoTime();
  private volatile boolean closed;

  /**
   * Binds the address and starts to accept connections.
   *
   * @throws IOException if the address is not available
   */
  HttpListener(Address address, Optional<SSLContext> tls, Handler handler) throws IOException {
    this.tls = tls;
    this.handler = handler;
    try {
      listening.setReuseAddress(true);
      listening.setSoTimeout(CHECK_INTERVAL_MILLIS);
      listening.bind(address.socketAddress(), BACKLOG);
    } catch (IOException | RuntimeException e) {
      listening.close();
      throw e;
    }
    this.acceptor = BackgroundThreads.create("txwatch-http", this::run);
    acceptor.start();
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listening.getLocalSocketAddress();
  }

  @Override
  public void close() {
    closed = true;
    closeQuietly(listening);
    connected().forEach(Client::cut);
    try {
      acceptor.join(CLOSE_MILLIS); // the system closes the port when no one accepts any more
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!closed) {
      try {
        cutOverdue();
        accept(listening.accept());
      } catch (SocketTimeoutException e) {
        // No connection within the interval.
      } catch (IOException | OutOfMemoryError e) { // no descriptor, or no thread, is left
        pause();
      }
    }
  }

  private void accept(Socket socket) {
    Client client = new Client(socket);
    if (!makeRoom(client.address) || !acquireSocket()) {
      closeQuietly(socket);
      return;
    }
    synchronized (clients) {
      clients.add(client);
    }
    try {
      client.thread.start();
    } catch (OutOfMemoryError e) {
      end(client);
      throw e;
    }
    if (closed) {
      client.cut();
    }
  }

  /** Whether there is room for one more, if need be after the oldest has been closed. */
  private boolean makeRoom(InetAddress address) {
    synchronized (clients) {
      long ofAddress = clients.stream().filter(client -> client.address.equals(address)).count();
      return (ofAddress < MAX_PER_ADDRESS || cutOldest(client -> client.address.equals(address)))
          && (clients.size() < MAX_CONNECTIONS || cutOldest(client -> true));
    }
  }

  private boolean cutOldest(Predicate<Client> among) {
    for (Iterator<Client> all = clients.iterator(); all.hasNext(); ) {
      Client client = all.next();
      if (!client.hasRequest && among.test(client)) {
        all.remove();
        client.cut();
        return true;
      }
    }
    return false;
  }

  /** OperationWaits for the thread of a connection that was closed to make room. */
  private boolean acquireSocket() {
    try {
      return sockets.tryAcquire(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void end(Client client) {
    client.cut();
    synchronized (clients) {
      clients.remove(client);
    }
    sockets.release();
  }

  private void cutOverdue() {
    long now = System.nanoTime();
    if (now - lastCheckNanos > TimeUnit.MILLISECONDS.toNanos(CHECK_INTERVAL_MILLIS)) {
      lastCheckNanos = now;
      connected().stream().filter(client -> client.isOverdue(now)).forEach(Client::cut);
    }
  }

  private List<Client> connected() {
    synchronized (clients) {
      return List.copyOf(clients);
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(ACCEPT_RETRY_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void closeQuietly(Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException e) {
      // It is of no use any more.
    }
  }

  /** A connection, with the thread that serves it. */
  private final class Client {

    private final Socket socket;
    private final InetAddress address;
    private final Thread thread;
    private final long startNanos = System.nanoTime();
    private volatile boolean hasRequest;
    private volatile @Nullable HttpExchange exchange;

    private Client(Socket socket) {
      this.socket = socket;
      this.address = socket.getInetAddress();
      this.thread = BackgroundThreads.create("txwatch-http-client", this::run);
    }

    private void run() {
      try {
        socket.setTcpNoDelay(true);
        Socket spoken = tls.isEmpty() ? socket : secure(tls.get());
        HttpExchange received =
            HttpExchange.read(spoken.getInputStream(), spoken.getOutputStream());
        exchange = received;
        hasRequest = true;
        if (received.isWellFormed()) {
          handler.handle(received);
        }
        received.finish();
        spoken.close();
      } catch (IOException | RuntimeException | OutOfMemoryError e) {
        // The client has gone, was cut off, or speaks something else. Others are served.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        end(this);
      }
    }

    private SSLSocket secure(SSLContext context) throws IOException {
      SSLSocket secure =
          (SSLSocket) context.getSocketFactory().createSocket(socket, null, socket.getPort(), true);
      secure.setUseClientMode(false);
      secure.startHandshake();
      return secure;
    }

    private boolean isOverdue(long now) {
      HttpExchange received = exchange;
      return received == null
          ? now - startNanos > TimeUnit.SECONDS.toNanos(MAX_REQUEST_SECONDS)
          : received.isOverdue(now);
    }

    /** Closes the socket, which ends every read and write of the thread. */
    private void cut() {
      closeQuietly(socket);
      if (Thread.currentThread() != thread) {
        thread.interrupt();
      }
    }
  }
}
