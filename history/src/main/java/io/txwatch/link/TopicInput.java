package io.txwatch.link;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the records of a topic, or of several: those of one key in order, others in any order. */
public interface TopicInput extends Closeable {

  /**
   * A record as it was read.
   *
   * @param position where it is, for display: partition and offset
   * @param topic its topic
   * @param key its key; null if it has none
   * @param headers its headers by name
   * @param value its value; null if it has none
   */
  record Received(
      String position,
      String topic,
      byte @Nullable [] key,
      Map<String, byte[]> headers,
      byte @Nullable [] value) {}

  /**
   * Returns the next records, or none if there are none within that time.
   *
   * @throws IOException if the topic cannot be read any more
   */
  List<Received> poll(long millis) throws IOException;

  /** True once everything was read that the topic contained when it was opened. */
  boolean isAtEnd();

  /**
   * True if everything was read that the topic contains now.
   *
   * @throws IOException if no broker answers
   */
  boolean isAtPresentEnd() throws IOException;
}
