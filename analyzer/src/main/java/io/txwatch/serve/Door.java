package io.txwatch.serve;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Where connections come in, with those that are open. Safe for many threads. */
final class Door {

  private static final int MOST_CONNECTIONS = 256;
  private static final int WAITING = 64;
  private static final long AFTER_A_FAULT_MILLIS = 100;

  private final ServerOptions options;
  private final Intake intake;
  private final RareLines lines;
  private final ServerSocket socket = new ServerSocket();
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
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
    try {
      socket.setReuseAddress(true);
      socket.bind(options.listen().socketAddress(), WAITING);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  /** Lets in who comes, from now on. */
  void open() {
    Thread thread = new Thread(null, this::letIn, "txwatch-door", 0, false);
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

  private void letIn() {
    while (!closing) {
      try {
        Socket caller = socket.accept();
        if (connections.size() >= MOST_CONNECTIONS) {
          lines.say(MOST_CONNECTIONS + " connections are open, one more was closed");
          caller.close();
          continue;
        }
        Connection connection = new Connection(caller, intake, lines, connections::remove);
        connections.add(connection);
        connection.start(options);
        if (closing) {
          connection.cut();
        }
      } catch (IOException e) {
        if (!closing) {
          lines.say("cannot take a connection: " + e.getMessage());
          pause();
        }
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
