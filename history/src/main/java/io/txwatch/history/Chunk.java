package io.txwatch.history;

import com.google.protobuf.InvalidProtocolBufferException;
import io.txwatch.history.wire.Entry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A self-contained segment of a history, the unit of transfer over a network: a header, its own
 * dictionary, and records with checksums. A chunk can be sent again unchanged on another connection
 * and decoded without earlier chunks.
 *
 * @param bytes its records
 * @param events how many events there are in it
 */
public record Chunk(byte[] bytes, int events) {

  /** The maximum size of an event, in bytes. A larger event is replaced by a gap. */
  public static final int MAX_EVENT_BYTES = 1 << 22;

  /**
   * The maximum size of the rows that an event has, in bytes as they are encoded: what is left of
   * {@link #MAX_EVENT_BYTES} is enough for the rest of it. Smaller in a small heap.
   */
  public static final int MAX_ROWS_BYTES =
      (int) Math.min(MAX_EVENT_BYTES - (1 << 18), Runtime.getRuntime().maxMemory() / 64);

  /** Builds chunks. Not thread-safe. */
  public static final class Builder {

    private final RecordBuffer buffer;
    private final EventEncoder encoder = new EventEncoder();
    private final String node;
    private final int maxEvent;
    private int events;

    /**
     * A builder of chunks.
     *
     * @param node the writer's name, for display
     * @param usual the usual size of a chunk in bytes
     */
    public Builder(String node, int usual) {
      this(node, usual, MAX_EVENT_BYTES);
    }

    /**
     * A builder of chunks for a destination that accepts less.
     *
     * @param maxEvent the maximum size of an event, in bytes
     */
    public Builder(String node, int usual, int maxEvent) {
      this.node = node;
      this.maxEvent = maxEvent;
      this.buffer = new RecordBuffer(usual + usual / 4);
    }

    public void add(Event event) {
      if (buffer.size() == 0 || encoder.isFull()) {
        begin();
      }
      ReverseProtobufBuffer entry;
      try {
        entry = encoder.encode(event);
      } catch (RuntimeException e) {
        // The dictionary may contain texts that no record defines: start a new segment.
        begin();
        throw e;
      }
      if (entry.size() > maxEvent) {
        begin();
        entry =
            encoder.encode(
                EventDecoder.gapOf(event, "a statement of more than " + (maxEvent >> 10) + " KiB"));
      }
      buffer.add(entry);
      events++;
    }

    /** The number of events added since the last chunk. */
    public int events() {
      return events;
    }

    /** Their encoded size in bytes. */
    public int size() {
      return events == 0 ? 0 : buffer.size();
    }

    /** Returns a chunk of the events added since the last one. */
    public Chunk take() {
      Chunk chunk = new Chunk(buffer.copy(), events);
      buffer.clear();
      events = 0;
      return chunk;
    }

    private void begin() {
      buffer.add(encoder.header(node, 0, false));
    }
  }

  /**
   * Decodes a received chunk. An event of a kind that only a later version knows becomes a gap in
   * its transaction.
   *
   * @throws IOException if the bytes are not a chunk
   */
  public static List<Event> decode(byte[] bytes) throws IOException {
    RecordFrame frame = new RecordFrame();
    EventDecoder decoder = new EventDecoder();
    List<Event> events = new ArrayList<>();
    for (int at = 0; at < bytes.length; ) {
      int body = RecordFrame.bodySize(bytes, at, bytes.length);
      int bodyAt = body < 0 ? 0 : at + RecordFrame.overhead(body);
      if (body < 0 || body > bytes.length - bodyAt || !frame.isIntact(bytes, at, body)) {
        throw new IOException("expected a record of a history at byte " + at + " of the chunk");
      }
      Event event = decoder.decode(bytes, bodyAt, body);
      if (event == null) {
        event = unusual(decoder, bytes, bodyAt, body);
      }
      if (event != null) {
        events.add(event);
      }
      at = bodyAt + body;
    }
    return events;
  }

  /** Decodes an entry of any kind; returns null for a header. */
  private static @Nullable Event unusual(EventDecoder decoder, byte[] bytes, int at, int length)
      throws IOException {
    Entry entry;
    try {
      entry = Entry.parser().parseFrom(bytes, at, length);
    } catch (InvalidProtocolBufferException e) {
      throw new IOException("a record of the chunk is no entry of a history", e);
    }
    if (entry.hasHeader()) {
      decoder.restart();
    }
    decoder.learn(entry);
    return entry.hasHeader() ? null : decode(decoder, entry);
  }

  private static Event decode(EventDecoder decoder, Entry entry) {
    try {
      return decoder.decode(entry);
    } catch (IllegalArgumentException e) {
      return EventDecoder.gapOf(
          entry, GapReason.TORN_RECORD, "a record cannot be understood: " + e.getMessage());
    }
  }
}
