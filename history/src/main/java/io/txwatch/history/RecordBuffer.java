package io.txwatch.history;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Records, one behind the other, in memory. For one thread. */
final class RecordBuffer {

  private final RecordFrame frame = new RecordFrame();
  private final int usual;
  private byte[] bytes;
  private int size;

  /** A buffer that holds {@code usual} bytes before it grows. */
  RecordBuffer(int usual) {
    this.usual = usual;
    this.bytes = new byte[usual];
  }

  /** Adds an entry, which is a record afterwards. */
  void add(ReverseProtobufBuffer entry) {
    frame.complete(entry);
    int more = entry.size();
    if (size + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(size + more, 2 * bytes.length));
    }
    entry.copyTo(bytes, size);
    size += more;
  }

  /** How many bytes there are. */
  int size() {
    return size;
  }

  /** What there is, until the next change. */
  ByteBuffer contents() {
    return ByteBuffer.wrap(bytes, 0, size);
  }

  /** A copy of what there is. */
  byte[] copy() {
    return Arrays.copyOf(bytes, size);
  }

  /** Empties it; what an unusual event made of it is given back. */
  void clear() {
    size = 0;
    if (bytes.length > 16 * usual) {
      bytes = new byte[usual];
    }
  }
}
