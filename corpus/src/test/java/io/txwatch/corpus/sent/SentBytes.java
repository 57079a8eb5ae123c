package io.txwatch.corpus.sent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A relay of TCP connections on the loopback interface that records each byte that a client sends,
 * by connection and in order. What it records is what the server receives if the protocol is not
 * encrypted.
 */
public final class SentBytes implements AutoCloseable {

  private static final int MAX_SECONDS = 20;

  /** Changes what the server sends first, before the client receives it. */
  public interface Greeting {
    byte[] changed(byte[] sent);
  }

  /** What one client has sent. */
  public static final class OfClient {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CountDownLatch ended = new CountDownLatch(1);

    /** What was sent so far. */
    public synchronized byte[] bytes() {
      return bytes.toByteArray();
    }

    private synchronized void add(byte[] buffer, int length) {
      bytes.write(buffer, 0, length);
    }

    /** Waits until the client has closed its connection; {@link #bytes} are all then. */
    public void awaitEnd() throws InterruptedException {
      if (!ended.await(MAX_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the client's connection is still open");
      }
    }
  }

  private final ServerSocket accepting;
  private final String host;
  private final int port;
  private final Greeting greeting;
  private final List<OfClient> clients = new ArrayList<>();
  private final Map<Socket, Boolean> open = new ConcurrentHashMap<>();

  private SentBytes(String host, int port, Greeting greeting) throws IOException {
    this.accepting = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    this.host = host;
    this.port = port;
    this.greeting = greeting;
    start("relay", this::accept);
  }

  /** Begins to relay to a server. */
  public static SentBytes to(String host, int port) throws IOException {
    return new SentBytes(host, port, sent -> sent);
  }

  /** Begins to relay to a server that greets its clients differently than it does. */
  public static SentBytes to(String host, int port, Greeting greeting) throws IOException {
    return new SentBytes(host, port, greeting);
  }

  /** The port to connect to instead of the server's. */
  public int port() {
    return accepting.getLocalPort();
  }

  /** The clients so far, in the order in which they connected. */
  public List<OfClient> clients() {
    synchronized (clients) {
      return List.copyOf(clients);
    }
  }

  private void accept() {
    try {
      while (!accepting.isClosed()) {
        Socket client = accepting.accept();
        Socket server;
        try {
          server = new Socket(host, port);
        } catch (IOException e) {
          client.close(); // as the server refuses it
          continue;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        open.put(client, true);
        open.put(server, true);
        OfClient recorded = new OfClient();
        synchronized (clients) {
          clients.add(recorded);
        }
        start("from-client", () -> fromClient(client, server, recorded));
        start("from-server", () -> fromServer(server, client));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void fromClient(Socket client, Socket server, OfClient recorded) {
    byte[] buffer = new byte[1 << 14];
    try {
      InputStream in = client.getInputStream();
      OutputStream out = server.getOutputStream();
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        recorded.add(buffer, length);
        out.write(buffer, 0, length);
      }
    } catch (IOException e) {
      // either end is closed
    }
    recorded.ended.countDown();
    close(client, server);
  }

  private void fromServer(Socket server, Socket client) {
    byte[] buffer = new byte[1 << 14];
    try {
      InputStream in = server.getInputStream();
      OutputStream out = client.getOutputStream();
      int length = in.read(buffer);
      if (length >= 0) {
        out.write(greeting.changed(Arrays.copyOf(buffer, length)));
        for (length = in.read(buffer); length >= 0; length = in.read(buffer)) {
          out.write(buffer, 0, length);
        }
      }
    } catch (IOException e) {
      // either end is closed
    }
    close(client, server);
  }

  private void close(Socket... sockets) {
    for (Socket socket : sockets) {
      open.remove(socket);
      try {
        socket.close();
      } catch (IOException e) {
        // it is closed
      }
    }
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, "sent-bytes-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    accepting.close();
    close(open.keySet().toArray(Socket[]::new));
  }
}
