package io.txwatch.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.BufferedReader;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;

/**
 * The streams between a client and the server, so that the server ends when the client's stream has
 * ended and its last request is answered: a script may write its requests, and read the answers.
 *
 * <p>Lines that are not messages are left out: at one, the SDK's transport would stop reading, and
 * the process would go on without ever answering.
 */
final class Conversation {

  /** How the SDK writes an answer: its id before all else. */
  private static final String ANSWER = "{\"jsonrpc\":\"2.0\",\"id\":";

  private final McpJsonMapper mapper;
  private final CountDownLatch ended = new CountDownLatch(1);

  /** A party for each request that is not answered yet, and one for the client's stream. */
  private final Phaser requests = new Phaser(1);

  Conversation(McpJsonMapper mapper) {
    this.mapper = mapper;
  }

  /** Waits until the client's stream has ended, and its requests are answered. */
  void awaitEnd() throws InterruptedException {
    ended.await();
  }

  InputStream messages(InputStream in) {
    return new Messages(in);
  }

  OutputStream answers(OutputStream out) {
    return new Answers(out);
  }

  private final class Messages extends InputStream {

    private final BufferedReader lines;
    private byte[] line = {};
    private int next;

    Messages(InputStream in) {
      this.lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    @Override
    public int read() throws IOException {
      return fill() ? line[next++] & 0xff : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      } else if (!fill()) {
        return -1;
      }
      int count = Math.min(length, line.length - next);
      System.arraycopy(line, next, bytes, offset, count);
      next += count;
      return count;
    }

    @Override
    public int available() {
      return line.length - next;
    }

    /** Whether there is a byte that was not read: the next message is read if needed. */
    private boolean fill() throws IOException {
      while (next == line.length) {
        String text = lines.readLine();
        if (text == null) {
          if (ended.getCount() > 0) {
            requests.arriveAndAwaitAdvance();
            ended.countDown();
          }
          return false;
        } else if (isMessage(text)) {
          line = (text + "\n").getBytes(StandardCharsets.UTF_8);
          next = 0;
        } else if (!text.isBlank()) {
          System.err.println("txwatch: a line of standard input is not a message of MCP, ignored");
        }
      }
      return true;
    }

    private boolean isMessage(String text) {
      try {
        if (McpSchema.deserializeJsonRpcMessage(mapper, text) instanceof McpSchema.JSONRPCRequest) {
          requests.register();
        }
        return true;
      } catch (IOException | IllegalArgumentException e) {
        return false;
      }
    }
  }

  private final class Answers extends FilterOutputStream {

    private final StringBuilder start = new StringBuilder();

    Answers(OutputStream out) {
      super(out);
    }

    @Override
    public void write(int b) throws IOException {
      out.write(b);
      if (b != '\n') {
        if (start.length() < ANSWER.length()) {
          start.append((char) b);
        }
        return;
      }
      out.flush();
      if (ANSWER.contentEquals(start)) {
        requests.arriveAndDeregister();
      }
      start.setLength(0);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      for (int i = offset; i < offset + length; i++) {
        write(bytes[i]);
      }
    }
  }
}
