package io.txwatch.interleave.service;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/** A connection between a controller and a gate: each message is one line of JSON. */
public final class GateConnection implements AutoCloseable {

  /** The version of the protocol, which both ends must have. */
  public static final int VERSION = 1;

  /** The largest message. */
  public static final int MAX_LINE_BYTES = 4 << 20;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /** Messages on a socket, which is closed with it. */
  public GateConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
    socket.setTcpNoDelay(true);
  }

  /** Sends a message. For any thread. */
  public void send(GateMessage message) throws IOException {
    byte[] line = MessageJson.write(message);
    synchronized (out) {
      out.write(line);
      out.write('\n');
      out.flush();
    }
  }

  /**
   * Receives the next message. For one thread.
   *
   * @param maxBytes the largest one that is accepted
   * @return null if the other end has closed the connection
   * @throws IOException if something else arrives
   */
  public @Nullable GateMessage receive(int maxBytes) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        return null;
      }
      if (line.size() == maxBytes) {
        throw new IOException("a message is longer than " + maxBytes + " bytes");
      }
      line.write(next);
    }
    return MessageJson.read(line.toByteArray());
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
