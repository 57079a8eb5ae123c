package io.txwatch.changes.debezium;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A key or value in Avro: a byte 0, the number of its schema in four bytes, and what Avro's
 * specification describes as binary encoding. It is read here, because Avro's library would bring
 * seven other jars into every process that has this class.
 */
final class AvroBytes {

  private static final int MAX_SHIFT = 63;
  private static final int BITS = 7;
  private static final int HEADER = 5;

  private final ByteBuffer in;

  private AvroBytes(byte[] bytes) {
    in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** True if it begins as a record in Avro does, and JSON cannot. */
  static boolean isAvro(byte[] bytes) {
    return bytes.length > 0 && bytes[0] == 0;
  }

  /**
   * Reads a key or a value, with its schema, as Kafka Connect's JSON has both.
   *
   * @throws IOException if it is not as its schema states
   */
  static Object read(byte[] bytes, @Nullable SchemaRegistry registry) throws IOException {
    if (registry == null) {
      throw new IOException("a record in Avro; --schema-registry names the registry of its schema");
    }
    if (bytes.length < HEADER) {
      throw new IOException("a record in Avro without the number of its schema");
    }
    int id = ByteBuffer.wrap(bytes).getInt(1);
    AvroSchema schema = registry.schema(id);
    AvroBytes in = new AvroBytes(bytes);
    in.in.position(HEADER);
    try {
      Map<String, @Nullable Object> wrapped = new LinkedHashMap<>();
      wrapped.put("schema", schema.connect());
      wrapped.put("payload", schema.value(in));
      if (in.in.hasRemaining()) {
        throw new IOException("bytes after its end");
      }
      return wrapped;
    } catch (IOException | BufferUnderflowException | ArithmeticException e) {
      throw new IOException(
          "a record in Avro that does not fit its schema " + id + ": " + reason(e), e);
    }
  }

  private static String reason(Exception e) {
    return e instanceof BufferUnderflowException
        ? "it is too short"
        : String.valueOf(e.getMessage());
  }

  boolean bool() throws IOException {
    return switch (in.get()) {
      case 0 -> false;
      case 1 -> true;
      default -> throw new IOException("no boolean");
    };
  }

  /** An integer: groups of seven bits, the lowest first, with its sign in the lowest bit. */
  long number() throws IOException {
    long bits = 0;
    for (int shift = 0; shift <= MAX_SHIFT; shift += BITS) {
      byte next = in.get();
      bits |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return bits >>> 1 ^ -(bits & 1);
      }
    }
    throw new IOException("an integer of more than ten bytes");
  }

  float float32() {
    return in.getFloat();
  }

  double float64() {
    return in.getDouble();
  }

  /** The number of bytes that follow. */
  int length() throws IOException {
    return checked(number());
  }

  private int checked(long length) throws IOException {
    if (length < 0 || length > in.remaining()) {
      throw new IOException("a length of " + length + " where " + in.remaining() + " bytes follow");
    }
    return (int) length;
  }

  String text() throws IOException {
    return new String(bytes(length()), StandardCharsets.UTF_8);
  }

  String base64(int length) throws IOException {
    return Base64.getEncoder().encodeToString(bytes(checked(length)));
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  /** An index below a limit. */
  int index(int limit) throws IOException {
    long index = number();
    if (index < 0 || index >= limit) {
      throw new IOException("the index " + index + " of " + limit);
    }
    return (int) index;
  }

  /** How many items follow; 0 at the end. A negative count is followed by the size in bytes. */
  int blockCount() throws IOException {
    long count = number();
    if (count < 0) {
      length();
      count = -count;
    }
    return checked(count);
  }
}
