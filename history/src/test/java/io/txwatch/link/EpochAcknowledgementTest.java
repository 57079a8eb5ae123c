package io.txwatch.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Chunk;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import io.txwatch.history.QueueSink;
import io.txwatch.link.wire.Frame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The epochs that a client acknowledges, as the analyzer receives them. */
@Timeout(60)
class EpochAcknowledgementTest {

  /** An analyzer scripted by the test, behind the queue that every application uses. */
  private static final class ScriptedAnalyzer implements AutoCloseable {
    private final ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    final EventSink queue;
    private Socket client;
    final List<Event> events = new ArrayList<>();
    long chunks;
    long acknowledgedEpoch;

    ScriptedAnalyzer(long buffer) throws IOException {
      queue =
          new QueueSink(
              1 << 12,
              List.of(
                  new TcpSink(
                      new Address(false, "127.0.0.1", door.getLocalPort()),
                      "",
                      Optional.empty(),
                      buffer,
                      "service",
                      lines::add)));
      client = accept();
    }

    private Socket accept() throws IOException {
      Socket accepted = door.accept();
      accepted.setSoTimeout(20_000);
      assertThat(Frames.readBody(accepted.getInputStream(), length(accepted)).hasHello()).isTrue();
      Frames.write(accepted.getOutputStream(), Frames.welcome(0, false));
      return accepted;
    }

    private static int length(Socket from) throws IOException {
      return Frames.readLength(from.getInputStream(), Frames.MAX_FRAME_BYTES);
    }

    void ack(long through, long clock) throws IOException {
      Frames.write(client.getOutputStream(), Frames.ack(through, clock));
    }

    /** Reads the next frame; true if it contained events. */
    boolean next() throws IOException {
      Frame frame = Frames.readBody(client.getInputStream(), length(client));
      acknowledgedEpoch =
          frame.hasChunk()
              ? frame.getChunk().getAcknowledgedEpoch()
              : frame.getAlive().getAcknowledgedEpoch();
      if (frame.hasChunk()) {
        chunks++;
        events.addAll(Chunk.decode(frame.getChunk().getRecords().toByteArray()));
      }
      return frame.hasChunk();
    }

    void cutAndAwaitReconnect() throws IOException {
      client.close();
      client = accept();
    }

    @Override
    public void close() throws IOException {
      client.close();
      door.close();
      queue.close();
    }
  }

  private static Event opened(int session) {
    return new Event.SessionOpened(
        session, "s" + session, new Database(new Product("PostgreSQL", "18.6"), Map.of(), "db"));
  }

  @Test
  void epochIsAcknowledgedOnceAllEarlierEventsAreSent() throws Exception {
    try (ScriptedAnalyzer analyzer = new ScriptedAnalyzer(16 << 20)) {
      analyzer.queue.accept(opened(1));
      assertThat(analyzer.next()).isTrue();
      assertThat(analyzer.acknowledgedEpoch).isZero();
      analyzer.ack(1, 7);
      while (analyzer.acknowledgedEpoch == 0) {
        analyzer.next();
      }
      assertThat(analyzer.acknowledgedEpoch).isEqualTo(7);
      // Over a new connection there may be another analyzer, with a time of its own.
      analyzer.cutAndAwaitReconnect();
      analyzer.queue.accept(opened(2));
      while (analyzer.events.size() < 2) {
        analyzer.next();
        assertThat(analyzer.acknowledgedEpoch).isZero();
      }
      analyzer.ack(2, 3);
      while (analyzer.acknowledgedEpoch == 0) {
        analyzer.next();
      }
      assertThat(analyzer.acknowledgedEpoch).isEqualTo(3);
    }
  }

  /**
   * Each epoch is the number of events so far: as many must have arrived when it is acknowledged.
   */
  @Test
  void eventsBeforeAnAcknowledgedEpochHaveArrived() throws Exception {
    AtomicInteger happened = new AtomicInteger();
    try (ScriptedAnalyzer analyzer = new ScriptedAnalyzer(16 << 20)) {
      Thread application =
          new Thread(
              () -> {
                for (int i = 1; i <= 30_000; i++) {
                  analyzer.queue.accept(opened(i));
                  happened.set(i);
                  if (i % 50 == 0) {
                    Thread.yield();
                  }
                }
              });
      application.start();
      long most = 0;
      while (application.isAlive() || most < analyzer.events.size()) {
        analyzer.next();
        assertThat(analyzer.events.size()).isGreaterThanOrEqualTo((int) analyzer.acknowledgedEpoch);
        most = Math.max(most, analyzer.acknowledgedEpoch);
        analyzer.ack(analyzer.chunks, happened.get());
      }
      application.join();
      assertThat(most).isPositive();
    }
  }

  /** No epoch is acknowledged while events are dropped; later ones are. */
  @Test
  void droppedEventsDelayTheAcknowledgementOnlyTemporarily() throws Exception {
    try (ScriptedAnalyzer analyzer = new ScriptedAnalyzer(100_000)) {
      analyzer.queue.accept(opened(1));
      analyzer.next();
      analyzer.ack(0, 5);
      for (int i = 2; analyzer.lines.isEmpty(); i++) {
        analyzer.queue.accept(new Event.TransactionBegan(1, i, IsolationLevel.SERIALIZABLE, 0));
        if (i % 1_000 == 0) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
      }
      assertThat(analyzer.lines.take()).contains("the buffer is full");
      TimeUnit.MILLISECONDS.sleep(200); // it catches up meanwhile, and finds that it drops
      for (long clock = 6; analyzer.acknowledgedEpoch < 6; clock++) {
        analyzer.ack(analyzer.chunks, clock);
        analyzer.next();
      }
    }
  }
}
