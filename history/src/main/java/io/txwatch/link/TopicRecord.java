package io.txwatch.link;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A record of a topic with histories. Its value is a {@linkplain io.txwatch.history.Chunk chunk} of
 * a history, with a header and a dictionary of its own; everything else is in the record's headers.
 *
 * <p>A process writes one stream of records for each of its databases. The key is the same for all
 * records of a stream, so that they are in one partition, in order. Their numbers show a reader
 * which are missing and which came twice.
 *
 * @param client the stream's random number; not 0
 * @param number of {@link Kind#EVENTS}: the record's number in its stream, from 1; of the other
 *     kinds: the number of the last record of events before it
 * @param kind what the value contains
 * @param throughMillis everything that happened before this time, milliseconds since 1970 by the
 *     clock of the process, is in the stream's records up to this one; 0 if unknown
 * @param service the name of the process, for display
 * @param place the {@linkplain io.txwatch.history.Database#place place} of the database
 * @param value the chunk
 */
public record TopicRecord(
    long client,
    long number,
    Kind kind,
    long throughMillis,
    String service,
    String place,
    byte[] value) {

  /** The version of the headers and of the value. A reader rejects a higher one. */
  public static final int VERSION = 1;

  /** The maximum size of a value in bytes: brokers accept records of one mebibyte by default. */
  public static final int MAX_VALUE_BYTES = 990_000;

  private static final String VERSION_HEADER = "txwatch-version";
  private static final String CLIENT_HEADER = "txwatch-client";
  private static final String NUMBER_HEADER = "txwatch-number";
  private static final String KIND_HEADER = "txwatch-kind";
  private static final String THROUGH_HEADER = "txwatch-through";
  private static final String SERVICE_HEADER = "txwatch-service";
  private static final String PLACE_HEADER = "txwatch-database";

  /** What the value of a record contains. */
  public enum Kind {
    /** Events, in order. */
    EVENTS,
    /**
     * The sessions that are open, as {@code SessionOpened}. A reader that has not read the stream
     * from its start needs them; the others skip them. They also show that the process still runs.
     */
    SESSIONS,
    /** Nothing: the process has closed the stream in order. */
    END
  }

  /** The key: the database and the process. */
  public byte[] key() {
    return bytes(place + "\n" + Long.toHexString(client));
  }

  /** The headers, by name. */
  public Map<String, byte[]> headers() {
    Map<String, byte[]> headers = new LinkedHashMap<>();
    headers.put(VERSION_HEADER, bytes(VERSION));
    headers.put(CLIENT_HEADER, bytes(client));
    headers.put(NUMBER_HEADER, bytes(number));
    headers.put(KIND_HEADER, bytes(kind.name()));
    headers.put(THROUGH_HEADER, bytes(throughMillis));
    headers.put(SERVICE_HEADER, bytes(service));
    headers.put(PLACE_HEADER, bytes(place));
    return headers;
  }

  /**
   * Decodes a record that was read.
   *
   * @param value null for a record without a value
   * @throws IOException if it is no record of a history
   */
  public static TopicRecord of(Map<String, byte[]> headers, byte @Nullable [] value)
      throws IOException {
    long version = number(headers, VERSION_HEADER);
    if (version > VERSION) {
      throw new NewerVersionException(
          "its version is "
              + version
              + ", this txwatch reads up to "
              + VERSION
              + ": use a newer one");
    }
    String kind = text(headers, KIND_HEADER);
    for (Kind known : Kind.values()) {
      if (known.name().equals(kind)) {
        return new TopicRecord(
            number(headers, CLIENT_HEADER),
            number(headers, NUMBER_HEADER),
            known,
            number(headers, THROUGH_HEADER),
            text(headers, SERVICE_HEADER),
            text(headers, PLACE_HEADER),
            value == null ? new byte[0] : value);
      }
    }
    throw new IOException("expected a kind of record, not '" + kind + "'");
  }

  /** A record was written by a later version. */
  public static final class NewerVersionException extends IOException {

    private static final long serialVersionUID = 1;

    NewerVersionException(String message) {
      super(message);
    }
  }

  private static long number(Map<String, byte[]> headers, String name) throws IOException {
    byte[] bytes = headers.get(name);
    if (bytes == null || bytes.length != Long.BYTES) {
      throw new IOException("a record without the header " + name + " is none of txwatch");
    }
    return ByteBuffer.wrap(bytes).getLong();
  }

  private static String text(Map<String, byte[]> headers, String name) throws IOException {
    byte[] bytes = headers.get(name);
    if (bytes == null) {
      throw new IOException("a record without the header " + name + " is none of txwatch");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] bytes(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
