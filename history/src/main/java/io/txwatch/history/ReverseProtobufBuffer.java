package io.txwatch.history;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * A buffer of protobuf-encoded bytes that is filled from its end to its beginning. A message is
 * preceded by its length; written backwards, the message comes first, so its length is known
 * without a separate pass that computes sizes level by level. Not thread-safe.
 */
final class ReverseProtobufBuffer {

  private static final int INITIAL_BYTES = 1 << 10;
  private static final int MAX_RETAINED_BYTES = 1 << 20;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes = new byte[INITIAL_BYTES];
  private int at = INITIAL_BYTES;

  /** Clears the buffer and releases memory that an unusually large message needed. */
  void clear() {
    if (bytes.length > MAX_RETAINED_BYTES) {
      bytes = new byte[INITIAL_BYTES];
    }
    at = bytes.length;
  }

  int size() {
    return bytes.length - at;
  }

  /** Copies the content to {@code target}, which must have room for it. */
  void copyTo(byte[] target, int from) {
    System.arraycopy(bytes, at, target, from, size());
  }

  /** Adds the content to a checksum. */
  void update(CRC32C check) {
    check.update(bytes, at, size());
  }

  void write(byte[] more) {
    ensureRoom(more.length);
    at -= more.length;
    System.arraycopy(more, 0, bytes, at, more.length);
  }

  void fixed64(long value) {
    ensureRoom(Long.BYTES);
    at -= Long.BYTES;
    LONGS.set(bytes, at, value);
  }

  void fixed32(int value) {
    ensureRoom(Integer.BYTES);
    at -= Integer.BYTES;
    INTS.set(bytes, at, value);
  }

  void varint(long value) {
    if (value >>> 7 == 0) {
      ensureRoom(1);
      bytes[--at] = (byte) value;
      return;
    }
    int length = (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7;
    ensureRoom(length);
    at -= length;
    long rest = value;
    for (int i = at; i < at + length - 1; i++) {
      bytes[i] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[at + length - 1] = (byte) rest;
  }

  /** Writes a varint field, omitted if it has its default, 0. */
  void varintField(int tag, long value) {
    if (value != 0) {
      varint(value);
      varint(tag);
    }
  }

  /** Writes a field of eight bytes, omitted if it has its default, 0. */
  void fixed64Field(int tag, long value) {
    if (value != 0) {
      fixed64(value);
      varint(tag);
    }
  }

  /** Writes a string field, also if it is empty. */
  void textField(int tag, String text) {
    int before = size();
    write(text.getBytes(StandardCharsets.UTF_8));
    lengthField(tag, before);
  }

  /**
   * Writes the tag and length of a field whose content was written since the size was {@code
   * before}.
   */
  void lengthField(int tag, int before) {
    varint(size() - before);
    varint(tag);
  }

  private void ensureRoom(int more) {
    if (at >= more) {
      return;
    }
    int size = size();
    int needed = Math.addExact(size, more);
    byte[] larger = new byte[Math.max(needed, (int) Math.min(Integer.MAX_VALUE - 8, 2L * size))];
    System.arraycopy(bytes, at, larger, larger.length - size, size);
    bytes = larger;
    at = larger.length - size;
  }

  @Override
  public String toString() {
    return Arrays.toString(toByteArray());
  }

  byte[] toByteArray() {
    return Arrays.copyOfRange(bytes, at, bytes.length);
  }
}
