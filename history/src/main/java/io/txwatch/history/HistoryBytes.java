package io.txwatch.history;

import java.util.List;

/** A short history in memory: the content of a file that its writer closed in order. */
public final class HistoryBytes {

  private static final int BYTES = 1 << 12;

  private HistoryBytes() {}

  /**
   * The content of a file with these events.
   *
   * @param node the writer's name, for display
   */
  public static byte[] of(String node, List<Event> events) {
    EventEncoder encoder = new EventEncoder();
    RecordBuffer buffer = new RecordBuffer(BYTES);
    boolean containsValues = events.stream().anyMatch(Event.ValuesRecorded.class::isInstance);
    buffer.add(encoder.header(node, 0, containsValues));
    for (Event event : events) {
      buffer.add(encoder.encode(event));
    }
    buffer.add(encoder.closed(events.size()));
    return buffer.copy();
  }
}
