package io.txwatch.changes.binlog;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;

/** A cursor over the bytes of an event. Reading beyond the end throws {@link MalformedEvent}. */
final class EventBytes {

  private final byte[] bytes;
  private final int end;
  private int at;

  EventBytes(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  EventBytes(byte[] bytes, int from, int end) {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
  }

  int remaining() {
    return end - at;
  }

  void skip(int count) {
    at = checked(count);
  }

  private int checked(int count) {
    if (count < 0 || count > end - at) {
      throw new MalformedEvent(count + " bytes expected, " + (end - at) + " left");
    }
    return at + count;
  }

  int unsignedByte() {
    int next = checked(1);
    int value = bytes[at] & 0xff;
    at = next;
    return value;
  }

  /** An unsigned number of up to 8 bytes, the least significant first. */
  long littleEndian(int count) {
    int next = checked(count);
    long value = 0;
    for (int i = next - 1; i >= at; i--) {
      value = value << 8 | bytes[i] & 0xff;
    }
    at = next;
    return value;
  }

  /** An unsigned number of up to 8 bytes, the most significant first. */
  long bigEndian(int count) {
    int next = checked(count);
    long value = 0;
    for (int i = at; i < next; i++) {
      value = value << 8 | bytes[i] & 0xff;
    }
    at = next;
    return value;
  }

  /** A length-encoded number of the client protocol. */
  long packed() {
    int first = unsignedByte();
    return switch (first) {
      case 0xfc -> littleEndian(2);
      case 0xfd -> littleEndian(3);
      case 0xfe -> littleEndian(8);
      case 0xfb, 0xff -> throw new MalformedEvent("not a length: " + first);
      default -> first;
    };
  }

  int packedInt() {
    long value = packed();
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw new MalformedEvent("a length of " + value);
    }
    return (int) value;
  }

  byte[] take(int count) {
    int next = checked(count);
    byte[] taken = Arrays.copyOfRange(bytes, at, next);
    at = next;
    return taken;
  }

  byte[] rest() {
    return take(remaining());
  }

  /** A text in UTF-8, or whatever the session had, where only ASCII matters. */
  String text(int count) {
    return new String(take(count), StandardCharsets.UTF_8);
  }

  BitSet bits(int count) {
    return BitSet.valueOf(take((count + 7) / 8)).get(0, count);
  }
}
