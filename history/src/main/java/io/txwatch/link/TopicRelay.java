package io.txwatch.link;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.link.TopicRecord.Kind;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;

/**
 * Sends what processes write to a topic to a shared analyzer, each {@linkplain TopicRecord stream}
 * as a client of its own. Numbers of records are those of chunks, so that the analyzer processes
 * each once and detects which are missing, also after a restart.
 *
 * <p>It reads from the topic's first record, and does not end at the last one.
 */
public final class TopicRelay implements Closeable {

  private static final long POLL_MILLIS = 200;
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long CLOSE_TIMEOUT_MILLIS = 2_000;

  private final TopicAddress address;
  private final TopicInput input;
  private final InetSocketAddress server;
  private final Optional<SSLContext> tls;
  private final String token;
  private final Consumer<String> log;
  private final Thread thread;
  private final Map<Long, RelayedStream> streams = new LinkedHashMap<>();
  private boolean caughtUp;
  private boolean strangerReported;
  private long lastAlive = System.nanoTime();
  private volatile boolean closing;

  /**
   * Starts to read.
   *
   * @param server the analyzer's address, on this machine
   * @param certificate the analyzer's certificate (PEM) if it uses TLS
   * @param token the analyzer's token; empty if it requires none
   * @param log receives lines about failures
   * @throws IOException if the certificate cannot be read
   */
  public TopicRelay(
      TopicAddress address,
      TopicInput input,
      InetSocketAddress server,
      Optional<Path> certificate,
      String token,
      Consumer<String> log)
      throws IOException {
    this.address = address;
    this.input = input;
    this.server =
        server.getAddress().isAnyLocalAddress()
            ? new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort())
            : server;
    this.tls = certificate.isPresent() ? Optional.of(Tls.client(certificate)) : Optional.empty();
    this.token = token;
    this.log = log;
    this.thread = BackgroundThreads.create("txwatch-relay", this::run);
    this.thread.start();
  }

  private void run() {
    try (input) {
      while (!closing) {
        for (TopicInput.Received received : input.poll(POLL_MILLIS)) {
          received(received);
        }
        if (System.nanoTime() - lastAlive > Frames.KEEPALIVE_INTERVAL_NANOS) {
          lastAlive = System.nanoTime();
          tick();
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      if (!closing) {
        log.accept(address + ": nothing more is read: " + e.getMessage());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      streams.values().forEach(RelayedStream::cut);
    }
  }

  private void received(TopicInput.Received received) throws IOException, InterruptedException {
    TopicRecord next;
    try {
      next = TopicRecord.of(received.headers(), received.value());
    } catch (TopicRecord.NewerVersionException e) {
      throw new IOException(received.position() + ": " + e.getMessage(), e);
    } catch (IOException e) {
      if (!strangerReported) {
        strangerReported = true;
        log.accept(address + ", " + received.position() + ": skipped: " + e.getMessage());
      }
      return;
    }
    RelayedStream stream = streams.get(next.client());
    if (stream == null) {
      stream = new RelayedStream(next.client(), next.service(), server, tls, token, () -> closing);
      streams.put(next.client(), stream);
    }
    stream.take(next);
    if (next.kind() == Kind.END && caughtUp) {
      end(stream);
    }
  }

  private void end(RelayedStream stream) throws InterruptedException {
    stream.end();
    streams.remove(stream.client());
  }

  /**
   * A stream that ended is closed once everything was read that the topic had at the start: until
   * then, streams may come that its transactions overlap with.
   */
  private void tick() throws IOException, InterruptedException {
    if (!caughtUp && input.isAtEnd()) {
      caughtUp = true;
      for (RelayedStream stream : streams.values().toArray(RelayedStream[]::new)) {
        if (stream.hasEnded()) {
          end(stream);
        }
      }
    }
    boolean someSilent = false;
    for (RelayedStream stream : streams.values()) {
      stream.alive();
      someSilent |= stream.isSilent(SILENCE_NANOS);
    }
    if (someSilent && isAtPresentEnd()) {
      streams.values().stream()
          .filter(stream -> stream.isSilent(SILENCE_NANOS))
          .forEach(RelayedStream::cut);
    }
  }

  /** False if no broker answers: it is not the processes that are silent. */
  private boolean isAtPresentEnd() {
    try {
      return input.isAtPresentEnd();
    } catch (IOException e) {
      return false;
    }
  }

  /** Stops reading, and cuts the connections to the analyzer. */
  @Override
  public void close() {
    closing = true;
    try {
      thread.join(CLOSE_TIMEOUT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
