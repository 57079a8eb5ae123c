package io.txwatch.link;

import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Loss;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads the events of a topic, from its first record to the last one that it had when it was
 * opened. Those of one session are in order.
 *
 * <p>What is missing yields a {@link Event.Gap} and a {@link Loss}, as in a file: records that
 * never arrived or were removed by the topic's retention, and the end of a process that still runs
 * or was killed.
 */
public final class TopicReader implements Closeable {

  private static final long POLL_MILLIS = 200;

  private final TopicAddress address;
  private final TopicInput input;
  private final TopicStreams streams = new TopicStreams();
  private final List<Loss> losses = new ArrayList<>();
  private volatile long read;

  /** Reads an open topic, and closes it at last. */
  public TopicReader(TopicAddress address, TopicInput input) {
    this.address = address;
    this.input = input;
  }

  /** How many records were read. For a display of progress, on any thread. */
  public long read() {
    return read;
  }

  /** Passes every event to {@code consumer}. */
  public void forEach(Consumer<? super Event> consumer) throws IOException {
    while (!input.isAtEnd()) {
      for (TopicInput.Received received : input.poll(POLL_MILLIS)) {
        read++;
        TopicRecord next;
        List<Event> events;
        try {
          next = TopicRecord.of(received.headers(), received.value());
          events = Chunk.decode(next.value());
        } catch (TopicRecord.NewerVersionException e) {
          throw new IOException(address + ", " + received.position() + ": " + e.getMessage(), e);
        } catch (IOException e) {
          lose(received.position() + ": " + e.getMessage(), consumer);
          continue;
        }
        streams.accept(next, events, consumer, what -> lose(what, consumer));
      }
    }
    for (String running : streams.running()) {
      lose(running + " still writes or was killed", consumer);
    }
  }

  private void lose(String what, Consumer<? super Event> consumer) {
    losses.add(new Loss(0, 0, what));
    consumer.accept(new Event.Gap(0, 0, GapReason.CUT_OFF, what, 1));
  }

  /** Returns the losses found so far. */
  public List<Loss> losses() {
    return List.copyOf(losses);
  }

  @Override
  public void close() throws IOException {
    input.close();
  }
}
