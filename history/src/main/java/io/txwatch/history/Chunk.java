package io.txwatch.history;

import com.google.protobuf.InvalidProtocolBufferException;
import io.txwatch.history.wire.Entry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of a history by itself, as it goes over a wire: a header, its own dictionary, records
 * each with its check. So it can be sent again on another connection as it is, and understood
 * without what went before.
 *
 * @param bytes its records
 * @param events how many events there are in it
 */
public record Chunk(byte[] bytes, int events) {

  /** The longest event that is sent, in bytes; in place of a longer one goes a gap. */
  public static final int MAX_EVENT_BYTES = 1 << 22;

  /** Makes chunks. For one thread at a time. */
  public static final class Builder {

    private final RecordBuffer buffer;
    private final EventEncoder encoder = new EventEncoder();
    private final String node;
    private int events;

    /**
     * A builder of chunks.
     *
     * @param node who writes, for people
     * @param usual bytes that a chunk usually takes
     */
    public Builder(String node, int usual) {
      this.node = node;
      this.buffer = new RecordBuffer(usual + usual / 4);
    }

    /** Adds an event. */
    public void add(Event event) {
      if (buffer.size() == 0 || encoder.isFull()) {
        begin();
      }
      ReverseProtobufBuffer entry;
      try {
        entry = encoder.encode(event);
      } catch (RuntimeException e) {
        // Texts may have got into the dictionary that are not in a record: begin anew.
        begin();
        throw e;
      }
      if (entry.size() > MAX_EVENT_BYTES) {
        begin();
        entry = encoder.encode(EventDecoder.gapOf(event, "a statement of more than 4 MiB"));
      }
      buffer.add(entry);
      events++;
    }

    /** How many events were added since the last chunk. */
    public int events() {
      return events;
    }

    /** How many bytes they take. */
    public int size() {
      return events == 0 ? 0 : buffer.size();
    }

    /** A chunk of the events that were added since the last one. */
    public Chunk take() {
      Chunk chunk = new Chunk(buffer.copy(), events);
      buffer.clear();
      events = 0;
      return chunk;
    }

    private void begin() {
      buffer.add(encoder.header(node, 0));
    }
  }

  /**
   * The events of a chunk that came over a wire. One that a later version wrote and that is not
   * known here is a gap of its transaction.
   *
   * @throws IOException if the bytes are no chunk
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

  /** The event of an entry of any kind; null if it is a header. */
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
