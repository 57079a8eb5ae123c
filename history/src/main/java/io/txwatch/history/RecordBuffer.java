package io.txwatch.history;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A buffer of consecutive records. Not thread-safe. */
final class RecordBuffer {

  private final RecordFrame frame = new RecordFrame();
  private final int usual;
  private byte[] bytes;
  private int size;

  /** Creates a buffer with an initial capacity of {@code usual} bytes. */
  RecordBuffer(int usual) {
    this.usual = usual;
    this.bytes = new byte[usual];
  }

  /** Frames an entry as a record and adds it. */
  void add(ReverseProtobufBuffer entry) {
    frame.complete(entry);
    int more = entry.size();
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * bytes.length));
    }
    entry.copyTo(bytes, size);
    size += more;
  }

  int size() {
    return size;
  }

  /** A view of the content, valid until the next change. */
  ByteBuffer contents() {
    return ByteBuffer.wrap(bytes, 0, size);
  }

  byte[] copy() {
    return Arrays.copyOf(bytes, size);
  }

  /** Clears the buffer and releases memory that an unusually large event needed. */
  void clear() {
    size = 0;
    if (bytes.length > 16 * usual) {
      bytes = new byte[usual];
    }
  }
}
