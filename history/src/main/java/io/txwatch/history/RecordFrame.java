package io.txwatch.history;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.txwatch.history.wire.Record;
import java.util.zip.CRC32C;

/**
 * The delimited {@code Record} around an entry, byte by byte: length, check, body. Written and
 * checked in place, so that an entry is copied only once on its way to or from the file.
 */
final class RecordFrame {

  /** A length, a tag, a check, a tag and a length: what stands before the body, at most. */
  static final int MAX_OVERHEAD_BYTES = 5 + 1 + 4 + 1 + 5;

  /** The longest body, in bytes. What claims to be longer is taken for damage. */
  static final int MAX_BODY_BYTES = 1 << 28;

  private static final int CHECK_TAG =
      WireFormat.WIRETYPE_FIXED32 | Record.CRC32C_FIELD_NUMBER << 3;
  private static final int BODY_TAG =
      WireFormat.WIRETYPE_LENGTH_DELIMITED | Record.BODY_FIELD_NUMBER << 3;

  private final CRC32C crc = new CRC32C();

  /** Makes an entry's bytes a record: writes what stands before it. */
  void complete(ReverseProtobufBuffer entry) {
    int bodySize = entry.size();
    crc.reset();
    entry.update(crc);
    entry.varint(bodySize);
    entry.varint(BODY_TAG);
    entry.fixed32((int) crc.getValue());
    entry.varint(CHECK_TAG);
    entry.varint(recordSize(bodySize));
  }

  /**
   * The length of the body of a record that begins at {@code at}, whose head is all that need be
   * there yet; -1 if no record can begin like this.
   */
  static int bodySize(byte[] bytes, int at, int end) {
    int afterRecord = afterVarint(bytes, at, end);
    if (afterRecord < 0 || end - afterRecord < 6 || bytes[afterRecord] != CHECK_TAG) {
      return -1;
    }
    int bodyTag = afterRecord + 1 + 4;
    int afterBody = afterVarint(bytes, bodyTag + 1, end);
    if (bytes[bodyTag] != BODY_TAG || afterBody < 0) {
      return -1;
    }
    int record = varint(bytes, at, afterRecord);
    int body = varint(bytes, bodyTag + 1, afterBody);
    return body > 0 && body <= MAX_BODY_BYTES && record == recordSize(body) ? body : -1;
  }

  /** Where a varint of at most five bytes ends; -1 if it does not. */
  private static int afterVarint(byte[] bytes, int at, int end) {
    for (int i = at; i < end && i < at + 5; i++) {
      if (bytes[i] >= 0) {
        return i + 1;
      }
    }
    return -1;
  }

  private static int varint(byte[] bytes, int at, int end) {
    int value = 0;
    for (int i = end - 1; i >= at; i--) {
      value = value << 7 | bytes[i] & 0x7f;
    }
    return value;
  }

  /** The bytes that stand before a body of that length. */
  static int overhead(int bodySize) {
    int record = recordSize(bodySize);
    return CodedOutputStream.computeUInt32SizeNoTag(record) + record - bodySize;
  }

  /** True if the body of that length, whose record begins at {@code at}, is as it was written. */
  boolean isIntact(byte[] bytes, int at, int bodySize) {
    int bodyAt = at + overhead(bodySize);
    int checkAt = bodyAt - CodedOutputStream.computeUInt32SizeNoTag(bodySize) - 1 - 4;
    int written =
        bytes[checkAt] & 0xff
            | (bytes[checkAt + 1] & 0xff) << 8
            | (bytes[checkAt + 2] & 0xff) << 16
            | (bytes[checkAt + 3] & 0xff) << 24;
    return written == check(bytes, bodyAt, bodySize);
  }

  private int check(byte[] bytes, int at, int length) {
    crc.reset();
    crc.update(bytes, at, length);
    return (int) crc.getValue();
  }

  private static int recordSize(int bodySize) {
    return 1 + 4 + 1 + CodedOutputStream.computeUInt32SizeNoTag(bodySize) + bodySize;
  }
}
