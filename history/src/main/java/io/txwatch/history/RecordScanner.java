package io.txwatch.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the intact records of a file. After a damaged record it searches byte by byte for
 * the start of the next intact one; the checksum excludes accidental matches.
 *
 * <p>It reads up to the file's size at the scanner's creation. Not thread-safe.
 */
final class RecordScanner {

  private static final int WINDOW_BYTES = 1 << 20;

  private final FileChannel channel;
  private final long size;
  private final RecordFrame frame = new RecordFrame();

  private byte[] window = new byte[WINDOW_BYTES];
  private long windowAt;
  private int windowLength;

  private long next;
  private long skippedFrom;
  private long recordAt;
  private int bodySize;

  RecordScanner(FileChannel channel) throws IOException {
    this(channel, 0);
  }

  /** Starts at an offset, which need not be the start of a record. */
  RecordScanner(FileChannel channel, long from) throws IOException {
    this.channel = channel;
    this.size = channel.size();
    this.next = from;
  }

  /** Advances to the next intact record; false if there is none before the end of the file. */
  boolean advance() throws IOException {
    skippedFrom = next;
    for (long at = next; at < size; at++) {
      int body = intactBodyAt(at);
      if (body >= 0) {
        recordAt = at;
        bodySize = body;
        next = at + RecordFrame.overhead(body) + body;
        return true;
      }
    }
    recordAt = size;
    bodySize = 0;
    return false;
  }

  /** True if an intact record begins exactly where the last one ended. */
  boolean isIntactNext() throws IOException {
    return next < size && intactBodyAt(next) >= 0;
  }

  /** The offset of the current record; the file's size if {@link #advance} found none. */
  long offset() {
    return recordAt;
  }

  /** The offset at which the last intact record ends. */
  long end() {
    return next;
  }

  /** The number of bytes immediately before the current record that belong to no intact record. */
  long skipped() {
    return recordAt - skippedFrom;
  }

  /** The body of the current record, valid until the next advance. */
  ByteBuffer body() {
    return ByteBuffer.wrap(window, bodyAt(), bodySize);
  }

  /** The event of the current record, if it is of a frequent kind; else null. */
  @Nullable Event event(EventDecoder decoder) {
    return decoder.decode(window, bodyAt(), bodySize);
  }

  private int bodyAt() {
    return (int) (recordAt - windowAt) + RecordFrame.overhead(bodySize);
  }

  private int intactBodyAt(long at) throws IOException {
    load(at, RecordFrame.MAX_OVERHEAD_BYTES);
    int body = RecordFrame.bodySize(window, (int) (at - windowAt), windowLength);
    if (body < 0 || at + RecordFrame.overhead(body) + body > size) {
      return -1;
    }
    load(at, RecordFrame.overhead(body) + body);
    return frame.isIntact(window, (int) (at - windowAt), body) ? body : -1;
  }

  /** Loads {@code length} bytes from {@code at}, or fewer at the end of the file. */
  private void load(long at, int length) throws IOException {
    long wanted = Math.min(at + length, size);
    if (at >= windowAt && wanted <= windowAt + windowLength) {
      return;
    }
    if (length > window.length) {
      window = new byte[length];
    }
    ByteBuffer target = ByteBuffer.wrap(window);
    target.limit((int) Math.min(window.length, size - at));
    while (target.hasRemaining() && channel.read(target, at + target.position()) > 0) {
      // read on
    }
    windowAt = at;
    windowLength = target.position();
    if (at + windowLength < wanted) {
      throw new IOException("the file shrank while it was read");
    }
  }
}
